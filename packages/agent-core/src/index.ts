// Words
export type { Json, JsonSchema } from "./types/json.ts";
export type { Clock, IdSource } from "./types/clock.ts";
export { AgentError, type AgentErrorOptions, type ErrorKind, type ErrorView, toAgentError } from "./types/errors.ts";
