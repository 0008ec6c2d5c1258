// what a tool is: its schema, what it is given, what it gives back

import type { PutOptions } from "../artifacts/artifact-store.ts";
import type { LLMClient, ToolDefinition } from "../llm/llm-client.ts";
import type { RetryBudget } from "../llm/retry.ts";
import type { ToolIntentRecord } from "../session/session-store.ts";
import type { EnvironmentState, EnvPatch } from "../types/environment.ts";
import { agentError } from "../types/errors.ts";
import type { AgentWarning } from "../types/events.ts";
import type { Json, JsonSchema } from "../types/json.ts";
import type {
  ArtifactRef,
  ImagePart,
  PauseRequest,
  Principal,
  TextPart,
  ToolCall,
  ToolResultPart,
} from "../types/message.ts";
import {
  findTopProblem,
  isStandardSchema,
  type SchemaLiteral,
  type StandardJsonSchema,
  type StandardSchema,
  toJsonSchema,
} from "../types/standard-schema.ts";

/** What a tool is told beside its arguments. */
export interface ToolContext {
  /** Fires when the run is cancelled or the tool's time is up. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The same for every attempt at this call, across restarts. */
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Wall clock, milliseconds since 1970, at which the tool is given up. */
  readonly deadline: number;
  /** Since the message before the last, something from outside was read: a picture, or a result marked `untrusted`. */
  readonly untrusted: boolean;
  readonly env: EnvironmentState;
  /** Tells those who watch how far it is. `fraction` from 0 to 1. */
  progress(note: string, fraction?: number): void;
  /** Ends the call here: the run waits for a person, and the answer becomes the result. Never returns. */
  pause(request: PauseRequest): never;
  /** A finding for whoever started the run. SC-4 */
  emitSignal(name: string, data: Json): void;
  /** Stores a picture and gives the part that shows it. */
  putImage(bytes: Uint8Array, options: PutImageOptions): Promise<ImagePart>;
  getArtifact(id: string): Promise<{ readonly ref: ArtifactRef; readonly bytes: Uint8Array } | undefined>;
  /** The same client under the limits of the run, which counts what it costs: for a tool that asks a model itself. */
  pay(client: LLMClient): LLMClient;
}

/** What a tool says of a picture that it stores. */
export interface PutImageOptions extends Pick<PutOptions, "mimeType" | "sources"> {
  /** What the picture shows, for readers that cannot see it. */
  readonly alt: string;
}

/**
 * What a tool gives back: the result as data for programs, and as words and pictures, made from it, for the model.
 * `data` is kept as JSON; above 256 kB it is left out with a warning.
 */
export interface ToolReturn<D = unknown> extends Omit<RichOutput, "content"> {
  readonly data: D;
  readonly text: string;
  readonly images?: readonly ImagePart[] | undefined;
}

/** The same for a tool whose words and pictures have an order of their own. */
export interface RichOutput {
  readonly content: readonly (TextPart | ImagePart)[];
  readonly data?: unknown;
  /** The tool worked and says that what was asked failed. */
  readonly isError?: boolean | undefined;
  /** The run ends with this result. */
  readonly terminate?: boolean | undefined;
  /** Like `untrusted` of the tool, for this result. */
  readonly untrusted?: boolean | undefined;
  readonly env?: readonly EnvPatch[] | undefined;
}

/** Whether a call may run, or a person is asked first. */
export type ApprovalDecision =
  | { readonly decision: "allow" }
  | { readonly decision: "deny"; readonly message: string }
  | {
      readonly decision: "ask";
      readonly prompt: string;
      readonly expiresInMs?: number | undefined;
      /** What is asked about, beside the arguments, such as a hash. A yes holds only while the policy gives the same. */
      readonly subject?: string | undefined;
    };

/** Arguments as the model sends them. */
export type JsonArguments = { readonly [key: string]: Json };

/**
 * AI-4. `A` is the type of the arguments, `O` of what `execute` returns. A plain `Tool` is a tool of any arguments, so
 * `Tool[]` holds them all. Write one with `defineTool`, which reads `A` off the schema.
 */
export interface Tool<A = never, O = unknown> extends ToolDefinition {
  /**
   * VA-11: returns a string, anything that JSON can hold (its own data), data with words (`ToolReturn`), or parts
   * (`RichOutput`). Throw to fail: the model reads the message.
   */
  execute(args: A, context: ToolContext): O | Promise<O>;
  /** Decides about the arguments, which `parameters` tells the model of; what it makes of them is what the functions here get. */
  readonly schema?: StandardSchema | undefined;
  /** Data that does not fit is left out, with a warning; fields that the schema does not know are dropped. */
  readonly output?: StandardSchema | undefined;
  /** Default 60 000. */
  readonly timeoutMs?: number | undefined;
  readonly annotations?:
    | {
        /** Read-only tools may run side by side. */
        readonly readOnly?: boolean | undefined;
        readonly destructive?: boolean | undefined;
        readonly idempotent?: boolean | undefined;
        readonly openWorld?: boolean | undefined;
        readonly tags?: readonly string[] | undefined;
      }
    | undefined;
  /** `parallel` beside all others, `exclusive` alone, or one at a time per key. Default: parallel when read-only, else exclusive. */
  readonly concurrency?: "parallel" | "exclusive" | { readonly key: (args: A) => string } | undefined;
  /**
   * After a crash between intent and result: `safe` runs again, `idempotent` runs again with the same key,
   * `never` asks `reconcile`, else says that the outcome is unknown. Default: safe when read-only, idempotent when so annotated, else never.
   */
  readonly replay?: "safe" | "idempotent" | "never" | undefined;
  /** Finds out what became of an interrupted call. */
  reconcile?(intent: ToolIntentRecord, context: ToolContext): Promise<O | "unknown">;
  /** Further attempts after a throw; only for idempotent tools. Default 0. */
  readonly retries?: number | undefined;
  /** Whether a person is asked first. Default `never`. */
  readonly approval?:
    | "never"
    | "always"
    | ((args: A, context: ToolContext) => Promise<ApprovalDecision> | ApprovalDecision)
    | undefined;
  /**
   * What it gives back was written or taken elsewhere: pages, pictures, messages, answers of other servers. Models read
   * it as data, and `ToolContext.untrusted` is true for the calls that follow. Default false.
   */
  readonly untrusted?: boolean | undefined;
  /** Names of arguments that the host's secrets may be put into; calls with a secret elsewhere are refused. Default: none. */
  readonly secretArguments?: readonly string[] | undefined;
  readonly limits?: { readonly resultTokens?: number | undefined; readonly images?: number | undefined } | undefined;
  /** What the result changes in the environment. Must not throw. */
  project?(result: ToolResultPart, env: EnvironmentState): readonly EnvPatch[];
}

type Simplify<T> = { readonly [Key in keyof T]: T[Key] };

type PropertiesOf<P, Required> = Simplify<
  { readonly [Key in keyof P as Key extends Required ? Key : never]: ArgumentsOf<P[Key]> } & {
    readonly [Key in keyof P as Key extends Required ? never : Key]?: ArgumentsOf<P[Key]>;
  }
>;

interface PlainTypes {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** The same schema with one of its types. */
type Narrowed<S, Name> = Name extends string ? ArgumentsOf<Omit<S, "type"> & { readonly type: Name }> : never;

/** The TypeScript type of values that fit a JSON Schema literal; `Json` where the schema says too little. */
export type ArgumentsOf<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: readonly (infer Name)[] }
      ? Narrowed<S, Name>
      : S extends { readonly type: infer Name extends keyof PlainTypes }
        ? PlainTypes[Name]
        : S extends { readonly type: "array"; readonly items: infer Item }
          ? readonly ArgumentsOf<Item>[]
          : S extends { readonly type: "object"; readonly properties: infer P }
            ? PropertiesOf<P, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
            : S extends { readonly type: "object"; readonly additionalProperties: infer Item extends object }
              ? { readonly [key: string]: ArgumentsOf<Item> }
              : S extends { readonly anyOf: readonly (infer One)[] } | { readonly oneOf: readonly (infer One)[] }
                ? ArgumentsOf<One>
                : Json;

/** A JSON Schema, written out, or a schema of a library that speaks Standard Schema and Standard JSON Schema. */
export type SchemaSource = StandardJsonSchema | SchemaLiteral;

/** The same for arguments, which are an object. */
export type ParametersSource = StandardJsonSchema<object> | SchemaLiteral;

/** The type of the values that a schema lets through; undefined where there may be none. */
// As zod writes its own `output`, so that a generic function over zod schemas can return one for the other.
// biome-ignore lint/suspicious/noExplicitAny: TypeScript compares the two letter by letter.
export type SchemaValue<S> = S extends { _zod: { output: any } }
  ? S["_zod"]["output"]
  : S extends StandardSchema<unknown, infer Value>
    ? Value
    : S extends undefined
      ? undefined
      : ArgumentsOf<S>;

/** A tool that declares its data always gives data, with words of its own or without. */
type OutputOf<O> = [O] extends [never] ? unknown : O extends StandardSchema<infer D> ? ToolReturn<D> | D : unknown;

/**
 * A tool whose argument type is read off `parameters` (a zod schema or the like, or a JSON Schema) and whose data type
 * off `output`, so that they cannot differ. Throws `AgentError` kind `invalid`, code `bad_tool`, for parameters that
 * cannot be written as JSON Schema or are not an object; the rest is checked when the tool is added to a registry.
 */
export function defineTool<
  const S extends ParametersSource,
  O extends StandardSchema = never,
  R extends OutputOf<O> = OutputOf<O>,
>(
  tool: Omit<Tool<SchemaValue<S>, R>, "parameters" | "output" | "schema"> & {
    readonly parameters: S;
    readonly output?: O | undefined;
  },
): Tool<SchemaValue<S>, R> {
  const { parameters, ...rest } = tool;
  const own: Tool<SchemaValue<S>, R> = { ...rest, parameters: toParameters(tool) };
  return isStandardSchema(parameters) ? { ...own, schema: parameters } : own;
}

/** The JSON Schema of the arguments, an object without a choice at the top: providers refuse all else. Throws `bad_tool`. */
export function toParameters({
  name,
  ...tool
}: {
  readonly name: string;
  readonly parameters: SchemaSource;
}): JsonSchema {
  // Programs in JavaScript may give anything.
  const source: SchemaSource | null | undefined = tool.parameters;
  if (typeof source !== "function" && (typeof source !== "object" || source === null)) {
    const hint =
      "inputSchema" in tool ? "The schema is called `parameters`, not `inputSchema`." : "It may be empty: {}.";
    throw agentError("invalid", "bad_tool", `The tool "${name}" has no parameters. ${hint}`);
  }
  const schema = toJsonSchema(source, `The tool "${name}"`);
  const problem = findTopProblem(schema);
  if (problem) {
    const advice = "Providers want an object. Put it into a property, such as z.object({ value: … }).";
    throw agentError("invalid", "bad_tool", `The schema of the parameters of "${name}" ${problem}. ${advice}`);
  }
  return schema.type === "object" ? schema : { ...schema, type: "object" };
}

/** Whether a call may be made a second time. What a tool does not say is taken for never. */
export function replayPolicyOf(tool: Pick<Tool, "replay" | "annotations">): "safe" | "idempotent" | "never" {
  if (tool.replay) return tool.replay;
  if (tool.annotations?.readOnly) return "safe";
  return tool.annotations?.idempotent ? "idempotent" : "never";
}

/** Who calls, and on whose behalf. */
export interface ToolRun {
  readonly signal: AbortSignal;
  readonly runId: string;
  /** The run in which the model asked for these calls, where a pause lies between. Default: this run. */
  readonly askedIn?: string | undefined;
  readonly sessionId: string;
  readonly principal: Principal;
  /** As it was when the calls were made. */
  readonly env: EnvironmentState;
  /** For `ToolContext.untrusted`. Default false. */
  readonly untrusted?: boolean | undefined;
  /** By id of the call: the subject that a person was asked about. */
  readonly subjects?: ReadonlyMap<string, string | undefined> | undefined;
  /** Which tools this run may use; absent allows all. */
  allowed?(toolName: string): boolean;
  /** Asked before each further attempt; shared with the other layers that retry. Absent allows what the tool allows. */
  readonly retryBudget?: Pick<RetryBudget, "tryTake">;
  /** Puts the calls of a client under the limits of the run. Absent: there are none. */
  readonly pay?: ((client: LLMClient) => LLMClient) | undefined;
}

/** Told what happens while calls are executed. Those that give a promise are awaited; a rejection ends the batch. */
export interface BatchHooks {
  /** Once for each call, in the order of the calls, before any is executed. Calls that cannot run count as allowed. */
  onDecision(call: ToolCall, decision: "allow" | "deny" | "ask"): void;
  /** Before each attempt: the tool does not start until it is on disk. */
  onIntent(intent: ToolIntentRecord): Promise<void>;
  /** As each call ends, whatever the order of the calls. */
  onResult(executed: ExecutedCall): Promise<void>;
  onProgress(callId: string, note: string, fraction?: number): void;
  onSignal(name: string, data: Json): void;
  onArtifact(ref: ArtifactRef, reason: "tool" | "spill"): void;
}

/** One call, answered. */
export interface ExecutedCall {
  readonly result: ToolResultPart;
  readonly durationMs: number;
  /** What the tool changes in the environment: its output's patches, then those of `project`. */
  readonly env: readonly EnvPatch[];
  /** The tool asked that the run end here. */
  readonly terminate: boolean;
  readonly warnings?: readonly AgentWarning[];
}

/** A call that waits for a person. */
export interface PendingCall {
  readonly call: ToolCall;
  readonly request: PauseRequest;
  /** Of the arguments in canonical form: an approval holds for these and no others. */
  readonly argsSha256: string;
  readonly subject?: string | undefined;
  /** The arguments as a person may see them: bounded, without the bytes of data URLs. */
  readonly preview: string;
}

/** How a batch of calls ended. */
export interface BatchEnd {
  /** Approval or `pause()`; all other calls have run and were told to `onResult`. */
  readonly pending: readonly PendingCall[];
  readonly terminate: boolean;
}

/** What became of a call that a crash interrupted. */
export interface SettledCall {
  readonly executed: ExecutedCall;
  readonly action: "replayed" | "reconciled" | "marked_unknown";
}
