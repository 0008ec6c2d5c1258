// "count …" → a pipeline that counts across a line or in a part of the picture
import type { WorkflowSpec } from "@vision-agent/protocol";
import { countingWorkflow } from "../../../pipelines/counting-workflow.ts";
import { parseFrameSize } from "../../../tools/capture-frame.ts";
import { parsePipelineLines } from "../../../tools/pipeline-lines.ts";
import { totalsInWords } from "../answers/results.ts";
import { LINES } from "../answers/watch-words.ts";
import type { Slots } from "../intent.ts";
import { lineAcross, toLine } from "../slots/find-places.ts";
import { joinWords, thingsInWords } from "../words/class-words.ts";
import { chooseCameras } from "./choose-camera.ts";
import { chooseClasses } from "./choose-classes.ts";
import { type FrameSize, getResults, startedWords, startPipeline, toPipelineName, toPixels } from "./pipeline-start.ts";
import { type App, ask, type Plan, type Steps, type Wish } from "./plan.ts";
import { removeReplaced } from "./replace.ts";
import { zoneCountWorkflow } from "./workflows.ts";

export function* planCount(wish: Wish, app: App): Plan {
  const { slots } = wish.clause;
  const chosen = chooseCameras(slots, app.known);
  if ("question" in chosen) return chosen.question;
  if (isOpen(wish))
    return ask(
      `What shall I count on ${joinWords(chosen.cameras)}: people, cars, something else? Say "everything" for all there is.`,
    );
  const things = chooseClasses(slots, chosen.cameras, app.known);
  if ("question" in things) return things.question;
  const texts: string[] = [];
  for (const camera of chosen.cameras)
    texts.push(yield* countOn({ camera, classes: things.classes, slots, isChange: wish.replaces.length > 0 }, app));
  texts.push(things.note, bothWays(slots), yield* removeReplaced(wish.replaces), kept(slots));
  return { text: texts.filter(Boolean).join(" ") };
}

/** Nobody says what is to be counted. */
function isOpen({ clause: { slots, bare }, replaces }: Wish): boolean {
  const named = slots.classes.length > 0 || slots.excluded.length > 0 || slots.thing !== undefined;
  return !named && !slots.anything && replaces.length === 0 && !/\bcrossings\b/.test(bare);
}

interface Counting {
  readonly camera: string;
  readonly classes: readonly string[];
  readonly slots: Slots;
  readonly isChange: boolean;
}

function* countOn({ camera, classes, slots, isChange }: Counting, { modelFor }: App): Steps<string> {
  const place = placeOf(slots);
  const name = toPipelineName(camera, place.label, ...classes.slice(0, 3), "count");
  // What runs is asked, not remembered: the answer stays the same when this plan is played again.
  const [list, look] = yield [
    { tool: "list_pipelines", args: {} },
    { tool: "capture_frame", args: { camera } },
  ];
  const runs = list?.ok === true && parsePipelineLines(list.text).some((pipeline) => pipeline.name === name);
  if (runs && !isChange) return `That runs already, as ${name}. ${totalsInWords(yield* getResults(name), [])}`;
  const size = look?.ok === true ? parseFrameSize(look.text) : undefined;
  if (size === undefined) return `I could not start that: ${look?.text ?? "the camera gave no picture."}`;
  const workflow_spec = place.toSpec({ modelId: modelFor(camera), classes, size });
  const limit = slots.fps === undefined ? {} : { fps: slots.fps };
  const started = yield* startPipeline({ camera, name, run: { workflow_spec }, ...limit });
  if (!started.ok) return `I could not start that: ${started.reason}`;
  const { line } = started;
  return `${isChange ? "Changed: I" : "I"} am counting ${thingsInWords(classes)} ${place.words} on ${line.camera} now, as ${line.name} (${line.id}).${place.hint} ${startedWords(started)}`.trim();
}

interface CountingPlace {
  /** For the name of the pipeline; empty for the usual place. */
  readonly label: string;
  readonly words: string;
  readonly hint: string;
  readonly toSpec: (options: {
    readonly modelId: string;
    readonly classes: readonly string[];
    readonly size: FrameSize;
  }) => WorkflowSpec;
}

/** Words that name a side name the line there, unless they say that a part of the picture is meant. */
function placeOf(slots: Slots): CountingPlace {
  const { zone } = slots;
  const isPart =
    zone?.isSide !== true &&
    slots.when !== "crosses" &&
    /\b(?:half|third|quarter|corner|zone|area|part|section|region|quadrant|strip)\b/.test(zone?.name ?? "");
  if (zone !== undefined && isPart) {
    return {
      label: zone.name.replace(/^the /, ""),
      words: `in ${zone.name}`,
      hint: "",
      toSpec: ({ size, ...detection }) => zoneCountWorkflow({ ...detection, zone: toPixels(zone.points, size) }),
    };
  }
  const placement = slots.line ?? sideOf(slots) ?? lineAcross(slots.way);
  return {
    label: placement === "vertical" ? "" : placement,
    words: `crossing ${LINES[placement]}`,
    hint: ' Ask "how many crossed?" at any time.',
    toSpec: ({ size, ...detection }) => {
      const [start = [0, 0], end = [0, 0]] = toPixels(toLine(placement), size);
      return countingWorkflow({ ...detection, line: [start, end] });
    },
  };
}

function sideOf({ zone }: Slots): "left" | "right" | "top" | "bottom" | undefined {
  const side = /\b(left|right|top|upper|bottom|lower)\b/.exec(zone?.name ?? "")?.[1];
  if (side === "upper") return "top";
  return side === "lower" ? "bottom" : (side as "left" | "right" | "top" | "bottom" | undefined);
}

/** One way was asked for, and a line counts both. */
function bothWays({ way }: Slots): string {
  return way === undefined ? "" : "Both ways are counted; the figures tell in and out apart.";
}

/** A count runs all day, every day, and tells nobody. */
function kept({ hours, days }: Slots): string {
  if (days !== undefined) return `It counts every day: I cannot keep to "${days}".`;
  return hours === undefined
    ? ""
    : `It counts all day: hours are kept for alerts. Ask "how many crossed between ${hours.from} and ${hours.to}?" for those.`;
}
