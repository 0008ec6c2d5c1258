// address → frames
import { sourceError } from "../errors.ts";
import type { Polygon } from "../geometry/polygons.ts";
import type { FfmpegInput } from "./ffmpeg/ffmpeg-arguments.ts";
import { openFfmpegSource } from "./ffmpeg/ffmpeg-source.ts";
import { probeVideo, runProgram } from "./ffmpeg/ffprobe.ts";
import type { BufferStrategy, FrameSource, SourceClock } from "./frame-source.ts";
import { maskSource } from "./mask-source.ts";
import { type FileKind, fileKind, parseSourceAddress, type SourceAddress } from "./source-address.ts";

/** How a camera is opened. */
export interface OpenSourceOptions {
  /** Name of the camera; becomes `source_id` of its frames. */
  readonly sourceId: string;
  readonly clock: SourceClock;
  /** Parts of the picture that are painted over before anybody sees them; points are fractions of width and height. */
  readonly masks?: readonly Polygon[];
  /**
   * `live` gives frames in their own time and leaves out what was missed; `as_fast_as_possible` gives every frame
   * without waiting, dated as if it had been waited for. Default: `live`, but video files as fast as they are taken.
   */
  readonly pace?: "live" | "as_fast_as_possible";
  /**
   * Milliseconds since 1970 of the first opening, to be handed in again when a lost source is opened anew, so that
   * simulated faults and scenes go on instead of starting over. The first frame of a file bears this date. Default: now.
   */
  readonly openedAt?: number;
  /** Ends the opening; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Most frames per second, chosen before they are converted: the cheapest place. Videos and cameras only. Default: all. */
  readonly maxFps?: number;
  /** Longest side of the pictures of videos and cameras; larger ones are made smaller. Default: as they are. */
  readonly maxEdge?: number;
  /** How frames wait. Default: files lose nothing (4 waiting), live sources give the newest (2 waiting). */
  readonly buffer?: Partial<BufferStrategy>;
  /** So long may the first frame of a video or camera take. Default 15 000. */
  readonly openMs?: number;
  /** So long without a frame and a camera is lost. Default 10 000. */
  readonly stallMs?: number;
  /** Gives a still image so often, without an end. Default: once. */
  readonly imageFps?: number;
  /** Whether a folder of pictures goes on with files that come later. Default true. */
  readonly followFolder?: boolean;
  /** Pictures with more pixels are refused. Default 100 megapixels. */
  readonly maxPixels?: number;
  /** Memory for frames, for example shared with other threads. Default: memory of this thread. */
  readonly allocate?: (bytes: number) => Uint8ClampedArray;
  /**
   * A folder into which the stream of a network camera (RTSP, HTTP) is copied as it comes, without a second connection:
   * Matroska files of about ten seconds, named by the Unix time of their beginning. Masks cannot be painted into a copy:
   * with masks nothing is copied. Default: nothing is.
   */
  readonly recordTo?: string;
  /** Default `ffmpeg` and `ffprobe`, wherever the system finds them. */
  readonly ffmpegPath?: string;
  readonly ffprobePath?: string;
}

const OPEN_MS = 15_000;
const STALL_MS = 10_000;

/** Opens a camera. Throws `EngineError` kind `source` with a reason when it cannot be opened. */
export async function openSource(address: string, options: OpenSourceOptions): Promise<FrameSource> {
  const { masks = [], recordTo, ...rest } = options;
  const copies = masks.length === 0 && recordTo !== undefined;
  return maskSource(await openBare(address, copies ? { ...rest, recordTo } : rest), masks);
}

async function openBare(address: string, options: OpenSourceOptions): Promise<FrameSource> {
  const parsed = parseSourceAddress(address);
  switch (parsed.kind) {
    case "sim":
      return openSim(address, options);
    case "path":
      return openPath(parsed.path, await fileKind(parsed.path, parsed.label), { ...options, label: parsed.label });
    case "rtsp":
    case "http":
    case "webcam":
      return openDecoded(toFfmpegInput(parsed), { ...options, label: parsed.label });
  }
}

/** What ffmpeg reads for a camera. */
export function toFfmpegInput(address: Extract<SourceAddress, { kind: "rtsp" | "http" | "webcam" }>): FfmpegInput {
  return address.kind === "webcam" ? { kind: "webcam", webcam: address, platform: process.platform } : address;
}

async function openSim(address: string, options: OpenSourceOptions): Promise<FrameSource> {
  // Loaded on demand: a thread that only starts pipelines draws no scenes.
  const { openSimSource } = await import("./sim/sim-source.ts");
  const { sourceId, clock, pace = "live", openedAt = clock.now() } = options;
  return openSimSource(address, { sourceId, clock, pace, firstOpenedAt: openedAt });
}

type LabelledOptions = OpenSourceOptions & { readonly label: string };

async function openPath(path: string, kind: FileKind, options: LabelledOptions): Promise<FrameSource> {
  if (kind === "video") return openDecoded({ kind: "video", path }, options);
  if (kind === "folder") {
    const { openImageFolder } = await import("./image-sources.ts");
    return openImageFolder({ ...options, path, follow: options.followFolder ?? true });
  }
  const { openStillImage } = await import("./image-sources.ts");
  return openStillImage({ ...options, path });
}

async function openDecoded(input: FfmpegInput, options: LabelledOptions): Promise<FrameSource> {
  const { clock, openedAt = clock.now(), openMs = OPEN_MS, ffprobePath = "ffprobe", pace } = options;
  if (input.kind === "webcam" && input.platform !== "linux" && input.platform !== "darwin") {
    const message = "Webcams can be opened on Linux and macOS only; use the camera's network address here.";
    throw sourceError("unknown_scheme", message);
  }
  const countFrames = async (): Promise<number | undefined> => {
    const asked = probeVideo(input, { ffprobePath, run: runProgram, timeoutMs: openMs });
    // The number is welcome, not needed; what is wrong with the file the decoder tells.
    return asked.then(({ totalFrames }) => totalFrames).catch(() => undefined);
  };
  return openFfmpegSource({
    ...options,
    input,
    openedAt,
    openMs,
    stallMs: options.stallMs ?? STALL_MS,
    platform: process.platform,
    ffmpegPath: options.ffmpegPath ?? "ffmpeg",
    realTime: input.kind === "video" && pace === "live",
    buffer: options.buffer ?? {},
    allocate: options.allocate ?? ((bytes) => new Uint8ClampedArray(bytes)),
    ...(input.kind === "video" && { totalFrames: countFrames }),
  });
}
