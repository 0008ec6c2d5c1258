// "a person near a vehicle" → a pipeline that follows only those, and tells of each
import { thingsInWords } from "../words/class-words.ts";
import { startedWords, startPipeline, toPipelineName } from "./pipeline-start.ts";
import type { App, Plan, Wish } from "./plan.ts";
import { removeReplaced } from "./replace.ts";
import { nearWorkflow } from "./workflows.ts";

interface Near {
  readonly wish: Wish;
  readonly cameras: readonly string[];
  readonly classes: readonly string[];
  /** What was named and is left out. */
  readonly note: string;
}

/** Watches know no nearness; a workflow does, by boxes that overlap once they are widened. */
export function* planNear({ wish, cameras, classes, note }: Near, { modelFor }: App): Plan {
  const { near, hours, cooldownSeconds } = wish.clause.slots;
  const texts: string[] = [];
  for (const camera of cameras) {
    const name = toPipelineName(camera, ...classes.slice(0, 1), "near", near[0] ?? "", "alert");
    const run = { workflow_spec: nearWorkflow({ modelId: modelFor(camera), classes, near }) };
    const started = yield* startPipeline({ camera, name, run, alertOn: "appeared" });
    const what = `${thingsInWords(classes, "or")} near ${thingsInWords(near, "or")} on ${camera}`;
    texts.push(
      started.ok
        ? `I will tell you of ${what}, as ${started.line.name} (${started.line.id}): near means that their boxes, widened by half, touch. ${startedWords(started)}`.trim()
        : `I could not set up an alert for ${what}: ${started.reason}`,
    );
  }
  const kept = hours !== undefined || cooldownSeconds !== undefined;
  if (kept) texts.push("Hours and pauses between alerts are not kept for nearness.");
  return { text: [...texts, note, yield* removeReplaced(wish.replaces)].filter(Boolean).join(" ") };
}
