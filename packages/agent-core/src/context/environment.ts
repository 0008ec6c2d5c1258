// tool results and the host → typed state, versioned → notes for the model
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { EnvironmentState, EnvPatch } from "../types/environment.ts";
import { type AgentError, agentError } from "../types/errors.ts";
import type { Json, JsonSchema } from "../types/json.ts";
import type { ToolResultPart } from "../types/message.ts";
import { renderDiff, renderSnapshot } from "./environment-render.ts";
import { toPointer, valueAt, withAppended, without, withValue } from "./json-pointer.ts";
import { createReducerRegistry, type ReducerRegistry } from "./reducers.ts";
import { createCharCounter, type TokenCounter } from "./token-counter.ts";

/** Patches that made one version out of the one before. */
export interface EnvChange {
  readonly version: number;
  readonly patches: readonly EnvPatch[];
  readonly cause: string;
}

/** What the model is told of the state. */
export interface EnvNote {
  readonly kind: "snapshot" | "diff";
  /** Empty when there is nothing to say, or no room to say it. */
  readonly text: string;
  /** Pointers of what had no room. */
  readonly dropped: readonly string[];
}

/** What the agent knows of its world: a state with versions. */
export type Environment = Pick<PatchedEnvironment, keyof PatchedEnvironment>;

/** AF-2: any part of the sections, the rest of them is empty; and whatever else JSON holds, under names of its own. */
export type InitialState =
  | EnvironmentState
  | ({ readonly [K in keyof EnvironmentState]?: Partial<EnvironmentState[K]> } & { readonly [name: string]: unknown });

/** How an environment begins, what it allows and how it learns. */
export interface EnvironmentOptions {
  /** Default: all sections empty. */
  readonly initial?: InitialState;
  /** AF-3: of the whole state; checked at every change, and at the beginning. */
  readonly schema?: JsonSchema;
  /** Default: `directory_tree`, `search`, and a fallback for all others. */
  readonly reducers?: ReducerRegistry;
  /** For `toContext`. Default `createCharCounter()`. */
  readonly counter?: TokenCounter;
}

/** Changes that are remembered for diffs. */
const KEEP_CHANGES = 500;

/** Throws `AgentError` kind `invalid`, code `env_invalid`, when the beginning does not fit the schema. */
export function createEnvironment(options: EnvironmentOptions = {}): Environment {
  const state = frozen(withDefaults(options.initial ?? {}));
  const check = createStateCheck(options.schema);
  check(state);
  return new PatchedEnvironment({ state, version: 0, check, options });
}

/** AF-17: what `toJSON` gave. Throws `AgentError` kind `invalid`, code `env_invalid`, for anything else. */
export function environmentFromJson(json: Json, options: Omit<EnvironmentOptions, "initial"> = {}): Environment {
  const version = valueAt(json, "/version");
  const state = valueAt(json, "/state");
  if (typeof version !== "number" || state === undefined) {
    throw invalid("An environment is written as { version, state }; this is not one.");
  }
  const check = createStateCheck(options.schema);
  check(state);
  return new PatchedEnvironment({ state: frozen(state), version, check, options });
}

/** Invariant 8: the lines of a transcript, applied in order, give the same state and version again. */
export function replayEnvironment(entries: readonly TranscriptEntry[], options: EnvironmentOptions = {}): Environment {
  let state: Json = withDefaults(options.initial ?? {});
  let version = 0;
  const changes: EnvChange[] = [];
  for (const entry of entries) {
    if (entry.type !== "env") continue;
    state = entry.patches.reduce(withPatch, state);
    version = entry.version;
    changes.push({ version, patches: entry.patches, cause: entry.cause });
  }
  // What was written was checked then; a schema that changed since must not lock the session.
  const check = createStateCheck(options.schema);
  return new PatchedEnvironment({ state: frozen(state), version, check, options, changes });
}

type Start = {
  readonly state: Json;
  readonly version: number;
  readonly check: StateCheck;
  readonly options: EnvironmentOptions;
  readonly changes?: readonly EnvChange[];
};

/** AF-1: the world as the agent knows it. Every change goes through `apply`; one that is not valid throws and changes nothing. */
class PatchedEnvironment {
  readonly #check: StateCheck;
  readonly #reducers: ReducerRegistry;
  readonly #counter: TokenCounter;
  #state: Json;
  #version: number;
  #changes: readonly EnvChange[];

  constructor(start: Start) {
    this.#state = start.state;
    this.#version = start.version;
    this.#check = start.check;
    this.#reducers = start.options.reducers ?? createReducerRegistry();
    this.#counter = start.options.counter ?? createCharCounter();
    this.#changes = start.changes?.slice(-KEEP_CHANGES) ?? [];
  }

  /** Begins at 0 and grows by one with every change. */
  get version(): number {
    return this.#version;
  }

  /** AF-13: frozen; read a section as `state.task`. */
  get state(): EnvironmentState {
    return this.#state as unknown as EnvironmentState;
  }

  /** AF-6: by JSON Pointer; undefined when there is nothing. */
  get<T = Json>(pointer: string): T | undefined {
    return valueAt(this.#state, pointer) as T | undefined;
  }

  set(pointer: string, value: Json): void {
    this.apply([{ op: "set", path: pointer, value }], "set");
  }

  /** AF-13: changes some fields of a section. */
  update<K extends keyof EnvironmentState>(section: K, fields: Partial<EnvironmentState[K]>): void {
    const patches = Object.entries(fields).map(
      ([name, value]): EnvPatch =>
        value === undefined
          ? { op: "remove", path: toPointer(section, name) }
          : { op: "set", path: toPointer(section, name), value: value as Json },
    );
    this.apply(patches, `update ${section}`);
  }

  /** All patches or none; gives the new version. `cause` says why, for the transcript. */
  apply(patches: readonly EnvPatch[], cause: string): number {
    if (patches.length === 0) return this.#version;
    // A copy: what the caller does with its objects afterwards changes nothing here.
    const own = frozen(patches as unknown as Json) as unknown as readonly EnvPatch[];
    const next = frozen(own.reduce(withPatch, this.#state));
    this.#check(next);
    this.#state = next;
    this.#version += 1;
    this.#changes = [...this.#changes, { version: this.#version, patches: own, cause }].slice(-KEEP_CHANGES);
    return this.#version;
  }

  getExtension<T = Json>(name: string): T | undefined {
    return this.get<T>(toPointer("extensions", name));
  }

  setExtension(name: string, value: Json): void {
    this.apply([{ op: "set", path: toPointer("extensions", name), value }], `extension ${name}`);
  }

  /** AF-5: what the tool's reducer makes of the result, or of its text; gives what was applied. */
  updateFromToolResult(toolName: string, result: ToolResultPart | string): readonly EnvPatch[] {
    const part = typeof result === "string" ? toResultPart(toolName, result) : result;
    const patches = this.#reducers.reduce(toolName, part, this.state);
    this.apply(patches, `tool ${toolName}`);
    return patches;
  }

  /** What changed after `version`, oldest first; undefined when it is no longer known. */
  changesSince(version: number): readonly EnvChange[] | undefined {
    if (version === this.#version) return [];
    const oldest = this.#changes[0]?.version;
    if (version > this.#version || oldest === undefined || version < oldest - 1) return undefined;
    return this.#changes.filter((change) => change.version > version);
  }

  /** AF-7: within `maxTokens`. A diff since a version, unless a snapshot is shorter or the version is forgotten. */
  toContext(maxTokens: number, sinceVersion?: number): EnvNote {
    const changes = sinceVersion === undefined ? undefined : this.changesSince(sinceVersion);
    if (changes?.length === 0) return { kind: "diff", text: "", dropped: [] };
    const space = { maxTokens, counter: this.#counter };
    const snapshot: EnvNote = { kind: "snapshot", ...renderSnapshot(this.#state, this.#version, space) };
    if (changes === undefined) return snapshot;
    const diff: EnvNote = { kind: "diff", ...renderDiff(changes, space) };
    const snapshotIsBetter =
      diff.dropped.length > 0 || this.#counter.text(diff.text) > this.#counter.text(snapshot.text);
    return snapshotIsBetter ? snapshot : diff;
  }

  /** AF-17: `{ version, state }`; `environmentFromJson` reads it. */
  toJSON(): Json {
    return { version: this.#version, state: this.#state };
  }
}

function toResultPart(toolName: string, text: string): ToolResultPart {
  return { type: "tool_result", callId: "", toolName, outcome: "ok", content: [{ type: "text", text }] };
}

function withPatch(state: Json, patch: EnvPatch): Json {
  switch (patch.op) {
    case "set":
      return withValue(state, patch.path, patch.value);
    case "append":
      return withAppended(state, patch.path, patch.value);
    case "remove":
      return without(state, patch.path);
  }
}

function withDefaults(initial: InitialState): Json {
  return {
    ...initial,
    system: { workingDirectory: "", permissions: [], resources: {}, ...initial.system },
    task: { objective: "", status: "not_started", stepsCompleted: 0, stepsTotal: 0, ...initial.task },
    knowledge: { discoveredFacts: [], sources: {}, keyConcepts: [], ...initial.knowledge },
    workspace: { files: {}, artifacts: [], ...initial.workspace },
    extensions: { ...initial.extensions },
  } as unknown as Json;
}

/** Values that were copied and frozen here. */
const ours = new WeakSet<object>();

/** A frozen copy. What is ours already is shared, not copied: a change costs as much as it changes. */
function frozen(value: Json): Json {
  if (typeof value !== "object" || value === null || ours.has(value)) return value;
  const defined = Object.entries(value).filter(([, child]) => child !== undefined);
  const copy = Array.isArray(value)
    ? value.map(frozen)
    : Object.fromEntries(defined.map(([key, child]) => [key, frozen(child)]));
  ours.add(copy);
  return Object.freeze(copy) as Json;
}

const TEXT: JsonSchema = { type: "string" };
const TEXTS: JsonSchema = { type: "array", items: TEXT };
const NAMED_TEXTS: JsonSchema = { type: "object", additionalProperties: TEXT };
const COUNT: JsonSchema = { type: "integer", minimum: 0 };

/** An object with these fields, all of them required but `optional`, and no others unless it is `open`. */
function section(required: JsonSchema, { optional = {}, open = false } = {}): JsonSchema {
  const properties = { ...required, ...optional };
  return { type: "object", additionalProperties: open, required: Object.keys(required), properties };
}

/** AF-8 … AF-12: the sections that every environment has. */
const SECTIONS_REQUIRED: JsonSchema = {
  system: section({ workingDirectory: TEXT, permissions: TEXTS, resources: NAMED_TEXTS }),
  task: section(
    {
      objective: TEXT,
      status: { enum: ["not_started", "in_progress", "completed", "failed"] },
      stepsCompleted: COUNT,
      stepsTotal: COUNT,
    },
    { optional: { currentStep: TEXT } },
  ),
  knowledge: section({ discoveredFacts: TEXTS, sources: NAMED_TEXTS, keyConcepts: TEXTS }, { open: true }),
  workspace: section({ files: { type: "object" }, artifacts: { type: "array" } }, { open: true }),
  extensions: { type: "object" },
};
const SECTIONS = section(SECTIONS_REQUIRED, { open: true });

/** Throws `AgentError` kind `invalid`, code `env_invalid`, when the state does not fit. */
type StateCheck = (state: Json) => void;

/** AF-3: the sections' own shape first, then the schema of the host. */
function createStateCheck(schema?: JsonSchema): StateCheck {
  const checks = (schema === undefined ? [SECTIONS] : [SECTIONS, schema]).map(compile);
  return (state) => {
    for (const check of checks) {
      if (check(state)) continue;
      const [first] = check.errors ?? [];
      const what = `${first?.instancePath || "the state"} ${first?.message ?? "is not valid"}`;
      throw invalid(`The environment does not allow this: ${what}. Nothing was changed.`);
    }
  };
}

/** Compiling takes far longer than checking, and every run makes an environment. */
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

function compile(document: JsonSchema): ValidateFunction {
  const known = compiled.get(document);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, logger: false });
  formats.default(ajv);
  const { $schema: _dialect, ...schema } = document;
  const check = ajv.compile(schema);
  compiled.set(document, check);
  return check;
}

function invalid(message: string): AgentError {
  return agentError("invalid", "env_invalid", message);
}
