import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { applyHouseEvent } from "../api/house-cache.ts";
import { useHouse } from "../api/house-context.ts";
import { openHouseStream } from "../api/house-stream.ts";
import type { ConnectionState, KeptConnection } from "../api/keep-connected.ts";
import { whileVisible } from "../api/while-visible.ts";

export interface HouseConnection {
  readonly state: ConnectionState;
  readonly retryNow: () => void;
}

/** Keeps the lists of the house fresh while the page is seen. */
export function useHouseStream(): HouseConnection {
  const { api, time } = useHouse();
  const cache = useQueryClient();
  const kept = useRef<KeptConnection>(undefined);
  const [state, setState] = useState<ConnectionState>({ kind: "connecting" });

  useEffect(
    () =>
      whileVisible(document, () => {
        const stream = openHouseStream({
          api,
          time,
          onEvent: (event) => applyHouseEvent(cache, event),
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
