// The application as a part of another program
export type { Environment } from "./config/environment.ts";
export { findRunningHouse } from "./find-running-house.ts";
export type { HouseFlags, RunningHouse } from "./interfaces/cli/house-flags.ts";
export { type HouseOptions, startHouse } from "./start-house.ts";
