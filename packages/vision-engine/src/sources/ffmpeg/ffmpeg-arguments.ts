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
  /** A folder into which the stream of a network camera is copied as well. */
  readonly recordTo?: string;
}

/** How a program is started. */
export interface ProgramCall {
  readonly words: readonly string[];
  /** Written to its standard input, which is closed then; absent gives it none. */
  readonly stdin?: string;
}

/** Containers of video, by the names of ffmpeg's demuxers. Not in it: playlists, texts, raw pixels, devices. */
const CONTAINERS =
  "mov,matroska,avi,mpegts,mpeg,mpegvideo,m4v,flv,asf,ogg,gif,mjpeg,mjpeg_2000,h264,hevc,obu,ivf,dv,mxf,nut,rm,wtv,vob,yuv4mpegpipe";
/** What a web server may send besides: streams of cameras, playlists of network addresses, single pictures. */
const WEB_FORMATS = `${CONTAINERS},mpjpeg,hls,dash,aac,mp3,ac3,eac3,webvtt,image2,jpeg_pipe,png_pipe,webp_pipe`;
const WEB_PROTOCOLS = "http,https,httpproxy,tcp,tls,crypto,data";
const RTSP_PROTOCOLS = "rtsp,rtsps,rtp,srtp,udp,tcp,tls";

/** 8K has 33 million. */
export const MOST_VIDEO_PIXELS = 36_000_000;

/** Up to and with `-i`. */
export function inputCall(input: FfmpegInput, timeoutMs: number): ProgramCall {
  const timeout = String(Math.round(timeoutMs * 1000));
  switch (input.kind) {
    case "video":
      // The scheme keeps a path with a colon from being taken for a protocol.
      return { words: [...allowed("file", CONTAINERS), "-i", `file:${input.path}`] };
    case "rtsp":
      return listed(
        input.url,
        { rtsp_transport: input.transport, timeout },
        allowed(`pipe,${RTSP_PROTOCOLS}`, "concat,rtsp"),
      );
    case "http":
      return listed(input.url, { rw_timeout: timeout }, allowed(`pipe,${WEB_PROTOCOLS}`, `concat,${WEB_FORMATS}`));
    case "webcam":
      return { words: ["-max_pixels", String(MOST_VIDEO_PIXELS), ...webcamArguments(input.webcam, input.platform)] };
  }
}

/** What an input may be: a source never decides by itself what else is opened. */
function allowed(protocols: string, formats: string): readonly string[] {
  const sizes = ["-max_pixels", String(MOST_VIDEO_PIXELS), "-probesize", "5000000"];
  return [...sizes, "-protocol_whitelist", protocols, "-format_whitelist", formats];
}

/**
 * Every user of the machine can read a command line, and a password may stand anywhere in an address: it goes in a
 * list of one, on standard input.
 * What would end its quotes or its line is percent-encoded.
 */
function listed(url: string, options: Readonly<Record<string, string>>, limits: readonly string[]): ProgramCall {
  const address = url.replace(/[\0- '\\\x7f]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  const lines = Object.entries(options).map(([name, value]) => `option ${name} ${value}\n`);
  return {
    words: [...limits, "-f", "concat", "-safe", "0", "-i", "pipe:0"],
    stdin: `ffconcat version 1.0\nfile '${address}'\n${lines.join("")}`,
  };
}

/** Raw RGBA frames on standard output, and for each a line of `showinfo` in the log before it. */
export function ffmpegCall(input: FfmpegInput, options: FfmpegOptions): ProgramCall {
  const { words, stdin } = inputCall(input, options.timeoutMs);
  const { maxFps, maxEdge } = options;
  const filters = [
    ...(maxFps === undefined ? [] : [rateLimit(maxFps, isLive(input) || options.realTime)]),
    ...(maxEdge === undefined ? [] : [`scale=w='${shortened("iw", maxEdge)}':h='${shortened("ih", maxEdge)}'`]),
    "format=rgba",
    "showinfo=checksum=0",
  ];
  const all = [
    ...["-hide_banner", "-nostdin", "-nostats", "-loglevel", "info"],
    ...(options.realTime ? ["-re"] : []),
    ...words,
    // `V` leaves out the cover pictures of music files.
    ...["-map", "0:V:0", "-vf", filters.join(","), "-fps_mode", "passthrough"],
    // The queue writes in a thread of its own: decoding goes on while the pipe is full.
    ...["-c:v", "rawvideo", "-f", "fifo", "-fifo_format", "rawvideo", "-queue_size", "3", "pipe:1"],
    ...(options.recordTo === undefined || !isCopied(input) ? [] : recordingWords(options.recordTo)),
  ];
  return stdin === undefined ? { words: all } : { words: all, stdin };
}

function isCopied({ kind }: FfmpegInput): boolean {
  return kind === "rtsp" || kind === "http";
}

/** About so long; a piece begins with a key frame. */
const PIECE_SECONDS = 10;

/**
 * Pieces of the stream as it comes, named by the second in which they begin. They are written in a thread of their own:
 * a disk that is slow or full costs pieces of the recording, never a picture.
 */
function recordingWords(folder: string): readonly string[] {
  const pieces = `segment_format=matroska:segment_time=${PIECE_SECONDS}:strftime=1:reset_timestamps=1`;
  return [
    ...["-map", "0:V:0", "-c:v", "copy", "-f", "fifo", "-fifo_format", "segment", "-format_opts", pieces],
    ...["-queue_size", "600", "-drop_pkts_on_overflow", "1", "-restart_with_keyframe", "1"],
    ...["-attempt_recovery", "1", "-recover_any_error", "1", "-max_recovery_attempts", "0", "-recovery_wait_time", "5"],
    `file:${folder.replaceAll("%", "%%")}/%s.mkv`,
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
