// an id or name → the pipelines listed, read, paused, resumed or stopped, with their state read back
import type { ImagePart, ToolContext } from "@vision-agent/agent-core";
import type { FrameResult, PipelineStatus, ToolDataOf } from "@vision-agent/protocol";
import { type Picture, pictureTextOutputs } from "@vision-agent/vision-engine";
import { BackendError } from "../backends/backend.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { runningRateDoubt } from "../pipelines/rate-doubt.ts";
import { summarizeResults } from "../pipelines/summarize-results.ts";
import { ofCamera, toSources } from "../store/picture-origin.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { pipelineEffect } from "./effects.ts";
import { type CallGrade, PartialFailure, visionTool } from "./graded-tool.ts";
import { quoteWords } from "./quote-words.ts";
import { PICTURE_EDGE } from "./resize-picture.ts";
import { describeModels, imageOutput, renderCounts, sizeInWords, toSighting, withShown } from "./sighting.ts";
import type { ToolParts } from "./tool-parts.ts";

const ALL = "all";
export const NO_PIPELINES = "No pipeline is running.";
const NO_PICTURE = "The picture of this frame is not kept any more; capture_frame takes a new one.";
const USUAL_RESULTS = 5;
const ONE_PIPELINE = { pipeline_id: { type: "string", description: "Id or name." } } as const;

type PipelineResultsParts = Pick<ToolParts, "maxResults" | "maxEdge" | "timeZone"> & {
  readonly pipelines: Pick<PipelineRegistry, "get" | "results" | "picture" | "definition">;
};

export function listPipelinesTool(pipelines: Pick<PipelineRegistry, "list">) {
  return visionTool({
    name: "list_pipelines",
    description: "List all pipelines that were started and not stopped: name, id, camera, state, figures, purpose.",
    properties: {},
    annotations: { readOnly: true },
    async run() {
      const listed = [...pipelines.list()];
      // Why one failed may be the words of a server.
      return { data: { pipelines: listed }, untrusted: listed.some(({ reason }) => reason !== undefined) };
    },
    render: (data) => data.pipelines.map(renderPipeline).join("\n") || NO_PIPELINES,
  });
}

export function pipelineResultsTool(options: PipelineResultsParts) {
  const { pipelines, timeZone, maxResults = 10, maxEdge = PICTURE_EDGE } = options;
  const usual = Math.min(USUAL_RESULTS, maxResults);
  return visionTool({
    name: "get_pipeline_results",
    description:
      "Latest results of a pipeline as text: what is in view and the workflow's figures (line counts are totals since the start). " +
      "Set include_frame to see the newest frame with boxes.",
    required: ["pipeline_id"],
    properties: {
      pipeline_id: { type: "string", description: "Id or name of the pipeline." },
      max_results: { type: "integer", minimum: 1, maximum: maxResults, default: usual },
      include_frame: { type: "boolean", default: false },
    },
    annotations: { readOnly: true },
    untrusted: true,
    picturesOf: ({ pipeline_id, include_frame = false }) => ({
      cameras: include_frame ? camerasOf(pipelines, pipeline_id) : [],
      to: ["model"],
    }),
    async run({ pipeline_id, max_results = usual, include_frame = false }, context) {
      const pipeline = pipelines.get(pipeline_id);
      const results = await pipelines.results(pipeline_id, max_results);
      const newest = results.at(-1);
      if (newest === undefined) return { data: { pipeline, frames: [] } };
      const found = toSighting(pipeline.name, newest, { models: pipeline.models });
      const drawn = include_frame ? await drawnFrame({ pipelines, maxEdge }, pipeline, newest, context) : undefined;
      const seen = drawn ? withShown(found, drawn.picture, maxEdge) : found;
      const hidden = pictureTextOutputs(pipelines.definition(pipeline_id).spec);
      const frames = summarizeResults(results, { timeZone, hidden }).split("\n");
      const note = include_frame && drawn === undefined ? NO_PICTURE : undefined;
      return { data: { pipeline, seen, frames, note }, images: drawn && [drawn.image] };
    },
    render: renderResults,
  });
}

/** None for a pipeline that is not there: the call says so. */
function camerasOf(pipelines: Pick<PipelineRegistry, "get">, id: string): readonly string[] {
  try {
    return [pipelines.get(id).video_reference];
  } catch (error) {
    if (error instanceof BackendError) return [];
    throw error;
  }
}

async function drawnFrame(
  { pipelines, maxEdge }: Required<Pick<PipelineResultsParts, "pipelines" | "maxEdge">>,
  { pipeline_id, video_reference }: PipelineStatus,
  result: FrameResult,
  { putImage }: Pick<ToolContext, "putImage">,
): Promise<{ readonly image: ImagePart; readonly picture: Picture } | undefined> {
  const { frame_number: frameNumber } = result.frame;
  const request = { output: imageOutput(result), frameNumber, maxEdge };
  const picture = await pipelines.picture(pipeline_id, request).catch((error: unknown) => {
    // The pipeline may be gone by now; its figures stand without a picture.
    if (error instanceof BackendError) return undefined;
    throw error;
  });
  if (picture === undefined) return undefined;
  const image = await putImage(picture.jpeg, {
    mimeType: "image/jpeg",
    alt: renderCounts(toSighting(video_reference, result)),
    sources: toSources(ofCamera(video_reference)),
  });
  return { image, picture };
}

function renderResults({ pipeline, seen, frames, note = "" }: ToolDataOf<"get_pipeline_results">): string {
  if (seen === undefined) return `${pipeline.name} has no results yet.\n${renderPipeline(pipeline)}`;
  const model = `Model: ${describeModels(pipeline.models)}`;
  const size = seen.shown === undefined ? [] : [`Frame: ${sizeInWords(seen)}.`];
  return [renderCounts(seen), renderPipeline(pipeline), model, ...size, ...frames, note].join("\n").trimEnd();
}

type FedWatches = Pick<WatchRegistry, "list">;

/** Stopping or pausing what a watch looks through is asked about on every level. */
function gradeControl(verb: string, chosen: readonly PipelineStatus[], watches: FedWatches, ask: string): CallGrade {
  const ids = new Set(chosen.map(({ pipeline_id }) => pipeline_id));
  const fed = watches
    .list()
    .filter(({ enabled, pipelines }) => enabled && pipelines.some(({ pipeline_id = "" }) => ids.has(pipeline_id)))
    .map(({ words }) => quoteWords(words));
  const it = chosen.length === 1 ? "It feeds" : "They feed";
  const what = fed.length === 0 ? "" : ` ${it} the ${fed.length === 1 ? "watch" : "watches"} ${fed.join(", ")}.`;
  return { grade: "change", always: fed.length > 0, question: `May I ${verb} ${ask}?${what}` };
}

export function pausePipelineTool(pipelines: Pick<PipelineRegistry, "pause" | "get" | "list">, watches: FedWatches) {
  return visionTool({
    name: "pause_pipeline",
    deferLoading: true,
    description: "Pause a running pipeline; resume_pipeline continues it.",
    required: ["pipeline_id"],
    properties: ONE_PIPELINE,
    gradeOf({ pipeline_id }) {
      const chosen = namedIn(pipelines.list(), pipeline_id);
      return gradeControl("pause", chosen, watches, chosen[0]?.name ?? quoteWords(pipeline_id));
    },
    async run({ pipeline_id }) {
      await pipelines.pause(pipeline_id);
      const pipeline = pipelines.get(pipeline_id);
      if (pipeline.status !== "paused")
        throw new Error(`${pipeline.name} was told to pause but is ${pipeline.status}.`);
      return { data: { pipeline, effects: [pipelineEffect("paused", pipeline)] } };
    },
    render: ({ pipeline }) => `Paused.\n${renderPipeline(pipeline)}`,
  });
}

export function resumePipelineTool(pipelines: Pick<PipelineRegistry, "resume" | "get">) {
  return visionTool({
    name: "resume_pipeline",
    deferLoading: true,
    description: "Continue a paused pipeline.",
    required: ["pipeline_id"],
    properties: ONE_PIPELINE,
    gradeOf: ({ pipeline_id }) => ({ grade: "change", question: `May I resume ${quoteWords(pipeline_id)}?` }),
    async run({ pipeline_id }) {
      await pipelines.resume(pipeline_id);
      const pipeline = pipelines.get(pipeline_id);
      if (pipeline.status === "paused") throw new Error(`${pipeline.name} was told to resume but is still paused.`);
      return { data: { pipeline, effects: [pipelineEffect("resumed", pipeline)] } };
    },
    render: ({ pipeline }) => `Resumed.\n${renderPipeline(pipeline)}`,
  });
}

export function stopPipelineTool(pipelines: Pick<PipelineRegistry, "stop" | "list">, watches: FedWatches) {
  const isAll = (pipelineId: string): boolean =>
    pipelineId === ALL && pipelines.list().every(({ name }) => name !== ALL);
  return visionTool({
    name: "stop_pipeline",
    description: "Stop a pipeline for good, or all of them. Returns what is still running.",
    required: ["pipeline_id"],
    properties: { pipeline_id: { type: "string", description: "Id or name, or all." } },
    annotations: { destructive: true },
    gradeOf({ pipeline_id }) {
      const running = pipelines.list();
      if (isAll(pipeline_id)) {
        const grade = gradeControl("stop", running, watches, `all pipelines (${namesOf(running)})`);
        return { ...grade, grave: true, subject: running.map((one) => one.pipeline_id) };
      }
      const chosen = namedIn(running, pipeline_id);
      return gradeControl("stop", chosen, watches, chosen[0]?.name ?? quoteWords(pipeline_id));
    },
    async run({ pipeline_id }) {
      const wanted = isAll(pipeline_id) ? pipelines.list().map((status) => status.pipeline_id) : [pipeline_id];
      const stopped: PipelineStatus[] = [];
      const gone = (): PipelineStatus[] =>
        stopped.filter((one) => pipelines.list().every((left) => left.pipeline_id !== one.pipeline_id));
      const effects = () => gone().map((one) => pipelineEffect("stopped", one));
      try {
        for (const id of wanted) stopped.push(await pipelines.stop(id));
      } catch (thrown) {
        throw effects().length === 0 ? thrown : new PartialFailure(thrown, effects());
      }
      const left = [...pipelines.list()];
      const stubborn = left.filter((one) => stopped.some(({ pipeline_id: id }) => id === one.pipeline_id));
      if (stubborn.length > 0) {
        const message = `${namesOf(stubborn)} was told to stop but is still listed. Try again.`;
        throw new PartialFailure(new Error(message), effects());
      }
      return { data: { stopped, pipelines: left, effects: effects() } };
    },
    render({ stopped, pipelines: left }) {
      if (stopped.length === 0) return NO_PIPELINES;
      const names = stopped.map(({ name, pipeline_id }) => `${name} (${pipeline_id})`).join(", ");
      return `Stopped ${names}. ${left.length === 0 ? NO_PIPELINES : `Still running: ${namesOf(left)}.`}`;
    },
  });
}

function namedIn(pipelines: readonly PipelineStatus[], idOrName: string): readonly PipelineStatus[] {
  return pipelines.filter(({ pipeline_id, name }) => pipeline_id === idOrName || name === idOrName);
}

function namesOf(pipelines: readonly PipelineStatus[]): string {
  return pipelines.map(({ name }) => name).join(", ");
}

/** e.g. `street-count (pl_1) on street: running, 9.8 fps, 120 frames. Counts person …` */
export function renderPipeline(status: PipelineStatus): string {
  const head = `${status.name} (${status.pipeline_id}) on ${status.video_reference}: ${status.status}`;
  const figures = `${status.fps.toFixed(1)} fps, ${status.frames_processed} frames, ${status.frames_dropped} left out`;
  const reason = status.reason === undefined ? "" : ` ${status.reason}`;
  const since = status.zones_doubtful_since;
  const doubt =
    since === undefined ? "" : ` Its camera was moved at ${since}: lines and zones drawn before may be wrong.`;
  const slow = status.shapes.some(({ kind }) => kind === "line")
    ? runningRateDoubt(status.video_reference, status)
    : undefined;
  return `${head}, ${figures}. ${status.workflow_description}${reason}${doubt}${slow === undefined ? "" : ` ${slow}`}`;
}
