import { queryOptions } from "@tanstack/react-query";
import type { HouseApi } from "./house-api.ts";

export const pipelinesKey = ["pipelines"] as const;
export const eventsKey = ["events"] as const;
export const alertsKey = ["alerts"] as const;

const SLOW_CHANGE_MS = 30_000;

export const healthQuery = (api: HouseApi) =>
  queryOptions({
    queryKey: ["health"],
    queryFn: ({ signal }) => api.health(signal),
    refetchInterval: SLOW_CHANGE_MS,
  });

export const camerasQuery = (api: HouseApi) =>
  queryOptions({
    queryKey: ["cameras"],
    queryFn: ({ signal }) => api.cameras(signal),
    refetchInterval: SLOW_CHANGE_MS,
  });

export const pipelinesQuery = (api: HouseApi) =>
  queryOptions({ queryKey: pipelinesKey, queryFn: ({ signal }) => api.pipelines(signal) });

export const eventsQuery = (api: HouseApi) =>
  queryOptions({ queryKey: eventsKey, queryFn: ({ signal }) => api.events(signal) });

export const alertsQuery = (api: HouseApi) =>
  queryOptions({ queryKey: alertsKey, queryFn: ({ signal }) => api.alerts(signal) });

export const sessionsQuery = (api: HouseApi) =>
  queryOptions({ queryKey: ["sessions"], queryFn: ({ signal }) => api.sessions(signal) });
