// the lists that the views read, and what keeps them fresh
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { AppEvent } from "@vision-agent/protocol";
import type { DashboardApi } from "./dashboard-api.ts";

export const pipelinesKey = ["pipelines"] as const;
export const eventsKey = ["events"] as const;
export const alertsKey = ["alerts"] as const;
export const pausesKey = ["pauses"] as const;

const SLOW_CHANGE_MS = 30_000;
/** The event stream does not tell of pauses, and a person waits for them. */
const PAUSES_MS = 4000;

export const healthQuery = (api: DashboardApi) =>
  queryOptions({
    queryKey: ["health"],
    queryFn: ({ signal }) => api.health(signal),
    refetchInterval: SLOW_CHANGE_MS,
  });

export const camerasQuery = (api: DashboardApi) =>
  queryOptions({
    queryKey: ["cameras"],
    queryFn: ({ signal }) => api.cameras(signal),
    refetchInterval: SLOW_CHANGE_MS,
  });

export const pipelinesQuery = (api: DashboardApi) =>
  queryOptions({ queryKey: pipelinesKey, queryFn: ({ signal }) => api.pipelines(signal) });

export const eventsQuery = (api: DashboardApi) =>
  queryOptions({ queryKey: eventsKey, queryFn: ({ signal }) => api.events(signal) });

export const alertsQuery = (api: DashboardApi) =>
  queryOptions({ queryKey: alertsKey, queryFn: ({ signal }) => api.alerts(signal) });

export const pausesQuery = (api: DashboardApi) =>
  queryOptions({ queryKey: pausesKey, queryFn: ({ signal }) => api.pauses(signal), refetchInterval: PAUSES_MS });

export const sessionsQuery = (api: DashboardApi) =>
  queryOptions({ queryKey: ["sessions"], queryFn: ({ signal }) => api.sessions(signal) });

const KEPT = 1000;

/** Puts what the server reports into the lists, without asking for them again. */
export function applyEvent(cache: Pick<QueryClient, "setQueryData">, event: AppEvent): void {
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
