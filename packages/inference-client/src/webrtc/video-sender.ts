// pushed pictures → VP8 → packets, and which picture a result belongs to
import type { ClientError } from "../errors.ts";
import type { Peer } from "./peer.ts";
import { createPtsPairs } from "./pts-pairs.ts";
import type { PushedFrame } from "./session.ts";
import { createVideoEncoder } from "./video-encoder.ts";
import { toVp8Payloads } from "./vp8-rtp.ts";

const TICKS_PER_MS = 90;

export interface VideoSender {
  /** As `Session.push`. */
  push(frame: PushedFrame): boolean;
  /** When the picture was taken whose time the server tells, in ticks since the first. */
  capturedAt(ticks: number): number | undefined;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface VideoSenderOptions {
  readonly ffmpegPath: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly send: Peer["sendVideo"];
  /** Must not throw. */
  readonly onFailure: (error: ClientError) => void;
}

export function createVideoSender(options: VideoSenderOptions): VideoSender {
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
  return { push: encoder.push, capturedAt: taken.find, close: encoder.close };
}
