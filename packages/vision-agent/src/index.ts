// The application as a part of another program
export type { Environment } from "./config/environment.ts";
export { findRunningApp } from "./find-running-app.ts";
export type { AppFlags, RunningApp } from "./interfaces/cli/app-flags.ts";
export { type AppOptions, startApp } from "./start-app.ts";
