import { createContext, useContext } from "react";
import type { HouseApi } from "./house-api.ts";
import type { Timekeeper } from "./keep-connected.ts";

/** What every view needs from outside. */
export interface House {
  readonly api: HouseApi;
  readonly time: Timekeeper;
}

const HouseContext = createContext<House | undefined>(undefined);

export const HouseProvider = HouseContext.Provider;

export function useHouse(): House {
  const house = useContext(HouseContext);
  if (house === undefined) throw new Error("useHouse needs a HouseProvider above it.");
  return house;
}
