// a wish about a video that is no camera of the app → a pipeline that tells
import { countingWorkflow } from "../../../pipelines/counting-workflow.ts";
import { watchingWorkflow } from "../../../pipelines/watching-workflow.ts";
import type { Slots } from "../intent.ts";
import { lineAcross, toLine } from "../slots/find-places.ts";
import { thingsInWords } from "../words/class-words.ts";
import { measureFrame, startedWords, startPipeline, toPipelineName, toPixels } from "./pipeline-start.ts";
import { type App, type Plan, say } from "./plan.ts";

interface AddressWatch {
  readonly camera: string;
  readonly classes: readonly string[];
  readonly slots: Slots;
}

/** Scene events a pipeline tells of by itself. */
const TOLD = { appears: "appeared", leaves: "left", crosses: "line_crossed" } as const;

export function* planAddressWatch({ camera, classes, slots }: AddressWatch, { modelFor }: App): Plan {
  const { when = "appears" } = slots;
  if (when !== "appears" && when !== "leaves" && when !== "crosses") {
    return say(
      `On ${camera} I can tell you what appears, leaves or crosses a line. For zones, stays and counts add it to CAMERAS.md, so that it has a name.`,
    );
  }
  const modelId = modelFor(camera);
  const name = toPipelineName(camera, ...classes, "watch");
  let spec = watchingWorkflow({ modelId, classes });
  if (when === "crosses") {
    const size = yield* measureFrame(camera);
    if ("reason" in size) return say(`I could not start that: ${size.reason}`);
    const [start = [0, 0], end = [0, 0]] = toPixels(toLine(slots.line ?? lineAcross(slots.way)), size);
    spec = countingWorkflow({ modelId, classes, line: [start, end] });
  }
  const started = yield* startPipeline({
    camera,
    name,
    run: { workflow_spec: spec },
    alertOn: TOLD[when],
    ...(slots.fps !== undefined && { fps: slots.fps }),
  });
  if (!started.ok) return say(`I could not start that: ${started.reason}`);
  const kept = slots.hours === undefined && slots.cooldownSeconds === undefined;
  const note = kept ? "" : " Hours and pauses between alerts are kept for cameras of CAMERAS.md only.";
  return say(
    `I am watching ${camera} for ${thingsInWords(classes)} now, as ${started.line.name} (${started.line.id}), and will tell you.${note} ${startedWords(started)}`.trim(),
  );
}
