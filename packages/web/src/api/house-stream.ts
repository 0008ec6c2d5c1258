// GET /api/stream → the house's lists, for as long as someone looks
import type { HouseEvent } from "@vision-agent/protocol";
import type { HouseApi } from "./house-api.ts";
import { type ConnectionState, type KeptConnection, keepConnected, type Timekeeper } from "./keep-connected.ts";
import { readServerEvents } from "./server-events.ts";

export interface HouseStreamOptions {
  readonly api: Pick<HouseApi, "houseStream">;
  readonly time: Timekeeper;
  readonly onEvent: (event: HouseEvent) => void;
  /** Each `open` means that events may have been missed before it. */
  readonly onState: (state: ConnectionState) => void;
}

export function openHouseStream({ api, time, onEvent, onState }: HouseStreamOptions): KeptConnection {
  return keepConnected({
    onState,
    time,
    connect: async (opened, signal) => {
      const response = await api.houseStream(signal);
      opened();
      await readServerEvents(response, ({ data }) => onEvent(JSON.parse(data) as HouseEvent));
    },
  });
}
