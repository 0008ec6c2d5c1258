// every store of the app → what can be forgotten
import { systemClock } from "@vision-agent/agent-core";
import type { JobStore } from "@vision-agent/agent-core/jobs";
import type { AgentServices } from "./open-agent-services.ts";
import type { AppContext } from "./open-app-context.ts";
import type { UndoParts } from "./open-undo.ts";
import type { VisionServices } from "./open-vision-services.ts";
import {
  createForgetfulTranscripts,
  FORGET_LATER_FILE,
  type ForgetfulTranscripts,
} from "./sessions/forget-transcripts.ts";
import { createForget, type Forget } from "./store/forget.ts";
import { forgetfulPictures } from "./store/forget-pictures.ts";
import { type ForgetfulStore, isCovered, toForgotten } from "./store/forget-target.ts";
import { nodeFiles } from "./workspace/node-files.ts";

/** With what is still to be taken out of conversations that are going on. */
export type OpenForget = Forget & Pick<ForgetfulTranscripts, "retrySoon" | "close">;

export function openForget(
  { workspace, onNotice, artifacts, sessions, egress, cameras, names }: AppContext,
  { events, alerts, trace, recordings }: Pick<VisionServices, "events" | "alerts" | "recordings" | "trace">,
  services: Pick<AgentServices, "memory" | "changes" | "jobStore"> & Pick<UndoParts, "undo">,
): OpenForget {
  const { memory, changes, undo, jobStore } = services;
  const conversations = createForgetfulTranscripts({
    sessions,
    files: nodeFiles,
    path: workspace.path(FORGET_LATER_FILE),
    sleep: systemClock.sleep,
    onProblem: onNotice,
  });
  const { forget } = createForget({
    nameOf: names.nameOf,
    cameras: () => cameras.list().map(({ name }) => name),
    stores: {
      conversations,
      notes: memory,
      alerts,
      changes,
      "changes to undo": undo,
      departures: egress.ledger,
      "task answers": forgetfulAnswers(jobStore),
      recordings,
      pictures: forgetfulPictures(artifacts),
      "seconds of the trace": trace,
      events,
    },
    findEvents: (goes) => events.find(goes),
    artifacts,
    now: systemClock.now,
    async notCovered() {
      const files = await nodeFiles.list(workspace.path("sinks"));
      const own = `Files that your own workflows wrote to ${workspace.path("sinks")}: remove them by hand.`;
      return [
        ...(files.length > 0 ? [own] : []),
        "What was sent elsewhere, and backups of this machine.",
        "What you wrote yourself, and answers in conversations that did not look at it again.",
      ];
    },
  });
  return { forget, retrySoon: () => conversations.retrySoon(), close: () => conversations.close() };
}

/** Answers of scheduled tasks that show such a picture, or were given in that time and name the camera. */
function forgetfulAnswers(store: Pick<JobStore, "runs" | "forgetOutputs">): ForgetfulStore {
  return {
    async forget(target, { preview }) {
      const goes: Parameters<JobStore["forgetOutputs"]>[0] = ({ output, startedAt = "" }) => {
        if (output === undefined) return false;
        if (output.artifacts?.some((id) => target.pictures.has(id))) return true;
        const named = target.camera === undefined || output.text?.toLowerCase().includes(target.camera.toLowerCase());
        const { fromMs, toMs } = target;
        return named === true && isCovered({ fromMs, toMs }, undefined, Date.parse(startedAt));
      };
      const found = (await store.runs({})).filter(goes);
      if (!preview) await store.forgetOutputs(goes);
      return toForgotten(found.map(({ startedAt, output }) => `${startedAt} ${output?.text ?? ""}`));
    },
  };
}
