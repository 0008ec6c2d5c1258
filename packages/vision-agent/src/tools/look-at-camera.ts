// camera name → one frame with what is in it: from the pipeline that runs there, else by opening the camera once
import type { Clock } from "@vision-agent/agent-core";
import type { FrameResult, PipelineStatus, ToolDataOf, WorkflowSpec } from "@vision-agent/protocol";
import type { Picture } from "@vision-agent/vision-engine";
import { BackendError, type InferenceBackend } from "../backends/backend.ts";
import type { Capture } from "../backends/still-picture.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { troubleInWords } from "../scene/scene-words.ts";
import type { SceneEventLog } from "../store/open-scene-event-log.ts";
import { ofCamera } from "../store/picture-origin.ts";
import { isAddress, withoutCredentials } from "../workspace/camera-address.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { formatTime } from "../workspace/format-time.ts";
import { formatLocalTime } from "./event-times.ts";
import { visionTool } from "./graded-tool.ts";
import { foreignSources, unknownCamera } from "./known-source.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import {
  describeModels,
  imageOutput,
  renderBoxes,
  renderCounts,
  showPicture,
  sizeInWords,
  toSighting,
  withShown,
} from "./sighting.ts";

export interface Look {
  readonly camera: string;
  readonly result: FrameResult;
  /** Drawn where the workflow draws, else as the camera saw it. */
  readonly picture: Picture;
  readonly models: readonly string[];
  /** The pipeline whose frame this is, with what it does; absent when the camera was opened for this look. */
  readonly pipeline?: { readonly name: string; readonly description: string };
  /** Why the picture may not show what is there now. */
  readonly trouble?: CameraTrouble | undefined;
}

type CameraTrouble = NonNullable<ToolDataOf<"capture_frame">["trouble"]>;

export interface LookOptions {
  readonly cameras: CameraRegistry;
  readonly events: Pick<SceneEventLog, "list">;
  readonly pipelines: PipelineRegistry;
  readonly backend: Pick<InferenceBackend, "run">;
  /** How to look at a camera on which nothing runs: every class, boxes drawn. */
  readonly detectionFor: (camera: RegisteredCamera) => { readonly modelId: string; readonly spec: WorkflowSpec };
  /** Longest side of the picture in pixels. */
  readonly maxEdge: number;
}

const DETECTS = /detection_model/;
const FILTERS = /filter/;

/** Throws a sentence that names the cameras there are, or the reason why the camera gives no picture. */
export async function lookAtCamera(options: LookOptions, name: string, signal?: AbortSignal): Promise<Look> {
  const camera = options.cameras.find(name) ?? ofAddress(name);
  if (camera === undefined) throw new Error(unknownCamera(options.cameras, name));
  const look =
    (await lookThroughPipeline(options, camera)) ??
    (await lookAtRecording(options, camera, signal)) ??
    (await openAndLook(options, camera, signal));
  const trouble = troubleOf(options, camera.name);
  // A camera that just opened is no longer down.
  return trouble === undefined || (trouble.state === "down" && look.pipeline === undefined)
    ? look
    : { ...look, trouble };
}

/** What the pipelines there say of the camera, and since when. */
function troubleOf({ pipelines, events }: LookOptions, camera: string): CameraTrouble | undefined {
  const state = pipelines
    .list()
    .find(({ video_reference, status, health }) => video_reference === camera && status === "running" && health)
    ?.health?.state;
  if (state === undefined) return undefined;
  const [told] = events.list({ camera, kind: `camera_${state}`, limit: 1 });
  const [over] = events.list({ camera, kind: "camera_up", limit: 1 });
  const isSince = told !== undefined && (over === undefined || over.timestamp < told.timestamp);
  return { state, ...(isSince && { since: told.timestamp }) };
}

/** A video or stream that is no camera of the app; what lies on the web is not opened for a look. */
function ofAddress(address: string): RegisteredCamera | undefined {
  if (!isAddress(address) || /^https?:/i.test(address)) return undefined;
  const source = withoutCredentials(address);
  return { name: source.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ""), source, address, location: "", notes: "" };
}

async function lookThroughPipeline(options: LookOptions, camera: RegisteredCamera): Promise<Look | undefined> {
  const status = options.pipelines
    .list()
    .find((each) => each.video_reference === camera.name && each.status === "running" && showsAll(options, each));
  if (status === undefined) return undefined;
  const result = (await options.pipelines.results(status.pipeline_id, 1)).at(-1);
  if (result === undefined) return undefined;
  const output = imageOutput(result);
  const picture = await options.pipelines.picture(status.pipeline_id, {
    output,
    frameNumber: result.frame.frame_number,
    maxEdge: options.maxEdge,
  });
  if (picture === undefined) return undefined;
  const pipeline = { name: status.name, description: status.workflow_description };
  return { camera: camera.name, result, picture, models: status.models, pipeline };
}

/** A recording is looked at where its pipeline is: opened again it would begin anew. */
async function lookAtRecording(
  { pipelines, backend, detectionFor }: LookOptions,
  camera: RegisteredCamera,
  signal?: AbortSignal,
): Promise<Look | undefined> {
  const status = pipelines.list().findLast(({ video_reference }) => video_reference === camera.name);
  const last = status && (await pipelines.results(status.pipeline_id, 1)).at(-1);
  if (!last?.frame.comes_from_video_file) return undefined;
  const frame = await pipelines.picture(status!.pipeline_id, { frameNumber: last.frame.frame_number });
  if (frame === undefined) return undefined;
  const { modelId, spec } = detectionFor(camera);
  const image = { kind: "bytes", bytes: frame.jpeg, mimeType: "image/jpeg", origin: ofCamera(camera.name) } as const;
  const { result, picture, annotated } = await toldBy(camera, () =>
    backend.run({ kind: "workflow", spec }, image, signal),
  );
  const { width, height } = result.frame;
  const seen = { ...result, frame: { ...last.frame, width, height } };
  return { camera: camera.name, result: seen, picture: annotated ?? picture, models: [modelId] };
}

/** A pipeline that looks for some classes only cannot say what is there. */
function showsAll({ pipelines }: LookOptions, { pipeline_id }: PipelineStatus): boolean {
  const { steps } = pipelines.definition(pipeline_id).spec;
  return (
    steps.some(({ type }) => DETECTS.test(type)) && !steps.some((step) => step.class_filter || FILTERS.test(step.type))
  );
}

async function openAndLook(options: LookOptions, camera: RegisteredCamera, signal?: AbortSignal): Promise<Look> {
  const { modelId, spec } = options.detectionFor(camera);
  const source = { kind: "source", sourceId: camera.name, address: camera.address } as const;
  const look = () => options.backend.run({ kind: "workflow", spec }, source, signal);
  const { result, picture, annotated } = await toldBy(camera, look);
  return { camera: camera.name, result, picture: annotated ?? picture, models: [modelId] };
}

async function toldBy<T>(camera: RegisteredCamera, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (thrown) {
    if (!(thrown instanceof BackendError)) throw thrown;
    throw new Error(`${camera.name} gives no picture: ${thrown.message}`, { cause: thrown });
  }
}

export interface SnapshotOptions {
  readonly pipelines: Pick<PipelineRegistry, "pictureOn">;
  readonly capture: Capture;
  /** Longest side in pixels of a running pipeline's picture. */
  readonly maxEdge: number;
}

/** Throws what `capture` throws. */
export async function takeSnapshot(
  { pipelines, capture, maxEdge }: SnapshotOptions,
  { name, address }: { readonly name: string; readonly address: string },
  signal: AbortSignal,
): Promise<Picture> {
  return (await pipelines.pictureOn(name, { maxEdge })) ?? (await capture(address, name, signal));
}

interface CaptureFrameOptions {
  readonly clock: Pick<Clock, "now">;
  /** IANA name. */
  readonly timeZone: string;
  readonly cameras: CameraRegistry;
  readonly look: (camera: string, signal: AbortSignal) => Promise<Look>;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Longest side in pixels of the picture. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number;
}

export function captureFrameTool(options: CaptureFrameOptions) {
  const { cameras, look, resize, maxEdge, clock, timeZone } = options;
  const toTime = (instant: string): string => formatTime(instant, { nowMs: clock.now(), timeZone });
  return visionTool({
    name: "capture_frame",
    description:
      "Look at a camera now: what the detector finds there, counted by class, and the picture with boxes. " +
      "Also gives the size of the frame; lines and zones are in its pixels.",
    required: ["camera"],
    properties: { camera: { type: "string", description: "Name of the camera." } },
    annotations: { readOnly: true },
    untrusted: true,
    secretArguments: ["camera"],
    picturesOf: ({ camera }) => ({ cameras: [camera], to: ["model", "server"] }),
    gradeOf: ({ camera }) => ({
      grade: "look",
      question: "May I look there?",
      destinations: foreignSources(cameras, camera),
    }),
    async run({ camera: name }, context) {
      const { camera, result, picture, models, pipeline, trouble } = await look(name, context.signal);
      const seen = withShown(toSighting(camera, result, { models }), picture, maxEdge);
      return {
        data: { camera, seen, pipeline, trouble },
        images: [await showPicture(picture, seen, { resize, context, maxEdge, origin: ofCamera(camera) })],
      };
    },
    render: ({ camera, seen, pipeline, trouble }) =>
      [
        ...(trouble === undefined ? [] : [troubleInWords(camera, trouble, toTime)]),
        renderCounts(seen),
        `Frame: ${sizeInWords(seen)}, taken at ${formatLocalTime(seen.frame.timestamp, timeZone)}.`,
        `Model: ${describeModels(seen.models)}`,
        ...(pipeline === undefined ? [] : [`Seen by: ${pipeline.name}. ${pipeline.description}`]),
        ...renderBoxes(seen),
      ].join("\n"),
  });
}
