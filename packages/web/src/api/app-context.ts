import { createContext, useContext } from "react";
import type { DashboardApi } from "./dashboard-api.ts";
import type { Timekeeper } from "./keep-connected.ts";

/** What every view needs from outside. */
export interface DashboardServices {
  readonly api: DashboardApi;
  readonly time: Timekeeper;
}

const ServicesContext = createContext<DashboardServices | undefined>(undefined);

export const AppProvider = ServicesContext.Provider;

export function useApp(): DashboardServices {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error("useApp needs an AppProvider above it.");
  return services;
}
