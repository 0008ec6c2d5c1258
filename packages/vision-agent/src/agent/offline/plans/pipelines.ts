// a model, a saved workflow or classes → pipelines that count, detect, tell or run, and what gives way to them
import type { PipelineStatus, WorkflowSpec } from "@vision-agent/protocol";
import { countingWorkflow } from "../../../pipelines/counting-workflow.ts";
import { watchingWorkflow } from "../../../pipelines/watching-workflow.ts";
import { evidence, failure, resultsInWords, sightingInWords } from "../answers/findings.ts";
import { LINES } from "../answers/watch-words.ts";
import type { Slots } from "../intent.ts";
import { lineAcross, type Place, toLine } from "../slots/find-places.ts";
import { joinWords, thingsInWords } from "../words/class-words.ts";
import { chooseCameras, chooseClasses } from "./choose.ts";
import {
  type App,
  ask,
  callOne,
  dataOf,
  type Made,
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
  readonly name: string;
  readonly fps?: number;
  readonly alertOn?: string;
  /** Inline, or what names it elsewhere: `model_id`, `workflow_id`. */
  readonly run: { readonly workflow_spec: WorkflowSpec } | { readonly [key: string]: string };
}

/** What runs, read back; or why it does not. */
type Started =
  | { readonly ok: true; readonly pipeline: PipelineStatus }
  | { readonly ok: false; readonly reason: string };

function* startPipeline({ camera, name, fps, alertOn, run }: PipelineStart): Steps<Started> {
  const answer = yield* callOne("start_pipeline", {
    video_reference: camera,
    pipeline_name: name,
    ...run,
    ...(fps !== undefined && { max_fps: fps }),
    ...(alertOn !== undefined && { alert_on: [alertOn] }),
  });
  const pipeline = dataOf(answer, "start_pipeline")?.pipeline;
  return pipeline === undefined ? { ok: false, reason: answer.text } : { ok: true, pipeline };
}

/** A sentence for a pipeline that is not running yet, and by what it sees. */
function startedWords({ status, models }: PipelineStatus): string {
  const fine = status === "running" || status === "starting";
  return [fine ? "" : `It is ${status} at the moment.`, evidence(models)].filter(Boolean).join(" ");
}

/** `street now, as street-count (pl_1). …` */
function startedAs(pipeline: PipelineStatus, hint = ""): string {
  const { video_reference, name, pipeline_id } = pipeline;
  return `${video_reference} now, as ${name} (${pipeline_id}).${hint} ${startedWords(pipeline)}`.trim();
}

type FrameSize = { readonly width: number; readonly height: number };

/** Lines and zones of workflows are in pixels, so a look at the camera comes first. */
function* measureFrame(camera: string): Steps<FrameSize | { readonly reason: string }> {
  const look = yield* callOne("capture_frame", { camera });
  return dataOf(look, "capture_frame")?.seen.frame ?? { reason: look.text };
}

function toPixels(places: readonly Place[], { width, height }: FrameSize): readonly Place[] {
  return places.map(([x, y]) => [Math.round(x * width), Math.round(y * height)]);
}

/** The name says what it does: `street-top-person-count`. */
function toPipelineName(...words: readonly string[]): string {
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

/** What `create_watch` puts out of the way by itself, as its argument, and what is left for later. */
export function splitReplaced(replaces: readonly Made[]): {
  readonly argument: { readonly replaces?: string };
  readonly rest: readonly Made[];
} {
  const first = replaces.find(({ kind }) => kind === "watch");
  if (first === undefined) return { argument: {}, rest: replaces };
  return { argument: { replaces: first.id }, rest: replaces.filter((made) => made !== first) };
}

/** Empty when there was nothing, or all of it is gone; else what stayed and why. */
export function* removeReplaced(replaces: readonly Made[]): Steps<string> {
  const left: string[] = [];
  for (const made of replaces) {
    const { tool, args } = removalOf(made);
    const answer = yield* callOne(tool, args);
    if (!answer.ok) left.push(`The earlier one, ${made.id}, is still there: ${answer.text}`);
  }
  if (replaces.length === 0) return "";
  return left.length > 0 ? left.join(" ") : `It replaces ${replaces.map(({ id }) => id).join(" and ")}.`;
}

function removalOf({ kind, id }: Made): PlannedCall {
  return kind === "watch"
    ? { tool: "remove_watch", args: { watch_id: id } }
    : { tool: "stop_pipeline", args: { pipeline_id: id } };
}

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
  const runs = dataOf(list, "list_pipelines")?.pipelines.some((pipeline) => pipeline.name === name) === true;
  if (runs && !isChange) {
    const { tool, args } = resultsCall(name);
    const results = dataOf(yield* callOne(tool, args), "get_pipeline_results");
    return `That runs already, as ${name}. ${results === undefined ? "" : resultsInWords(results, [])}`.trim();
  }
  const size = dataOf(look, "capture_frame")?.seen.frame;
  if (size === undefined) return `I could not start that: ${look?.text ?? "the camera gave no picture."}`;
  const workflow_spec = place.toSpec({ modelId: modelFor(camera), classes, size });
  const limit = slots.fps === undefined ? {} : { fps: slots.fps };
  const started = yield* startPipeline({ camera, name, run: { workflow_spec }, ...limit });
  if (!started.ok) return `I could not start that: ${started.reason}`;
  return `${isChange ? "Changed: I" : "I"} am counting ${thingsInWords(classes)} ${place.words} on ${startedAs(started.pipeline, place.hint)}`;
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
        ? `I will tell you of ${what}, as ${started.pipeline.name} (${started.pipeline.pipeline_id}): near means that their boxes, widened by half, touch. ${startedWords(started.pipeline)}`.trim()
        : `I could not set up an alert for ${what}: ${started.reason}`,
    );
  }
  const kept = hours !== undefined || cooldownSeconds !== undefined;
  if (kept) texts.push("Hours and pauses between alerts are not kept for nearness.");
  return { text: [...texts, note, yield* removeReplaced(wish.replaces)].filter(Boolean).join(" ") };
}

const PICTURE_FILE = /\.(?:jpe?g|png|bmp|webp)$/i;

/** "Run … on …": once on a picture, from now on where frames come in. */
export function* planRun(wish: Wish, app: App): Plan {
  const { bare } = wish.clause;
  const { workspace } = app.known;
  const slots = { ...(workspace !== undefined && { workspace }), ...wish.clause.slots };
  const what = whatToRun(slots);
  if (what === undefined)
    return ask(
      "Which model or workflow do you mean? Give the id of a model, such as my-workspace/hard-hat/3, or the name of a saved workflow and its workspace.",
    );
  if (slots.workflow !== undefined && slots.workspace === undefined)
    return ask(`In which workspace is the workflow "${slots.workflow}"?`);
  const picture = slots.cameras.find((name) => PICTURE_FILE.test(name));
  const image =
    picture ?? (slots.cameras.length === 0 && slots.unknownCamera === undefined ? app.images[0] : undefined);
  if (image !== undefined) return yield* runOnce(image, what);
  if (slots.cameras.length === 0 && /\b(?:image|picture|photo)\b/.test(bare))
    return ask("There is no picture with your message. Attach one, or name a file or a camera.");
  const chosen = chooseCameras(slots, app.known);
  if ("question" in chosen) return chosen.question;
  const once = /\b(?:once|now|a look|snapshot|one frame|single)\b/.test(bare) && slots.fps === undefined;
  if (once) return yield* runOnce(chosen.cameras[0] ?? "", what);
  return yield* runOn(chosen.cameras, wish, what);
}

interface Runnable {
  readonly label: string;
  readonly args: { readonly [key: string]: string };
}

function whatToRun({ model, workflow, workspace }: Slots): Runnable | undefined {
  if (workflow !== undefined)
    return {
      label: workflow,
      args: { ...(workspace !== undefined && { workspace_name: workspace }), workflow_id: workflow },
    };
  return model === undefined ? undefined : { label: model, args: { model_id: model } };
}

function* runOnce(image: string, { label, args }: Runnable): Plan {
  const answer = yield* callOne("run_inference", { image, ...args });
  const ran = dataOf(answer, "run_inference");
  if (ran === undefined) return failure(`I could not run ${label}`, answer);
  const outputs = ran.outputs === undefined ? "" : ` ${ran.outputs}`;
  return say(`${label} ran once. ${sightingInWords(ran.seen)}${outputs}`);
}

function* runOn(cameras: readonly string[], { clause, replaces }: Wish, { label, args }: Runnable): Plan {
  const { fps } = clause.slots;
  const texts: string[] = [];
  for (const camera of cameras) {
    const started = yield* startPipeline({
      camera,
      name: toPipelineName(camera, label),
      run: args,
      ...(fps !== undefined && { fps }),
    });
    texts.push(
      started.ok
        ? `${label} runs on ${startedAs(started.pipeline, fps === undefined ? "" : ` At most ${fps} frames a second.`)}`
        : `I could not start ${label} on ${camera}: ${started.reason}`,
    );
  }
  return say([...texts, yield* removeReplaced(replaces)].filter(Boolean).join(" "));
}

/** "Detect people on cam1": a pipeline that finds and follows, and tells nobody. */
export function* planDetect({ clause, replaces }: Wish, app: App): Plan {
  const { slots } = clause;
  const chosen = chooseCameras(slots, app.known);
  if ("question" in chosen) return chosen.question;
  const things = chooseClasses(slots, chosen.cameras, app.known);
  if ("question" in things) return things.question;
  const texts: string[] = [];
  for (const camera of chosen.cameras) {
    const { classes } = things;
    const run = { workflow_spec: watchingWorkflow({ modelId: app.modelFor(camera), classes }) };
    const name = toPipelineName(camera, ...classes.slice(0, 3), "detect");
    const started = yield* startPipeline({ camera, name, run, ...(slots.fps !== undefined && { fps: slots.fps }) });
    texts.push(
      started.ok
        ? `I am detecting ${thingsInWords(classes)} on ${startedAs(started.pipeline)}`
        : `I could not start that on ${camera}: ${started.reason}`,
    );
  }
  return say([...texts, things.note, yield* removeReplaced(replaces)].filter(Boolean).join(" "));
}

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
    `I am watching ${camera} for ${thingsInWords(classes)} now, as ${started.pipeline.name} (${started.pipeline.pipeline_id}), and will tell you.${note} ${startedWords(started.pipeline)}`.trim(),
  );
}
