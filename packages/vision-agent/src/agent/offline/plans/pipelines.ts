// a model, a saved workflow or classes → pipelines that count, detect, tell or run, and what gives way to them
import type { PipelineStatus, WorkflowSpec } from "@vision-agent/protocol";
import { countingWorkflow } from "../../../pipelines/counting-workflow.ts";
import { watchingWorkflow } from "../../../pipelines/watching-workflow.ts";
import { evidence, resultsInWords, sightingInWords } from "../answers/findings.ts";
import { LINES } from "../answers/watch-words.ts";
import type { Slots } from "../intent.ts";
import { type LinePlacement, lineAcross, type Place, toLine } from "../slots/find-places.ts";
import { joinWords, thingsInWords } from "../words/class-words.ts";
import { type ChosenClasses, chooseCameras, chooseClasses } from "./choose.ts";
import {
  type App,
  ask,
  callOne,
  dataOf,
  failure,
  type Made,
  need,
  type Plan,
  type PlannedCall,
  type Steps,
  say,
  type Wish,
} from "./plan.ts";
import { nearWorkflow, zoneCountWorkflow } from "./workflows.ts";

const LONGEST_NAME = 64;

interface PipelineStart {
  readonly camera: string;
  /** What it does, for its name: `street-top-person-count`. */
  readonly name: readonly string[];
  /** Inline, or what names it elsewhere: `model_id`, `workflow_id`. */
  readonly run: { readonly workflow_spec: WorkflowSpec } | { readonly [key: string]: string | undefined };
  readonly fps?: number;
  readonly alertOn?: string;
  /** What goes on now; the pipeline's name and id follow. */
  readonly does: string;
  /** After the id. Default a full stop. */
  readonly hint?: string;
  readonly failed?: string;
}

/** Starts it, and says so or why not. */
function* startPipeline(start: PipelineStart): Steps<string> {
  const { camera, name, run, fps, alertOn, does, hint = ".", failed = "I could not start that" } = start;
  const answer = yield* callOne("start_pipeline", {
    video_reference: camera,
    pipeline_name: toPipelineName([camera, ...name]),
    ...run,
    max_fps: fps,
    alert_on: alertOn === undefined ? undefined : [alertOn],
  });
  const pipeline = dataOf(answer, "start_pipeline")?.pipeline;
  if (pipeline === undefined) return failure(failed, answer).text;
  return `${does}, as ${pipeline.name} (${pipeline.pipeline_id})${hint} ${startedWords(pipeline)}`.trim();
}

/** A sentence for a pipeline that is not running yet, and by what it sees. */
function startedWords({ status, models }: PipelineStatus): string {
  const fine = status === "running" || status === "starting";
  return say(fine ? "" : `It is ${status} at the moment.`, evidence(models)).text;
}

type FrameSize = { readonly width: number; readonly height: number };

function toPixels(places: readonly Place[], { width, height }: FrameSize): readonly Place[] {
  return places.map(([x, y]) => [Math.round(x * width), Math.round(y * height)]);
}

interface LineCounting {
  readonly modelId: string;
  readonly classes: readonly string[];
  readonly placement: LinePlacement;
  readonly size: FrameSize;
}

function lineCountWorkflow({ placement, size, ...detection }: LineCounting): WorkflowSpec {
  const [start = [0, 0], end = [0, 0]] = toPixels(toLine(placement), size);
  return countingWorkflow({ ...detection, line: [start, end] });
}

function toPipelineName(words: readonly string[]): string {
  return words
    .map((word) =>
      word
        .toLowerCase()
        .replace(/^.*\/(?=[^/]+$)/, "")
        .replace(/[^\p{L}\p{N}]+/gu, "-")
        .replace(/^-|-$/g, ""),
    )
    .filter((word) => word !== "")
    .join("-")
    .slice(0, LONGEST_NAME);
}

export function resultsCall(pipeline: string): PlannedCall {
  return { tool: "get_pipeline_results", args: { pipeline_id: pipeline, max_results: 1 } };
}

/** Empty when there was nothing, or all of it is gone; else what stayed and why. */
export function* removeReplaced(replaces: readonly Made[]): Steps<string> {
  const left: string[] = [];
  for (const { kind, id } of replaces) {
    const answer =
      kind === "watch"
        ? yield* callOne("remove_watch", { watch_id: id })
        : yield* callOne("stop_pipeline", { pipeline_id: id });
    if (!answer.ok) left.push(`The earlier one, ${id}, is still there: ${answer.text}`);
  }
  if (replaces.length === 0) return "";
  return left.length > 0 ? left.join(" ") : `It replaces ${replaces.map(({ id }) => id).join(" and ")}.`;
}

interface Starts {
  readonly cameras: readonly string[];
  readonly replaces: readonly Made[];
  readonly notes?: readonly string[];
}

/** One after another, then what gives way to them. */
function* startOnEach({ cameras, replaces, notes = [] }: Starts, start: (camera: string) => Steps<string>): Plan {
  const texts: string[] = [];
  for (const camera of cameras) texts.push(yield* start(camera));
  return say(...texts, ...notes, yield* removeReplaced(replaces));
}

export function* planCount(wish: Wish, app: App): Plan {
  const { slots } = wish.clause;
  const cameras = yield* chooseCameras(slots, app.known);
  if (isOpen(wish))
    return ask(
      `What shall I count on ${joinWords(cameras)}: people, cars, something else? Say "everything" for all there is.`,
    );
  const { classes, note } = yield* chooseClasses(slots, cameras, app.known);
  const { replaces } = wish;
  return yield* startOnEach({ cameras, replaces, notes: [note, bothWays(slots), kept(slots)] }, (camera) =>
    countOn({ camera, classes, slots, isChange: replaces.length > 0 }, app),
  );
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
  const name = [place.label, ...classes.slice(0, 3), "count"];
  const called = toPipelineName([camera, ...name]);
  // What runs is asked, not remembered: the answer stays the same when this plan is played again.
  const [list, look] = yield [
    { tool: "list_pipelines", args: {} },
    { tool: "capture_frame", args: { camera } },
  ];
  const runs = dataOf(list, "list_pipelines")?.pipelines.some((pipeline) => pipeline.name === called) === true;
  if (runs && !isChange) {
    const [answer] = yield [resultsCall(called)];
    const results = dataOf(answer, "get_pipeline_results");
    return say(`That runs already, as ${called}.`, results === undefined ? "" : resultsInWords(results, [])).text;
  }
  const size = dataOf(look, "capture_frame")?.seen.frame;
  if (size === undefined) return failure("I could not start that", look).text;
  return yield* startPipeline({
    camera,
    name,
    run: { workflow_spec: place.toSpec({ modelId: modelFor(camera), classes, size }) },
    fps: slots.fps,
    does: `${isChange ? "Changed: I" : "I"} am counting ${thingsInWords(classes)} ${place.words} on ${camera} now`,
    hint: place.hint,
  });
}

interface CountingPlace {
  /** For the name of the pipeline; empty for the usual place. */
  readonly label: string;
  readonly words: string;
  readonly hint: string;
  readonly toSpec: (options: Omit<LineCounting, "placement">) => WorkflowSpec;
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
      hint: ".",
      toSpec: ({ size, ...detection }) => zoneCountWorkflow({ ...detection, zone: toPixels(zone.points, size) }),
    };
  }
  const placement = slots.line ?? sideOf(slots) ?? lineAcross(slots.way);
  return {
    label: placement === "vertical" ? "" : placement,
    words: `crossing ${LINES[placement]}`,
    hint: '. Ask "how many crossed?" at any time.',
    toSpec: (options) => lineCountWorkflow({ ...options, placement }),
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

/** Watches know no nearness; a workflow does, by boxes that overlap once they are widened. */
export function* planNear(
  { clause: { slots }, replaces }: Wish,
  { cameras, classes, note }: ChosenClasses & { readonly cameras: readonly string[] },
  { modelFor }: App,
): Plan {
  const { near, hours, cooldownSeconds } = slots;
  const kept = hours === undefined && cooldownSeconds === undefined;
  const notes = [kept ? "" : "Hours and pauses between alerts are not kept for nearness.", note];
  return yield* startOnEach({ cameras, replaces, notes }, (camera) => {
    const what = `${thingsInWords(classes, "or")} near ${thingsInWords(near, "or")} on ${camera}`;
    return startPipeline({
      camera,
      name: [...classes.slice(0, 1), "near", near[0] ?? "", "alert"],
      run: { workflow_spec: nearWorkflow({ modelId: modelFor(camera), classes, near }) },
      alertOn: "appeared",
      does: `I will tell you of ${what}`,
      hint: ": near means that their boxes, widened by half, touch.",
      failed: `I could not set up an alert for ${what}`,
    });
  });
}

const PICTURE_FILE = /\.(?:jpe?g|png|bmp|webp)$/i;

/** "Run … on …": once on a picture, from now on where frames come in. */
export function* planRun({ clause, replaces }: Wish, { known, images }: App): Plan {
  const { bare, slots } = clause;
  const { model, workflow, workspace = known.workspace, fps } = slots;
  const label = workflow ?? model;
  if (label === undefined)
    return ask(
      "Which model or workflow do you mean? Give the id of a model, such as my-workspace/hard-hat/3, or the name of a saved workflow and its workspace.",
    );
  if (workflow !== undefined && workspace === undefined)
    return ask(`In which workspace is the workflow "${workflow}"?`);
  const run = workflow === undefined ? { model_id: model } : { workspace_name: workspace, workflow_id: workflow };
  const picture = slots.cameras.find((name) => PICTURE_FILE.test(name));
  const image = picture ?? (slots.cameras.length === 0 && slots.unknownCamera === undefined ? images[0] : undefined);
  if (image !== undefined) return yield* runOnce(image, label, run);
  if (slots.cameras.length === 0 && /\b(?:image|picture|photo)\b/.test(bare))
    return ask("There is no picture with your message. Attach one, or name a file or a camera.");
  const cameras = yield* chooseCameras(slots, known);
  const once = /\b(?:once|now|a look|snapshot|one frame|single)\b/.test(bare) && fps === undefined;
  if (once) return yield* runOnce(cameras[0] ?? "", label, run);
  return yield* startOnEach({ cameras, replaces }, (camera) =>
    startPipeline({
      camera,
      name: [label],
      run,
      fps,
      does: `${label} runs on ${camera} now`,
      hint: fps === undefined ? "." : `. At most ${fps} frames a second.`,
      failed: `I could not start ${label} on ${camera}`,
    }),
  );
}

function* runOnce(image: string, label: string, run: PlannedCall["args"]): Plan {
  const { seen, outputs = "" } = yield* need("run_inference", {
    args: { image, ...run },
    failed: `I could not run ${label}`,
  });
  return say(`${label} ran once. ${sightingInWords(seen)}`, outputs);
}

/** "Detect people on cam1": a pipeline that finds and follows, and tells nobody. */
export function* planDetect({ clause: { slots }, replaces }: Wish, { known, modelFor }: App): Plan {
  const cameras = yield* chooseCameras(slots, known);
  const { classes, note } = yield* chooseClasses(slots, cameras, known);
  return yield* startOnEach({ cameras, replaces, notes: [note] }, (camera) =>
    startPipeline({
      camera,
      name: [...classes.slice(0, 3), "detect"],
      run: { workflow_spec: watchingWorkflow({ modelId: modelFor(camera), classes }) },
      fps: slots.fps,
      does: `I am detecting ${thingsInWords(classes)} on ${camera} now`,
      failed: `I could not start that on ${camera}`,
    }),
  );
}

/** Scene events a pipeline tells of by itself. */
const TOLD = new Map([
  ["appears", "appeared"],
  ["leaves", "left"],
  ["crosses", "line_crossed"],
]);

/** An address that is no camera of the app: a pipeline tells of it, a watch does not. */
export function* planAddressWatch(camera: string, slots: Slots, { modelFor }: App): Plan {
  const { classes } = slots;
  const alertOn = TOLD.get(slots.when ?? "appears");
  if (alertOn === undefined) {
    return say(
      `On ${camera} I can tell you what appears, leaves or crosses a line. For zones, stays and counts add it to CAMERAS.md, so that it has a name.`,
    );
  }
  const detection = { modelId: modelFor(camera), classes };
  let workflow_spec = watchingWorkflow(detection);
  if (slots.when === "crosses") {
    // The line is in pixels, so a look at the camera comes first.
    const { seen } = yield* need("capture_frame", { args: { camera }, failed: "I could not start that" });
    const placement = slots.line ?? lineAcross(slots.way);
    workflow_spec = lineCountWorkflow({ ...detection, placement, size: seen.frame });
  }
  const kept = slots.hours === undefined && slots.cooldownSeconds === undefined;
  const text = yield* startPipeline({
    camera,
    name: [...classes, "watch"],
    run: { workflow_spec },
    alertOn,
    fps: slots.fps,
    does: `I am watching ${camera} for ${thingsInWords(classes)} now`,
    hint: `, and will tell you.${kept ? "" : " Hours and pauses between alerts are kept for cameras of CAMERAS.md only."}`,
  });
  return say(text);
}
