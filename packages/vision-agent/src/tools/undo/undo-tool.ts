// "undo that" → the last change put back, or what was undone done again
import { isDeepStrictEqual } from "node:util";
import { cameraSchema, type Undone } from "@vision-agent/protocol";
import type { WatchRegistry } from "../../watches/watch-registry.ts";
import { effectsIn } from "../change-ledger.ts";
import { type CallGrade, type GradedTool, visionTool } from "../graded-tool.ts";
import type { RunOrders } from "./run-orders.ts";
import { UndoError, type UndoJournal, type UndoPlan } from "./undo-journal.ts";

/** Whoever asks for the agent. */
const AGENT = "agent";

/** What a call changes can be undone. */
export function withUndo<A>(
  tool: GradedTool<A>,
  undo: Pick<UndoJournal, "during">,
  orderOf: RunOrders["of"],
): GradedTool<A> {
  if (tool.annotations?.readOnly) return tool;
  return {
    ...tool,
    execute: (args, context) =>
      undo.during(
        AGENT,
        () => tool.execute(args, context),
        ({ data }) => effectsIn(data),
        orderOf(context),
      ),
  };
}

export function undoTool(undo: Pick<UndoJournal, "plan" | "undo">, watches: Pick<WatchRegistry, "list">) {
  return visionTool({
    name: "undo",
    description:
      "Undo the last change of the last 24 hours, whoever made it: watches, pipelines, cameras, places, mode, tasks, notes. Again: the change before.",
    properties: {
      redo: { type: "boolean", description: "true to do again what was undone last." },
      step: { type: "string", description: "Id of another change." },
    },
    gradeOf: (wish) => gradeOf(() => undo.plan(wish), wish.redo === true, watches),
    picturesOf: (wish) => {
      const moves = plannedMoves(() => undo.plan(wish));
      return { cameras: [...new Set(moves.flatMap(({ to }) => camerasIn(to.state)))], to: ["server"] };
    },
    run: async (wish) => ({ data: await undo.undo(wish) }),
    render: (data) => describeUndone(data),
  });
}

/** The question is asked for what it was asked for the change itself; a camera's address and masks always. */
function gradeOf(plan: () => UndoPlan, redo: boolean, watches: Pick<WatchRegistry, "list">): CallGrade {
  try {
    const { step, moves } = plan();
    const fed = new Set(
      watches
        .list()
        // One that goes along loses nothing.
        .filter(({ id, enabled }) => enabled && !moves.some(({ what, from }) => what === "watch" && from.id === id))
        .flatMap(({ pipelines }) => pipelines.map(({ pipeline_id }) => pipeline_id)),
    );
    const always = moves.some(
      ({ what, from, to }) =>
        (redo && to.state === undefined) ||
        what === "limit" ||
        (what === "camera" &&
          from.state !== undefined &&
          to.state !== undefined &&
          seesOtherwise(from.state, to.state)) ||
        (what === "pipeline" && from.state !== undefined && fed.has(from.id)),
    );
    const verb = redo ? "do this again" : "undo this";
    return { grade: "change", always, question: `May I ${verb}: ${step.lines.join(" ")}`, subject: [step.id, redo] };
  } catch (error) {
    // The call itself gives this reason.
    if (error instanceof UndoError) return { grade: "look" };
    throw error;
  }
}

/** Another address, or other masks. */
function seesOtherwise(from: unknown, to: unknown): boolean {
  const [one, other] = [cameraSchema.safeParse(from).data, cameraSchema.safeParse(to).data];
  return one?.source !== other?.source || !isDeepStrictEqual(one?.masks ?? [], other?.masks ?? []);
}

function plannedMoves(plan: () => UndoPlan): UndoPlan["moves"] {
  try {
    return plan().moves;
  } catch (error) {
    if (error instanceof UndoError) return [];
    throw error;
  }
}

/** What is put back may send pictures of these to a server again. */
function camerasIn(state: unknown): readonly string[] {
  if (typeof state !== "object" || state === null) return [];
  if ("video_reference" in state && typeof state.video_reference === "string") return [state.video_reference];
  return "cameras" in state && Array.isArray(state.cameras) ? state.cameras.map(String) : [];
}

/** The same in every interface. */
export function describeUndone({ step, passed, lines }: Undone): string {
  const head = `${step.undone_at === undefined ? "Done again" : "Undone"}: ${step.lines.join(" ")}`;
  return [head, ...(lines.length === 0 ? ["It was so already."] : lines), ...passed].join("\n");
}
