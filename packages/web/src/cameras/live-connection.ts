// camera name → live address → frames, for as long as someone looks
import type { HouseApi } from "../api/house-api.ts";
import { type ConnectionState, type KeptConnection, keepConnected, type Timekeeper } from "../api/keep-connected.ts";
import { type LiveFrame, readLiveFrames } from "./live-frames.ts";
import { createSlots } from "./slots.ts";

/**
 * Browsers open six connections to an HTTP/1.1 server. Three are for pictures, the rest for the house's events,
 * a running answer, and everything short, so that "stop" never waits behind a video.
 */
export const LIVE_CONNECTIONS = 3;
const TURN_PAUSE_MS = 100;

const slots = createSlots(LIVE_CONNECTIONS);

export interface LiveConnectionOptions {
  readonly api: Pick<HouseApi, "live">;
  readonly camera: string;
  /** True when more cameras are on the page than connections: each takes one picture in its turn. */
  readonly takeTurns: boolean;
  readonly time: Timekeeper;
  readonly onFrame: (frame: LiveFrame) => void;
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
