// camera name → live address → frames, for as long as someone looks
import type { FrameResult } from "@vision-agent/protocol";
import type { DashboardApi } from "../api/dashboard-api.ts";
import {
  bodyChunks,
  type ConnectionState,
  type KeptConnection,
  keepConnected,
  type Timekeeper,
} from "../api/keep-connected.ts";
import { boundaryOf, createMultipartReader } from "./multipart-reader.ts";

/**
 * Browsers open six connections to an HTTP/1.1 server. Three are for pictures, the rest for the event stream,
 * a running answer, and everything short, so that "stop" never waits behind a video.
 */
export const LIVE_CONNECTIONS = 3;
const TURN_PAUSE_MS = 100;

const slots = createConnectionSlots(LIVE_CONNECTIONS);

export interface LiveConnectionOptions {
  readonly api: Pick<DashboardApi, "live">;
  readonly camera: string;
  /** True when more cameras are on the page than connections: each takes one picture in its turn. */
  readonly takeTurns: boolean;
  readonly time: Timekeeper;
  readonly onFrame: (frame: StreamedFrame) => void;
  readonly onState: (state: ConnectionState) => void;
}

export function openLiveConnection(options: LiveConnectionOptions): KeptConnection {
  const { api, camera, takeTurns, time, onFrame, onState } = options;

  const readOnce = async (opened: () => void, signal: AbortSignal): Promise<void> => {
    const giveBack = await slots.take(signal);
    // Ending the body early needs an abort of its own, else the socket stays taken.
    const done = new AbortController();
    try {
      const response = await api.live(camera, AbortSignal.any([signal, done.signal]));
      opened();
      await readLiveFrames(response, (frame) => {
        onFrame(frame);
        return takeTurns ? "enough" : undefined;
      });
    } finally {
      done.abort();
      giveBack();
    }
  };

  return keepConnected({
    onState,
    time,
    connect: async (opened, signal) => {
      do {
        await readOnce(opened, signal);
        if (takeTurns) await time.wait(TURN_PAUSE_MS, signal);
      } while (takeTurns && !signal.aborted);
    },
  });
}

/** A picture and what was found in that very picture. */
export interface StreamedFrame {
  readonly result: FrameResult;
  readonly jpeg: Uint8Array<ArrayBuffer>;
}

/** Gives each frame to `onFrame`; ends when the stream ends, or when `onFrame` returns "enough". */
export async function readLiveFrames(
  response: Response,
  onFrame: (frame: StreamedFrame) => "enough" | undefined,
): Promise<void> {
  const reader = createMultipartReader(boundaryOf(response.headers.get("Content-Type")));
  const decoder = new TextDecoder();
  let result: FrameResult | undefined;
  for await (const chunk of bodyChunks(response)) {
    for (const part of reader.push(chunk)) {
      if (part.contentType === "application/json") {
        result = JSON.parse(decoder.decode(part.body)) as FrameResult;
      } else if (result !== undefined) {
        if (onFrame({ result, jpeg: part.body }) === "enough") return;
        result = undefined;
      }
    }
  }
}

/** A few places that more users take turns in. */
export function createConnectionSlots(count: number) {
  let free = count;
  const queue: (() => void)[] = [];

  const handOver = (): (() => void) => {
    let mine = true;
    return () => {
      if (!mine) return;
      mine = false;
      free += 1;
      queue.shift()?.();
    };
  };

  return {
    /** Waits for a place; the answer gives it back, once. Throws the signal's reason when it aborts first. */
    take: (signal: AbortSignal): Promise<() => void> =>
      new Promise((done, fail) => {
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          free -= 1;
          done(handOver());
        };
        const leave = (): void => {
          const place = queue.indexOf(enter);
          if (place >= 0) queue.splice(place, 1);
          fail(signal.reason);
        };
        if (signal.aborted) return fail(signal.reason);
        signal.addEventListener("abort", leave, { once: true });
        if (free > 0) enter();
        else queue.push(enter);
      }),
  };
}
