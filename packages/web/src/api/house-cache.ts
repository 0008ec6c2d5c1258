// house events → the lists the views read

import type { QueryClient } from "@tanstack/react-query";
import type { HouseEvent } from "@vision-agent/protocol";
import { alertsKey, eventsKey, pipelinesKey } from "./house-queries.ts";

const KEPT = 1000;

/** Puts what the house reports into the lists, without asking for them again. */
export function applyHouseEvent(cache: Pick<QueryClient, "setQueryData">, event: HouseEvent): void {
  switch (event.type) {
    case "pipelines":
      cache.setQueryData(pipelinesKey, event.pipelines);
      return;
    case "scene_event":
      cache.setQueryData(eventsKey, (list: readonly { id: string }[] | undefined) => addNewest(list, event.event));
      return;
    case "alert":
      cache.setQueryData(alertsKey, (list: readonly { id: string }[] | undefined) => addNewest(list, event.alert));
      return;
  }
}

/** Newest first, each id once, and no longer than a page can use. */
export function addNewest<T extends { readonly id: string }>(list: readonly T[] = [], item: T): readonly T[] {
  return [item, ...list.filter(({ id }) => id !== item.id)].slice(0, KEPT);
}
