// GET /api/stream → the lists of the page, for as long as someone looks
import { useQueryClient } from "@tanstack/react-query";
import type { AppEvent } from "@vision-agent/protocol";
import { useEffect, useRef, useState } from "react";
import { useApp } from "./app-context.ts";
import type { DashboardApi } from "./dashboard-api.ts";
import {
  type ConnectionState,
  type KeptConnection,
  keepConnected,
  readServerEvents,
  type Timekeeper,
  whileVisible,
} from "./keep-connected.ts";
import { applyEvent } from "./queries.ts";

export interface EventStreamOptions {
  readonly api: Pick<DashboardApi, "eventStream">;
  readonly time: Timekeeper;
  readonly onEvent: (event: AppEvent) => void;
  /** Each `open` means that events may have been missed before it. */
  readonly onState: (state: ConnectionState) => void;
}

export function openEventStream({ api, time, onEvent, onState }: EventStreamOptions): KeptConnection {
  return keepConnected({
    onState,
    time,
    connect: async (opened, signal) => {
      const response = await api.eventStream(signal);
      opened();
      await readServerEvents(response, ({ data }) => onEvent(JSON.parse(data) as AppEvent));
    },
  });
}

export interface EventStreamView {
  readonly state: ConnectionState;
  readonly retryNow: () => void;
}

/** Keeps the lists fresh while the page is visible. */
export function useEventStream(): EventStreamView {
  const { api, time } = useApp();
  const cache = useQueryClient();
  const kept = useRef<KeptConnection>(undefined);
  const [state, setState] = useState<ConnectionState>({ kind: "connecting" });

  useEffect(
    () =>
      whileVisible(document, () => {
        const stream = openEventStream({
          api,
          time,
          onEvent: (event) => applyEvent(cache, event),
          onState: (next) => {
            setState(next);
            // What happened while nobody listened is read from the lists.
            if (next.kind === "open") void cache.invalidateQueries();
          },
        });
        kept.current = stream;
        return () => stream.stop();
      }),
    [api, time, cache],
  );

  return { state, retryNow: () => kept.current?.retryNow() };
}
