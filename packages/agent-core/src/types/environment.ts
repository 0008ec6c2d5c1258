import type { Json } from "./json.ts";

/** How far a task is. */
export type TaskStatus = "not_started" | "in_progress" | "completed" | "failed";

/** AF-8 … AF-14: what the agent knows of its world, in typed sections and named extensions. */
export interface EnvironmentState {
  readonly system: {
    readonly workingDirectory: string;
    readonly permissions: readonly string[];
    readonly resources: { readonly [name: string]: string };
  };
  readonly task: {
    readonly objective: string;
    readonly status: TaskStatus;
    readonly stepsCompleted: number;
    readonly stepsTotal: number;
    readonly currentStep?: string;
  };
  readonly knowledge: {
    readonly discoveredFacts: readonly string[];
    readonly sources: { readonly [name: string]: string };
    readonly keyConcepts: readonly string[];
    readonly [extra: string]: unknown;
  };
  readonly workspace: {
    readonly files: { readonly [name: string]: Json };
    readonly artifacts: readonly Json[];
    readonly [extra: string]: unknown;
  };
  readonly extensions: { readonly [name: string]: Json };
}

/** A change of the state. `path` is a JSON Pointer; `append` adds to a list. */
export type EnvPatch =
  | { readonly op: "set" | "append"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };
