// The application as a part of another program
export type { EnvironmentVariables } from "@vision-agent/agent-core";
export { findRunningApp } from "./find-running-app.ts";
export type { AppFlags, RunningApp } from "./interfaces/cli/app-flags.ts";
export { type AppOptions, startApp } from "./start-app.ts";
