// camera address → who reads it: the server, or this machine, which then sends pixels to a session
import { stat } from "node:fs/promises";
import type { SessionFrame, SessionSource } from "@vision-agent/inference-client";
import { type Frame, type FrameSource, type OpenSourceOptions, parseSourceAddress } from "@vision-agent/vision-engine";
import { reasonOf } from "../workspace/kinded-error.ts";
import type { OpenSource } from "./still-picture.ts";

/** Larger pictures cost more to send than a detector sees in them. */
const LONGEST_SIDE = 1280;
const USUAL_FPS = 15;
const MOST_FPS = 30;

/** Why a camera gives no more frames. */
export type FramesEnd = { readonly kind: "ended" } | { readonly kind: "lost"; readonly reason: string };

export interface LocalFrames {
  /** Even, as video needs it. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Gives frames until the source ends, is lost, or the signal fires. Never rejects. */
  pump(push: (frame: SessionFrame) => void, signal: AbortSignal): Promise<FramesEnd>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface LocalFramesOptions {
  readonly address: string;
  readonly sourceId: string;
  readonly maxFps: number | undefined;
  readonly openSource: OpenSource;
  readonly clock: OpenSourceOptions["clock"];
  /** Of the first opening; see `openSource`. */
  readonly openedAt: number;
  readonly signal: AbortSignal;
}

/** Throws `EngineError` kind `source` when the camera does not open. */
export async function openLocalFrames(options: LocalFramesOptions): Promise<LocalFrames> {
  const { address, sourceId, clock, openedAt, signal } = options;
  const maxFps = options.maxFps ?? MOST_FPS;
  // A video file keeps its own time here: it plays like a camera.
  const pace = "live";
  const source = await options.openSource(address, {
    sourceId,
    clock,
    openedAt,
    signal,
    maxFps,
    maxEdge: LONGEST_SIDE,
    pace,
  });
  return {
    width: even(source.width),
    height: even(source.height),
    fps: Math.min(source.fps || USUAL_FPS, maxFps),
    pump: (push, stopped) => pump(source, { push, maxFps, signal: stopped }),
    close: () => source.close(),
  };
}

interface Pump {
  readonly push: (frame: SessionFrame) => void;
  readonly maxFps: number;
  readonly signal: AbortSignal;
}

async function pump(source: FrameSource, { push, maxFps, signal }: Pump): Promise<FramesEnd> {
  // A little early is in time: cameras do not tick exactly.
  const leastGapMs = 900 / maxFps;
  let lastAt = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      const frame = await source.next(signal);
      if (frame === undefined) return { kind: "ended" };
      const capturedAt = Date.parse(frame.metadata.timestamp);
      if (capturedAt - lastAt < leastGapMs) continue;
      lastAt = capturedAt;
      push({ kind: "rgba", bytes: evenPixels(frame), capturedAt });
    }
  } catch (error) {
    return { kind: "lost", reason: reasonOf(error) };
  }
}

/** A copy, for the source uses its memory again; an odd last column or row is left out. */
function evenPixels({ rgba, metadata }: Frame): Uint8Array {
  const width = even(metadata.width);
  const height = even(metadata.height);
  const pixels = new Uint8Array(width * height * 4);
  if (width === metadata.width) pixels.set(rgba.subarray(0, pixels.length));
  else {
    for (let y = 0; y < height; y += 1) {
      const start = y * metadata.width * 4;
      pixels.set(rgba.subarray(start, start + width * 4), y * width * 4);
    }
  }
  return pixels;
}

function even(side: number): number {
  return side - (side % 2);
}

/** `frames`: read here and pushed. */
export type WebRtcSource = Exclude<SessionSource, { kind: "frames" }> | { readonly kind: "frames" };

/** Throws `EngineError` kind `source` for what nobody can open. */
export async function toWebRtcSource(address: string): Promise<WebRtcSource> {
  const parsed = parseSourceAddress(address);
  switch (parsed.kind) {
    case "rtsp":
      return { kind: "rtsp", url: parsed.url };
    case "http":
      return isPublic(parsed.host) ? { kind: "mjpeg", url: parsed.url } : { kind: "frames" };
    case "path":
      // A picture is a video of one frame: as a track it would be over before the server looks.
      return (await isFile(parsed.path)) ? { kind: "file", path: parsed.path } : { kind: "frames" };
    case "sim":
    case "webcam":
      return { kind: "frames" };
  }
}

/** Servers since 1.8 read HTTP cameras of public addresses only, unless their operator allows others. */
function isPublic(host: string): boolean {
  if (host.includes(":")) return !/^(?:::1$|fe80:|f[cd])/i.test(host);
  if (/^\d+(?:\.\d+){3}$/.test(host)) {
    return !/^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    );
  }
  return host.includes(".") && !/\.(?:local|lan|home|internal|localhost)$/i.test(host);
}

/** What is missing is taken for a folder that the engine then fails to open, with its own words. */
async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined /* no such file */))?.isFile() === true;
}
