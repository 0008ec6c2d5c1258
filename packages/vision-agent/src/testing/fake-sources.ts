import { EngineError, type FrameSource } from "@vision-agent/vision-engine";
import type { OpenSource } from "../backends/still-picture.ts";

/** Cameras for tests: small grey pictures, without a program to decode them. */
export interface FakeSources {
  readonly open: OpenSource;
  /** Cameras that were opened and not let go. */
  readonly openNow: number;
  /** While set, cameras are lost and do not open. */
  failure: string | undefined;
}

const WIDTH = 64;
const HEIGHT = 48;
const FPS = 10;

/** Every address opens but those that begin with `nowhere:`. */
export function createFakeSources(): FakeSources {
  let openNow = 0;
  const sources: FakeSources = {
    failure: undefined,
    get openNow() {
      return openNow;
    },
    open: async (address, { sourceId, clock }) => {
      if (sources.failure !== undefined || address.startsWith("nowhere:")) throw lost(sources.failure);
      openNow += 1;
      let number = 0;
      let closed = false;
      const source: FrameSource = {
        label: address,
        width: WIDTH,
        height: HEIGHT,
        fps: FPS,
        dropped: 0,
        next: async (signal) => {
          signal.throwIfAborted();
          if (number > 0) await clock.sleep(1000 / FPS, signal);
          if (sources.failure !== undefined) throw lost(sources.failure);
          number += 1;
          const timestamp = new Date(clock.now()).toISOString();
          return {
            metadata: { source_id: sourceId, frame_number: number, timestamp, width: WIDTH, height: HEIGHT, fps: FPS },
            rgba: new Uint8ClampedArray(WIDTH * HEIGHT * 4).fill(128),
          };
        },
        close: async () => {
          if (!closed) openNow -= 1;
          closed = true;
        },
      };
      return source;
    },
  };
  return sources;
}

function lost(reason = "Nothing opens it."): EngineError {
  return new EngineError({ kind: "source", reason: "timeout", message: reason });
}
