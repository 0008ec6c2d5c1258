// the lists that the views read, and what keeps them fresh
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { AppEvent } from "@vision-agent/protocol";
import type { DashboardApi } from "./dashboard-api.ts";

export const pipelinesKey = ["pipelines"] as const;
export const eventsKey = ["events"] as const;
export const alertsKey = ["alerts"] as const;
export const pausesKey = ["pauses"] as const;

const SLOW_CHANGE_MS = 30_000;

type Ask<T> = (api: DashboardApi, signal: AbortSignal) => Promise<T>;
const query =
  <T>(queryKey: readonly string[], ask: Ask<T>, refetchInterval?: number) =>
  (api: DashboardApi) =>
    queryOptions({ queryKey, queryFn: ({ signal }) => ask(api, signal), refetchInterval });

export const meKey = ["me"] as const;
export const meQuery = query(meKey, (api, signal) => api.me(signal));
export const healthQuery = query(["health"], (api, signal) => api.health(signal), SLOW_CHANGE_MS);
export const camerasQuery = query(["cameras"], (api, signal) => api.cameras(signal), SLOW_CHANGE_MS);
export const pipelinesQuery = query(pipelinesKey, (api, signal) => api.pipelines(signal));
export const eventsQuery = query(eventsKey, (api, signal) => api.events(signal));
export const alertsQuery = query(alertsKey, (api, signal) => api.alerts(signal));
export const pausesQuery = query(pausesKey, (api, signal) => api.pauses(signal), SLOW_CHANGE_MS);
export const sessionsQuery = query(["sessions"], (api, signal) => api.sessions(signal));

const KEPT = 1000;

/** Puts what the server reports into the lists. */
export function applyEvent(cache: Pick<QueryClient, "setQueryData" | "invalidateQueries">, event: AppEvent): void {
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
    case "pauses":
      void cache.invalidateQueries({ queryKey: pausesKey });
      return;
  }
}

/** Newest first, each id once, and no longer than a page can use. */
export function addNewest<T extends { readonly id: string }>(list: readonly T[] = [], item: T): readonly T[] {
  return [item, ...list.filter(({ id }) => id !== item.id)].slice(0, KEPT);
}
