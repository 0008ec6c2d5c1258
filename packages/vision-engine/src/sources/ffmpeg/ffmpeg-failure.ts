// what ffmpeg complained about → one reason and one sentence

import type { ProbeFailure } from "@vision-agent/protocol";
import { type EngineError, sourceError } from "../../errors.ts";
import type { PixelSize } from "../../frames/frame.ts";
import { type FfmpegInput, MOST_VIDEO_PIXELS } from "./ffmpeg-arguments.ts";

/** `*` in a sentence stands for what was opened: "The camera", "The video file", … */
type Rule = readonly [pattern: RegExp, reason: ProbeFailure, sentence: string];

const SUBJECTS: Readonly<Record<FfmpegInput["kind"], string>> = {
  video: "The video file",
  rtsp: "The camera",
  http: "The camera",
  webcam: "The webcam",
};

const NO_VIDEO = "* answered with something that is no video.";
const UNKNOWN: Rule = [/^/, "other", "* could not be opened, and ffmpeg gave no known reason."];

/** In this order: a 401 is followed by lines that say less. */
const RULES: readonly Rule[] = [
  [
    /exceeds specified max pixel count/i,
    "no_video",
    `* has pictures of more than ${MOST_VIDEO_PIXELS / 1e6} megapixels; larger ones are not read.`,
  ],
  [
    /401 Unauthorized|authorization failed/i,
    "credentials",
    "The camera refused the user name or the password. Write them into the address, before the host: name:password@",
  ],
  [/403 Forbidden/i, "credentials", "The camera does not allow this user to see this stream (403)."],
  [
    /404 (?:Stream )?Not Found/i,
    "not_found",
    "The camera has no stream under this path (404). Look up its address in its manual.",
  ],
  [
    /461 Unsupported|Nonmatching transport/i,
    "other",
    "The camera does not offer this transport. Try the other one: ?transport=tcp or ?transport=udp.",
  ],
  [
    /Failed to resolve hostname|Name or service not known|nodename nor servname|Temporary failure in name resolution/i,
    "name_not_found",
    "There is no host of this name. Check the spelling, or write the number of its address.",
  ],
  [
    /Connection refused/i,
    "refused",
    "The host is there but refused the connection. Is the port right, and is streaming switched on?",
  ],
  [
    /No route to host|Network is unreachable|Host is down/i,
    "refused",
    "The host cannot be reached from this machine. Is it switched on and in the same network?",
  ],
  [/Device or resource busy/i, "busy", "The webcam is in use by another program. Close it and try again."],
  [
    /No such device|Cannot open video device|Input\/output error.*\/dev\/video|\/dev\/video\d+: No such file/i,
    "not_found",
    "There is no such webcam. Is it plugged in?",
  ],
  [/No such file or directory/i, "not_found", "* does not exist."],
  [/Permission denied/i, "not_readable", "* may not be read by this user."],
  [
    /Decoder \(codec [^)]*\) not found|no decoder found|Unknown decoder|Unsupported codec|unknown codec|codec none|Could not find codec parameters/i,
    "codec",
    "* uses a video format that this ffmpeg cannot decode, or sent too little of it to tell. H.264 and H.265 work.",
  ],
  [/matches no streams|does not contain any stream/i, "no_video", "* has no video in it."],
  [/Connection timed out|Operation timed out/i, "timeout", "* does not answer in time."],
  [/Unrecognized option 'fps_mode'/i, "no_decoder", "This ffmpeg is too old. Install version 5.1 or newer."],
  [
    /Protocol not found/i,
    "no_decoder",
    "This ffmpeg was built without the protocol of this address. Install a complete one.",
  ],
  [/End of file|Server returned 5\d\d|Connection reset/i, "other", "* ended the connection."],
  [
    /Invalid data found|moov atom not found|Invalid argument|could not seek|EBML header parsing failed/i,
    "no_video",
    NO_VIDEO,
  ],
];

/** Never shows a word of what ffmpeg wrote: it may hold credentials. */
export function toSourceFailure(complaints: string, input: FfmpegInput["kind"]): EngineError {
  const [, reason, sentence] = RULES.find(([pattern]) => pattern.test(complaints)) ?? UNKNOWN;
  const told = input === "video" && sentence === NO_VIDEO ? "* is damaged, or no video at all." : sentence;
  return sourceError(reason, told.replace("*", SUBJECTS[input]));
}

export function stalledFailure(input: FfmpegInput["kind"], stallMs: number, opened: boolean): EngineError {
  const seconds = Math.round(stallMs / 100) / 10;
  const what = opened ? "sent no picture" : "did not answer with a picture";
  return sourceError("timeout", `${SUBJECTS[input]} ${what} for ${seconds} s.`);
}

export function lostFailure(input: FfmpegInput["kind"], complaints: string): EngineError {
  const { reason } = toSourceFailure(complaints, input);
  const known = reason === "timeout" || reason === "refused" ? reason : "other";
  return sourceError(known, `${SUBJECTS[input]} ended the connection.`);
}

export function changedSizeFailure(input: FfmpegInput["kind"]): EngineError {
  return sourceError("other", `${SUBJECTS[input]} changed the size of its pictures.`);
}

/** The program itself could not be started. */
export function missingProgram(program: string, cause: unknown): EngineError {
  const message = `${program} is not installed, and videos and cameras need it. Install it with "apt install ffmpeg" (Debian, Ubuntu), "brew install ffmpeg" (macOS) or "winget install ffmpeg" (Windows).`;
  return sourceError("no_decoder", message, cause);
}

/** What is known about one decoded frame before its pixels are read. */
export interface DecodedStamp extends PixelSize {
  /** Seconds since the first frame. */
  readonly seconds: number;
}

export interface StreamLog {
  /** Takes text as it comes, in pieces of any length. Calls `onStamp` for each frame. */
  read(text: string): void;
  /** Frames per second; 0 when unknown. */
  readonly fps: number;
  /** Of the first video. */
  readonly codec: string | undefined;
  /** The source has an end. */
  readonly finite: boolean;
  /** Packets that could not be decoded. */
  readonly damaged: number;
  /** The last lines that speak of neither. They may hold credentials: for reading reasons, never for showing. */
  readonly complaints: string;
}

const CONFIG = /config in time_base: (\d+)\/(\d+), frame_rate: (\d+)\/(\d+)/;
const FRAME = /\bn:\s*\d+ pts:\s*(-?\d+|NOPTS)\s.*\ss:(\d+)x(\d+)\s/;
const DAMAGED = /^(?:\[[^\]]*\] )?Error (?:while decoding stream|submitting packet to decoder)/;
const MOST_COMPLAINTS = 40;

/** Reads what the filter `showinfo` and ffmpeg itself write at log level `info`. */
export function createStreamLog(onStamp: (stamp: DecodedStamp) => void): StreamLog {
  const complaints: string[] = [];
  let rest = "";
  let [fps, tick, damaged] = [0, 0, 0];
  let finite = false;
  let codec: string | undefined;
  let firstPts: number | undefined;

  function readShowInfo(line: string): void {
    const config = CONFIG.exec(line);
    if (config !== null) {
      const [tickOver, tickUnder, rateOver, rateUnder] = config.slice(1).map(Number) as [
        number,
        number,
        number,
        number,
      ];
      tick = tickOver / tickUnder;
      fps = rateUnder === 0 ? 0 : rateOver / rateUnder;
    }
    const [, pts, width, height] = FRAME.exec(line) ?? [];
    if (pts === undefined) return;
    const ticks = pts === "NOPTS" ? (firstPts ?? 0) : Number(pts);
    firstPts ??= ticks;
    onStamp({ seconds: (ticks - firstPts) * tick, width: Number(width), height: Number(height) });
  }

  function readLine(line: string): void {
    if (line.includes("[Parsed_showinfo_")) {
      readShowInfo(line);
      return;
    }
    // The first is that of the input.
    codec ??= /^\s*Stream #0:\d+.*: Video: (\w+)/.exec(line)?.[1];
    const duration = /^\s*Duration: (\S+),/.exec(line)?.[1];
    if (duration !== undefined) finite = duration !== "N/A";
    if (DAMAGED.test(line)) damaged += 1;
    complaints.push(line.slice(0, 500));
    if (complaints.length > MOST_COMPLAINTS) complaints.shift();
  }

  return {
    read(text) {
      const lines = (rest + text).split(/\r?\n|\r/);
      rest = lines.pop()!.slice(-4000);
      for (const line of lines) readLine(line);
    },
    get fps() {
      return fps;
    },
    get codec() {
      return codec;
    },
    get finite() {
      return finite;
    },
    get damaged() {
      return damaged;
    },
    get complaints() {
      return [...complaints, rest].join("\n");
    },
  };
}
