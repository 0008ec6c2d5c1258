// a model, a saved workflow or classes → pipelines that count, detect, tell or run, and what gives way to them
import type { WorkflowSpec } from "@vision-agent/protocol";
import { countingWorkflow, zoneCountWorkflow } from "../../../pipelines/counting-workflow.ts";
import { watchingWorkflow } from "../../../pipelines/watching-workflow.ts";
import { evidence, resultsInWords, sightingInWords } from "../answers/findings.ts";
import { lineInWords } from "../answers/watch-words.ts";
import type { Slots } from "../intent.ts";
import { daysInWords } from "../slots/find-days.ts";
import { findLine, lineAcross, type Place, toLine } from "../slots/find-places.ts";
import { joinWords, thingsInWords } from "../words/class-words.ts";
import { chooseCameras, chooseTargets, refuseTooMuch } from "./choose.ts";
import {
  type App,
  ask,
  dataOf,
  failure,
  type Made,
  need,
  type Plan,
  type PlannedCall,
  type Steps,
  say,
  type ToolAnswer,
  type Wish,
} from "./plan.ts";

interface Followed {
  readonly modelId: string;
  readonly classes: readonly string[];
}

const LONGEST_NAME = 64;

interface PipelineStart {
  readonly camera: string;
  /** What it does, for its name: `street-top-person-count`. */
  readonly name: readonly string[];
  /** Inline, or what names it elsewhere: `model_id`, `workflow_id`. */
  readonly run: { readonly workflow_spec: WorkflowSpec } | { readonly [key: string]: string | undefined };
  readonly fps?: number;
  readonly alertOn?: string;
  /** What is to be done, after "Should I". */
  readonly will: string;
  /** What goes on now; the pipeline's name and id follow. */
  readonly does: string;
  /** After the id. Default a full stop. */
  readonly hint?: string;
}

/** Starts them all at once, and says what runs and what does not; where all run, what they replace gives way. What is said already needs no start. */
function* startAll(
  starts: readonly (PipelineStart | string)[],
  replaces: readonly Made[],
  notes: readonly string[] = [],
): Plan {
  const wanted = starts.filter((start) => typeof start !== "string");
  const answers = yield wanted.map(({ camera, name, run, fps, alertOn, will }) => ({
    tool: "start_pipeline",
    args: {
      video_reference: camera,
      pipeline_name: toPipelineName([camera, ...name]),
      ...run,
      max_fps: fps,
      alert_on: alertOn === undefined ? undefined : [alertOn],
    },
    will,
  }));
  const texts = wanted.map((start, at) => startedInWords(start, answers[at]));
  const isAll = wanted.length === starts.length && answers.every(({ ok }) => ok);
  const said = starts.filter((start) => typeof start === "string");
  return say(...said, ...texts, ...notes, isAll ? yield* removeReplaced(replaces) : "");
}

function startedInWords({ will, does, hint = "." }: PipelineStart, answer: ToolAnswer | undefined): string {
  const pipeline = dataOf(answer, "start_pipeline")?.pipeline;
  if (pipeline === undefined) return failure(`I could not ${will}`, answer).text;
  const { name, pipeline_id, status, models } = pipeline;
  const state = status === "running" || status === "starting" ? "" : `It is ${status} at the moment.`;
  return say(`${does}, as ${name} (${pipeline_id})${hint}`, state, evidence(models)).text;
}

type FrameSize = { readonly width: number; readonly height: number };

function toPixels(places: readonly Place[], { width, height }: FrameSize): readonly Place[] {
  return places.map(([x, y]) => [Math.round(x * width), Math.round(y * height)]);
}

/** Of an address or a model's id the last part is enough. */
function toPipelineName(words: readonly string[]): string {
  const name = words.map((word) => word.replace(/^.*\/(?=[^/]+$)/, "")).join("-");
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, LONGEST_NAME);
}

export function resultsCall(pipeline: string): PlannedCall {
  return { tool: "get_pipeline_results", args: { pipeline_id: pipeline, max_results: 1 } };
}

/** Empty when there was nothing, or all of it is gone; else what stayed and why. */
export function* removeReplaced(replaces: readonly Made[]): Steps<string> {
  const answers = yield replaces.map(({ kind, id }) =>
    kind === "watch"
      ? { tool: "remove_watch", args: { watch_id: id }, will: `remove ${id}` }
      : { tool: "stop_pipeline", args: { pipeline_id: id }, will: `stop ${id}` },
  );
  const ids = replaces.map(({ id }) => id);
  const left = answers.flatMap(({ ok, text }, at) =>
    ok ? [] : `The earlier one, ${ids[at]}, is still there: ${text}`,
  );
  if (left.length > 0) return left.join(" ");
  return ids.length === 0 ? "" : `It replaces ${ids.join(" and ")}.`;
}

export function* planCount({ clause: { slots, bare }, replaces }: Wish, { known, modelFor, clock }: App): Plan {
  const { cameras, classes, note } = yield* chooseTargets(slots, known);
  const isChange = replaces.length > 0;
  if (classes.length === 0 && !slots.anything && !isChange && !/\bcrossings\b/.test(bare))
    return ask(
      `What shall I count on ${joinWords(cameras)}: people, cars, something else? Say "everything" for all there is.`,
    );
  const place = placeOf(slots);
  const name = [place.label, ...classes.slice(0, 3), "count"];
  // What runs is asked, not remembered: the answer stays the same when this plan is played again.
  const [list, ...looks] = yield [
    { tool: "list_pipelines", args: {} },
    ...cameras.map((camera) => ({ tool: "capture_frame", args: { camera } })),
  ];
  const running = dataOf(list, "list_pipelines")?.pipelines.map((pipeline) => pipeline.name) ?? [];
  const starts: (PipelineStart | string)[] = [];
  for (const [at, camera] of cameras.entries()) {
    const called = toPipelineName([camera, ...name]);
    const size = dataOf(looks[at], "capture_frame")?.seen.frame;
    const what = `${thingsInWords(classes)} ${place.words} on ${camera}`;
    if (running.includes(called) && !isChange) {
      const [answer] = yield [resultsCall(called)];
      const results = dataOf(answer, "get_pipeline_results");
      starts.push(
        say(`That runs already, as ${called}.`, results === undefined ? "" : resultsInWords(results, clock)).text,
      );
    } else if (size === undefined) starts.push(failure("I could not start that", looks[at]).text);
    else
      starts.push({
        camera,
        name,
        run: { workflow_spec: place.toSpec({ modelId: modelFor(camera), classes }, size) },
        fps: slots.fps,
        will: `count ${what}`,
        does: `${isChange ? "Changed: I" : "I"} am counting ${what} now`,
        hint: place.hint,
      });
  }
  return yield* startAll(starts, replaces, [note, ...unkept(slots)]);
}

/** Where it counts: its label for the name, empty for the usual place. Words that name a side name the line there, unless they say that a part of the picture is meant. */
function placeOf({ zone, line, way, when }: Slots) {
  const isPart =
    zone?.place !== undefined || (zone?.isSide !== true && when !== "crosses" && PART.test(zone?.name ?? ""));
  const part = isPart ? zone : undefined;
  const placement = line ?? findLine(zone?.name ?? "") ?? lineAcross(way);
  return {
    label:
      part?.name.replace(/^the /, "") ??
      (typeof placement === "object" ? placement.name : placement.replace("vertical", "")),
    words: part === undefined ? `crossing ${lineInWords(placement)}` : `in ${part.name}`,
    hint: part === undefined ? '. Ask "how many crossed?" at any time.' : ".",
    toSpec: (detection: Followed, size: FrameSize): WorkflowSpec => {
      if (part !== undefined) return zoneCountWorkflow({ ...detection, zone: toPixels(part.points, size) });
      const [start = [0, 0], end = [0, 0]] = toPixels(
        typeof placement === "object" ? placement.points : toLine(placement),
        size,
      );
      return countingWorkflow({ ...detection, line: [start, end] });
    },
  };
}

const PART = /\b(?:half|third|quarter|corner|zone|area|part|section|region|quadrant|strip)\b/;

/** A count runs all day, every day, both ways, and tells nobody. */
function unkept({ way, hours, days }: Slots): readonly string[] {
  return [
    way === undefined ? "" : "Both ways are counted; the figures tell in and out apart.",
    days === undefined ? "" : `It counts every day, not only ${daysInWords(days)}.`,
    hours === undefined
      ? ""
      : `It counts all day: ask "how many crossed between ${hours.from} and ${hours.to}?" for those hours.`,
  ];
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
  yield* refuseTooMuch(slots);
  const once = /\b(?:once|now|a look|snapshot|one frame|single)\b/.test(bare) && fps === undefined;
  if (once) return yield* runOnce(cameras[0] ?? "", label, run);
  const starts = cameras.map((camera) => ({
    camera,
    name: [label],
    run,
    fps,
    will: `start ${label} on ${camera}`,
    does: `${label} runs on ${camera} now`,
    hint: fps === undefined ? "." : `. At most ${fps} frames a second.`,
  }));
  return yield* startAll(starts, replaces);
}

function* runOnce(image: string, label: string, run: PlannedCall["args"]): Plan {
  const { seen, outputs = "" } = yield* need("run_inference", {
    args: { image, ...run },
    failed: `I could not run ${label}`,
  });
  return say(`${label} ran once. ${sightingInWords(seen)}`, outputs);
}

/** "Detect people on cam1": pipelines that find and follow, and tell nobody. */
export function* planDetect({ clause: { slots }, replaces }: Wish, { known, modelFor }: App): Plan {
  const { cameras, classes, note } = yield* chooseTargets(slots, known);
  const starts = cameras.map((camera) => ({
    ...following(camera, { modelId: modelFor(camera), classes }, "detect"),
    fps: slots.fps,
    will: `detect ${thingsInWords(classes)} on ${camera}`,
    does: `I am detecting ${thingsInWords(classes)} on ${camera} now`,
  }));
  return yield* startAll(starts, replaces, [note]);
}

function following(camera: string, detection: Followed, label: string): Pick<PipelineStart, "camera" | "name" | "run"> {
  const name = [...detection.classes.slice(0, 3), label];
  return { camera, name, run: { workflow_spec: watchingWorkflow(detection) } };
}

/** An address that is no camera of the app: a pipeline tells what appears there; all else takes a watch, and that a camera. */
export function* planAddressWatch(camera: string, slots: Slots, { modelFor }: App): Plan {
  const { classes, when = "appears", hours, cooldownSeconds } = slots;
  if (when !== "appears" || hours !== undefined || cooldownSeconds !== undefined)
    return ask(
      `${camera} has no name here, so I can only tell you what appears there, at any time. Shall it be a camera? Say "add a camera called garage at ${camera}", then ask again.`,
    );
  const what = `${camera} for ${thingsInWords(classes)}`;
  const start = {
    fps: slots.fps,
    will: `watch ${what}`,
    does: `I am watching ${what} now`,
    hint: ", and will tell you.",
  };
  const detection = { modelId: modelFor(camera), classes };
  return yield* startAll([{ ...following(camera, detection, "watch"), ...start, alertOn: "appeared" }], []);
}
