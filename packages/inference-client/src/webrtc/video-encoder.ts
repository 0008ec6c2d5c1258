// pushed pictures → ffmpeg → VP8 frames
import { type ClientError, clientError } from "../errors.ts";
import { type FfmpegChild, startFfmpeg } from "./ffmpeg-child.ts";
import { createIvfReader, ivfFrameHeader, ivfHeader } from "./ivf.ts";
import type { Peer } from "./peer.ts";
import { createPtsPairs } from "./pts-pairs.ts";
import type { SessionFrame } from "./session.ts";
import { toVp8Payloads } from "./vp8-rtp.ts";

/** Pictures that may be inside ffmpeg at once; more would only make results late. */
const MAX_UNDER_WAY = 8;
/** So many refused pictures without one that came out mean that none will. */
const MAX_REFUSED = 300;
/** A key frame so often: nobody can ask ffmpeg for one. */
const KEY_EVERY = 10;
const BITS_PER_PIXEL = 0.3;
const MIN_BITS_PER_SECOND = 500_000;
const NOTHING_CODED = "ffmpeg takes the pictures but gives no video back. They may be damaged.";

export interface VideoEncoderOptions {
  readonly ffmpegPath: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Must not throw. */
  readonly onFrame: (frame: { readonly bytes: Buffer; readonly capturedAt: number }) => void;
  /** Must not throw. */
  readonly onFailure: (error: ClientError) => void;
}

/** ffmpeg starts with the first picture, which decides between JPEG and pixels. */
export function createVideoEncoder(options: VideoEncoderOptions) {
  const { width, height } = options;
  const fps = Math.max(1, Math.round(options.fps));
  /** By the number of the picture. */
  const underWay = new Map<number, number>();
  let started: { readonly kind: SessionFrame["kind"]; readonly child: FfmpegChild } | undefined;
  let pushed = 0;
  let refusedInARow = 0;
  let closed = false;

  const read = createIvfReader(fps, ({ number, bytes }) => {
    const capturedAt = underWay.get(number);
    // Frames leave in order: an older one that is still here was damaged and left out.
    for (const older of underWay.keys()) if (older <= number) underWay.delete(older);
    refusedInARow = 0;
    if (capturedAt !== undefined) options.onFrame({ bytes, capturedAt });
  });

  function start(kind: SessionFrame["kind"]): FfmpegChild {
    const words = [...inputWords(kind, { width, height, fps }), ...outputWords({ width, height, fps })];
    const child = startFfmpeg({
      path: options.ffmpegPath,
      words,
      onOutput: read,
      onFailure: options.onFailure,
    });
    if (kind === "jpeg") child.write(ivfHeader({ fourcc: "MJPG", width, height, fps }));
    return child;
  }

  return {
    /** False when it is behind and the picture was dropped. Throws `ClientError` kind `invalid` for a wrong picture. */
    push(frame: SessionFrame): boolean {
      checkFrame(frame, options);
      if (started !== undefined && started.kind !== frame.kind)
        throw clientError(
          "invalid",
          `The first picture was ${started.kind}, this one is ${frame.kind}. Push one kind only.`,
        );
      if (closed) return false;
      if (underWay.size >= MAX_UNDER_WAY) {
        refusedInARow += 1;
        if (refusedInARow === MAX_REFUSED) options.onFailure(clientError("invalid", NOTHING_CODED));
        return false;
      }
      started ??= { kind: frame.kind, child: start(frame.kind) };
      const number = pushed++;
      underWay.set(number, frame.capturedAt);
      if (frame.kind === "jpeg") started.child.write(ivfFrameHeader({ number, bytes: frame.bytes.length }));
      started.child.write(frame.bytes);
      return true;
    },
    /** May be called twice. */
    async close(): Promise<void> {
      closed = true;
      underWay.clear();
      await started?.child.close();
    },
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

function inputWords(kind: SessionFrame["kind"], { width, height, fps }: Size): readonly string[] {
  // Nothing is probed: frames leave as soon as they come, and the first one is not lost.
  const quick = ["-probesize", "32", "-analyzeduration", "0", "-fpsprobesize", "0", "-threads", "1"];
  const format =
    kind === "jpeg"
      ? ["-f", "ivf"]
      : ["-f", "rawvideo", "-pixel_format", "rgba", "-video_size", `${width}x${height}`, "-framerate", `${fps}`];
  return [...quick, ...format, "-i", "pipe:0"];
}

function outputWords({ width, height, fps }: Size): readonly string[] {
  const bitsPerSecond = Math.max(MIN_BITS_PER_SECOND, Math.round(width * height * fps * BITS_PER_PIXEL));
  return [
    ...["-vf", `scale=${width}:${height},format=yuv420p`, "-fps_mode", "passthrough"],
    ...["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-lag-in-frames", "0", "-auto-alt-ref", "0"],
    ...["-error-resilient", "1", "-g", `${KEY_EVERY}`, "-b:v", `${bitsPerSecond}`, "-threads", "2"],
    ...["-flush_packets", "1", "-f", "ivf", "pipe:1"],
  ];
}

function checkFrame(frame: SessionFrame, { width, height }: { width: number; height: number }): void {
  const { bytes } = frame;
  if (frame.kind === "rgba" && bytes.length !== width * height * 4)
    throw clientError(
      "invalid",
      `${bytes.length} bytes are not the ${width} × ${height} pixels of the source with four bytes each.`,
    );
  if (frame.kind === "jpeg" && !(bytes[0] === 0xff && bytes[1] === 0xd8))
    throw clientError("invalid", "The picture is no JPEG file.");
}

const TICKS_PER_MS = 90;

export type VideoSender = ReturnType<typeof createVideoSender>;

export interface VideoSenderOptions extends Omit<VideoEncoderOptions, "onFrame"> {
  readonly send: Peer["sendVideo"];
}

export function createVideoSender(options: VideoSenderOptions) {
  const taken = createPtsPairs<number>();
  let sent = 0;
  let first: number | undefined;
  let lastTicks = -TICKS_PER_MS;
  const encoder = createVideoEncoder({
    ...options,
    onFrame({ bytes, capturedAt }) {
      first ??= capturedAt;
      // Time must grow, whatever the caller's clock does.
      const ticks = Math.max(lastTicks + TICKS_PER_MS, Math.round((capturedAt - first) * TICKS_PER_MS));
      lastTicks = ticks;
      taken.set(ticks, capturedAt);
      const payloads = toVp8Payloads(bytes, sent++);
      for (const [at, payload] of payloads.entries())
        options.send({ timestamp: ticks >>> 0, marker: at === payloads.length - 1, payload });
    },
  });
  return {
    ...encoder,
    /** When the picture was taken whose time the server tells, in ticks since the first. */
    capturedAt: taken.find,
  };
}
