// source → the words ffmpeg is started with
import type { RtspTransport, WebcamAddress } from "../source-address.ts";

/** What ffmpeg is to read. */
export type FfmpegInput =
  | { readonly kind: "video"; readonly path: string }
  | { readonly kind: "rtsp"; readonly url: string; readonly transport: RtspTransport }
  | { readonly kind: "http"; readonly url: string }
  | { readonly kind: "webcam"; readonly webcam: WebcamAddress; readonly platform: NodeJS.Platform };

export interface FfmpegOptions {
  /** Reads a file at its own rate. */
  readonly realTime: boolean;
  /** Most frames per second; absent means all. */
  readonly maxFps?: number;
  /** Longest side of the pictures; larger ones are made smaller. */
  readonly maxEdge?: number;
  /** The longest wait for the network. */
  readonly timeoutMs: number;
}

/** Up to and with `-i`. */
export function inputArguments(input: FfmpegInput, timeoutMs: number): readonly string[] {
  const timeout = String(Math.round(timeoutMs * 1000));
  switch (input.kind) {
    case "video":
      // The scheme keeps a path with a colon from being taken for a protocol.
      return ["-i", `file:${input.path}`];
    case "rtsp":
      return ["-rtsp_transport", input.transport, "-timeout", timeout, "-i", input.url];
    case "http":
      return ["-rw_timeout", timeout, "-i", input.url];
    case "webcam":
      return webcamArguments(input.webcam, input.platform);
  }
}

/** Raw RGBA frames on standard output, and for each a line of `showinfo` in the log before it. */
export function ffmpegArguments(input: FfmpegInput, options: FfmpegOptions): readonly string[] {
  const { maxFps, maxEdge } = options;
  const filters = [
    ...(maxFps === undefined ? [] : [rateLimit(maxFps, isLive(input) || options.realTime)]),
    ...(maxEdge === undefined ? [] : [`scale=w='${shortened("iw", maxEdge)}':h='${shortened("ih", maxEdge)}'`]),
    "format=rgba",
    "showinfo=checksum=0",
  ];
  return [
    ...["-hide_banner", "-nostdin", "-nostats", "-loglevel", "info"],
    ...(options.realTime ? ["-re"] : []),
    ...inputArguments(input, options.timeoutMs),
    // `V` leaves out the cover pictures of music files.
    ...["-map", "0:V:0", "-vf", filters.join(","), "-fps_mode", "passthrough"],
    // The queue writes in a thread of its own: decoding goes on while the pipe is full.
    ...["-c:v", "rawvideo", "-f", "fifo", "-fifo_format", "rawvideo", "-queue_size", "3", "pipe:1"],
  ];
}

function isLive(input: FfmpegInput): boolean {
  return input.kind !== "video";
}

/** Cameras are measured by the clock, since MJPEG has no times of its own; a quarter of a step early still counts. */
function rateLimit(maxFps: number, live: boolean): string {
  const [now, step] = [live ? "time(0)" : "t", 1 / maxFps];
  return `select='if(gte(${now}+${step / 4},ld(0)),st(0,max(ld(0),${now})+${step})*0+1,0)'`;
}

function shortened(side: "iw" | "ih", maxEdge: number): string {
  return `max(1,round(${side}*min(1,${maxEdge}/max(iw,ih))))`;
}

function webcamArguments(webcam: WebcamAddress, platform: NodeJS.Platform): readonly string[] {
  const { device, width, height, fps, format } = webcam;
  const wishes = [
    ...(width === undefined || height === undefined ? [] : ["-video_size", `${width}x${height}`]),
    ...(fps === undefined ? [] : ["-framerate", String(fps)]),
  ];
  if (platform === "darwin") {
    return ["-f", "avfoundation", ...wishes, "-i", `${device.replace(/^\/dev\/video/, "")}:none`];
  }
  return ["-f", "v4l2", ...(format === undefined ? [] : ["-input_format", format]), ...wishes, "-i", device];
}
