// everything that can be changed → cameras with what belongs to them, and the way back for a day
import { randomIds, systemClock } from "@vision-agent/agent-core";
import type { Access } from "./access/open-access.ts";
import type { AgentServices } from "./open-agent-services.ts";
import type { AppContext } from "./open-app-context.ts";
import type { VisionServices } from "./open-vision-services.ts";
import { openBoundedLog } from "./store/bounded-log.ts";
import { type CameraAdmin, createCameraAdmin } from "./tools/camera-admin.ts";
import { createRunOrders, type RunOrders } from "./tools/undo/run-orders.ts";
import { openUndoIntents, UNDO_INTENTS_FILE } from "./tools/undo/undo-intents.ts";
import { createUndoJournal, MOST_STEPS, UNDO_FILE, type UndoJournal } from "./tools/undo/undo-journal.ts";
import { createUndoKinds } from "./tools/undo/undo-kinds.ts";
import { keptStepSchema } from "./tools/undo/undo-orders.ts";
import { nodeFiles } from "./workspace/node-files.ts";

export interface UndoParts {
  readonly cameraAdmin: CameraAdmin;
  readonly undo: UndoJournal;
  readonly orders: RunOrders;
}

export async function openUndo(parts: {
  readonly context: AppContext;
  readonly access: Pick<Access, "accounts">;
  readonly vision: VisionServices;
  readonly services: Pick<AgentServices, "jobs" | "memory" | "spendingLimits">;
  readonly redact: <T>(value: T) => T;
}): Promise<UndoParts> {
  const { context, access, vision, services, redact } = parts;
  const { cameras, names, places, credentials, egress, workspace, onNotice } = context;
  const { accounts } = access;
  const cameraAdmin = createCameraAdmin({
    ...vision,
    cameras,
    names,
    places,
    rules: egress.rules,
    accounts,
    credentials,
  });
  const log = await openBoundedLog({
    files: nodeFiles,
    path: workspace.path(UNDO_FILE),
    schema: keptStepSchema,
    maxEntries: MOST_STEPS,
  });
  const kinds = createUndoKinds({ ...vision, ...services, cameras, cameraAdmin, credentials, places });
  const intents = await openUndoIntents(nodeFiles, workspace.path(UNDO_INTENTS_FILE));
  const common = { now: systemClock.now, ids: randomIds, redact, onProblem: onNotice };
  const undo = createUndoJournal({ ...common, log, intents, kinds });
  return { cameraAdmin, undo, orders: createRunOrders((start) => undo.lastOrder(start)) };
}
