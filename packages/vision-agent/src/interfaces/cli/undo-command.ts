// undo → the API of an app → what was put back, or what can be
import type { Undone, UndoStep } from "@vision-agent/protocol";
import { describeUndone } from "../../tools/undo/undo-tool.ts";
import { type RunAppCommand, show } from "./app-command.ts";
import { UsageError } from "./exit-codes.ts";
import { toTable } from "./list-text.ts";

/** Undoes the last change, does it again, or lists what can be undone. */
export const undoChange: RunAppCommand = async (options, { words: [step], options: { list, redo } }) => {
  if (list && (redo || step !== undefined)) throw new UsageError("Give --list alone.");
  if (list) {
    const { steps } = await options.client.get<{ readonly steps: readonly UndoStep[] }>("/api/undo");
    return show(options, steps, describeSteps);
  }
  const wish = { ...(step !== undefined && { step }), ...(redo && { redo: true }) };
  const undone = await options.client.send<Undone>("POST", "/api/undo", wish);
  return show(options, undone, (value) => `${describeUndone(value)}\n`);
};

function describeSteps(steps: readonly UndoStep[]): string {
  if (steps.length === 0) return "Nothing was changed in the last 24 hours.\n";
  const stateOf = ({ blocked, undone_at }: UndoStep): string => {
    if (blocked !== undefined) return "cannot be undone";
    return undone_at === undefined ? "" : "undone";
  };
  const rows = steps.map((step) => [step.at, step.id, step.by, step.lines.join(" "), stateOf(step)]);
  return toTable([["when", "id", "by", "what", ""], ...rows]);
}
