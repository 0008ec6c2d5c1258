import type { FrameMetadata, FrameResult, Json, PipelineState, WorkflowSpec } from "@vision-agent/protocol";
import type { OutgoingPicture } from "../blocks/effects.ts";
import type { JpegPicture } from "../frames/jpeg.ts";
import type { Polygon } from "../geometry/polygons.ts";
import type { BufferStrategy, DropCounts } from "../sources/frame-source.ts";
import type { CameraHealthChange } from "../sources/health-monitor.ts";
import type { VideoPiece } from "../sources/piece-source.ts";

/** A camera of a pipeline. */
export interface PipelineSource {
  /** Name of the camera, used as `source_id` and as the video identifier of stateful blocks. */
  readonly sourceId: string;
  /** Address of the source, credentials included. `push://` waits for frames that the owner hands in. */
  readonly source: string;
  /** Parts of the picture that nobody may see; points are fractions of width and height. */
  readonly masks?: readonly Polygon[];
  /** What is read instead, one after the other, each from its own date on: a recording of the camera. Only in a replay. */
  readonly pieces?: readonly VideoPiece[];
  /** A folder into which the stream is copied, as `openSource` says. Not in a replay. Default: it is not. */
  readonly recordTo?: string;
}

/** What to run, on which camera. */
export interface PipelineOptions extends PipelineSource {
  /** Further cameras: one frame of each goes through the workflow together. */
  readonly moreSources?: readonly PipelineSource[];
  readonly workflow: WorkflowSpec;
  /** Values for the workflow's parameters. */
  readonly parameters?: { readonly [name: string]: Json };
  /** Raise for smoother counting, lower to save the machine. Default: the source's own rate, at most 30. */
  readonly maxFps?: number;
  /** Stop by itself after so many results; absent runs on. */
  readonly maxFrames?: number;
  /** How frames wait to be run. Default: files wait for their turn, of live sources only the newest counts. */
  readonly buffer?: Partial<BufferStrategy>;
  /**
   * `live` in the source's own time. `replay` every frame, as fast as the machine allows, on the time of the
   * recording: the same input gives the same output. Default `live`.
   */
  readonly timing?: "live" | "replay";
  /**
   * Models look only where and when something moves. `auto` does so for live sources and not for files and replays.
   * Default `auto`.
   */
  readonly motionGate?: "auto" | "on" | "off";
  /** Called for each result in order. Must not throw. */
  readonly onResult?: (result: FrameResult) => void;
  /** Called at each change of state, with the reason in a sentence. Must not throw. */
  readonly onState?: (state: PipelineState, reason?: string) => void;
  /** Called when a camera freezes, goes dark, is moved or comes back. Must not throw. */
  readonly onHealth?: (sourceId: string, health: CameraHealthChange) => void;
}

/** An encoded picture of one frame. */
export interface Picture extends JpegPicture {
  readonly frame: FrameMetadata;
}

/** Which picture, of which frame. A pipeline that came to its end keeps those of its last frame, 640 pixels at most. */
export interface PictureRequest {
  /** Name of an image output, such as an annotated picture; absent gives the frame as the camera saw it. */
  readonly output?: string;
  /** Absent gives the latest, of an output the latest that has a result. Undefined is answered when the frame is no longer kept (the last 32 are, fewer of large pictures). */
  readonly frameNumber?: number;
  /** Camera, where the pipeline has several. Default: the first. */
  readonly sourceId?: string;
  /** Longest side in pixels; absent keeps the size. */
  readonly maxEdge?: number;
}

/** One frame for a viewer: the picture and what was found in that very picture. */
export interface LiveFrame {
  readonly picture: Picture;
  readonly result: FrameResult;
}

/** A frame that the owner hands in. */
export interface PushedPixels {
  readonly width: number;
  readonly height: number;
  /** RGBA, 8 bits, rows from the top without padding. Copied. */
  readonly rgba: Uint8Array | Uint8ClampedArray;
  /** ISO 8601. Default: now. */
  readonly timestamp?: string;
}

/** How a pipeline is doing. */
export interface PipelineFigures {
  readonly state: PipelineState;
  readonly reason?: string;
  /** Results per second over the last 3 seconds. */
  readonly fps: number;
  readonly framesProcessed: number;
  /** Frames that were there and were not run, because the machine was behind or `maxFps` left them out; pauses do not count. */
  readonly framesDropped: number;
  /** The same by reason. */
  readonly drops: DropCounts;
  /** Results that `consume` was too late for. */
  readonly resultsLost: number;
  /** Cameras that are not well, by name. */
  readonly health: Readonly<Record<string, CameraHealthChange>>;
}

/** A workflow running on its sources, in a thread of its own. */
export interface Pipeline {
  figures(): PipelineFigures;
  /** The last results, oldest first; at most 256 are kept. */
  latest(count: number): readonly FrameResult[];
  /** Results not consumed before, oldest first. At most 256 wait; older ones are lost and counted. */
  consume(count?: number): readonly FrameResult[];
  picture(request?: PictureRequest): Promise<Picture | undefined>;
  /**
   * While at least one viewer is there frames are encoded, as fast as they are shown. `onFrame` must not throw.
   * Returns the way to leave, which may be called twice.
   */
  view(onFrame: (frame: LiveFrame) => void): () => void;
  /** Opens one more camera. Throws `EngineError` kind `source` when it does not open, `input` when the name is taken. */
  addSource(source: PipelineSource): Promise<void>;
  /** Lets a camera go. Throws `EngineError` kind `input` when there is none of that name. */
  removeSource(sourceId: string): Promise<void>;
  /** Hands in a frame for a `push://` source. Default: the first source. */
  push(frame: PushedPixels, sourceId?: string): void;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Resolves when the thread is gone. May be called twice. */
  stop(): Promise<void>;
  /** Resolves when the pipeline ended by itself, failed or was stopped; never rejects. */
  readonly ended: Promise<PipelineFigures>;
}

/** What every thread of an engine is told. Plain data: it travels between threads. */
export interface EngineSettings {
  /** Folder for models that were fetched. Default: `~/.cache/vision-agent/models`. */
  readonly modelFolder?: string;
  /** Folder with models of the owner: `<folder>/<id>/` holds `weights.onnx` and its description. */
  readonly localModelFolder?: string;
  /** Key for models and saved workflows of a Roboflow workspace. */
  readonly roboflowKey?: string;
  /** Where Roboflow's API is. Default: its own address. */
  readonly roboflowUrl?: string;
  /** Folder that sinks may write files into; absent writes none. */
  readonly sinkFolder?: string;
  /** Web requests of sinks reach public addresses only and follow no redirects. Default false. */
  readonly publicSinksOnly?: boolean;
  /** Certificate (PEM) of your own mail server. */
  readonly mailCa?: string;
  /** Address of a service that speaks S3, instead of Amazon's. */
  readonly s3Endpoint?: string;
}

/** Who is asked, and told, about what sinks send. */
export interface SinkHooks {
  /** Asked before a picture leaves through a sink; a rejection is a no. Absent allows all. */
  readonly allowPicture?: (picture: OutgoingPicture) => Promise<boolean>;
  /** A sink failed in the background. `sourceId` is the first camera of its pipeline. Must not throw. */
  readonly onSinkFailure?: (sourceId: string, message: string) => void;
}
