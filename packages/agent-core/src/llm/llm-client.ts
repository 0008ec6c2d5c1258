import type { Clock } from "../types/clock.ts";
import type { AgentWarning, ContextReport, StopReason } from "../types/events.ts";
import type { Json, JsonSchema } from "../types/json.ts";
import type { ImageDetail, Message, ToolCall, Usage } from "../types/message.ts";

/** What the model is told about a tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** The provider enforces the schema where it can. */
  readonly strict?: boolean;
  /** The model sees its name and the first sentence of its description until it asks for it. Default false. */
  readonly deferLoading?: boolean;
}

/** AI-3: undefined means the profile's default. */
export interface RequestConfig {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly effort?: "none" | "low" | "medium" | "high" | "xhigh" | "max";
  /** `auto` leaves it to the profile. */
  readonly reasoning?: "auto" | "off" | { readonly budgetTokens: number };
  /** Default true. */
  readonly parallelTools?: boolean;
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: string };
  /** The answer is JSON of this shape. */
  readonly output?: { readonly name: string; readonly schema: JsonSchema };
  /** Passed to the provider as they are. */
  readonly providerOptions?: { readonly [key: string]: Json };
}

/** Where the provider's prompt cache is told to end. */
export interface CachePlan {
  readonly breakpoints: readonly {
    readonly after: "tools" | { readonly system: string } | { readonly message: string };
    readonly ttl: "5m" | "1h";
  }[];
  /** Why so, for people. */
  readonly reason: string;
}

/** A piece of the system prompt. `static` never changes, `session` not within a session. */
export interface SystemBlock {
  readonly id: string;
  readonly text: string;
  readonly stability: "static" | "session";
}

/** What a model is asked. */
export interface LLMRequest {
  readonly model: string;
  readonly system: readonly SystemBlock[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly config?: RequestConfig;
  readonly cache?: CachePlan;
}

/** What a model answered, whole. */
export interface LLMResponse {
  readonly message: Message;
  /** All text parts joined. */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: Usage;
  readonly stopReason: StopReason;
  /** For a refusal: what the provider says about it. */
  readonly stopDetail?: { readonly category?: string; readonly explanation?: string };
  readonly model: string;
  readonly requestId?: string;
  /** What was left out of the request or is missing in the answer. */
  readonly warnings: readonly AgentWarning[];
}

/** A piece of an answer while it streams. */
export type LLMDelta =
  | { readonly type: "text" | "thinking"; readonly text: string }
  | { readonly type: "tool_args"; readonly callId: string; readonly toolName: string; readonly json: string }
  /** Bytes arrived that show nothing: feeds the idle timer. `usage` is what the provider has reported so far. */
  | { readonly type: "alive"; readonly usage?: Usage };

/** Iterate to the end, then ask for the result. `result()` rejects with the error that ended the stream. */
export interface LLMStream extends AsyncIterable<LLMDelta> {
  result(): Promise<LLMResponse>;
}

/** Where the bytes of a picture come from. An artifact store is one. */
export interface ImageBytes {
  get(artifactId: string): Promise<Uint8Array | undefined>;
}

/** AI-14: handed to every call. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Id that the assistant message gets. */
  readonly messageId: string;
  readonly timers: { readonly firstEventMs: number; readonly idleMs: number; readonly attemptMs: number };
  /** Called when bytes come, also those that give no delta. Whoever hands it in keeps the timers; without it the client does. */
  readonly onBytes?: (() => void) | undefined;
  /** What the request is made of, where somebody measured it. Who pays for it estimates it otherwise. */
  readonly size?: Pick<ContextReport, "tokens" | "source">;
  /** Read when the request is built (VI-6). Without it a picture is refused with `client_no_vision`. */
  readonly artifacts?: ImageBytes | undefined;
}

/** VI-7: what a model can do; stated, never guessed from a name. */
export interface ModelProfile {
  readonly id: string;
  readonly provider: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly supportsVision: boolean;
  /** Images may stand in a tool result; otherwise the client puts them into a message after it. Default false. */
  readonly supportsToolResultImages?: boolean;
  readonly supportsTemperature: boolean;
  readonly supportsForcedToolChoice?: boolean;
  readonly supportsParallelTools?: boolean;
  readonly supportsStructuredOutput?: boolean;
  readonly reasoning?: {
    readonly modes: readonly ("adaptive" | "budget" | "off")[];
    readonly efforts: readonly string[];
    readonly defaultEffort?: string;
    /** Signed thinking is bound to all that stands before it: an edit there voids it. */
    readonly prefixBound: boolean;
  };
  readonly cache?: {
    readonly kind: "explicit" | "implicit" | "none";
    readonly minTokens: number;
    readonly maxBreakpoints: number;
    readonly lookbackBlocks: number;
  };
  readonly limits?: {
    readonly requestBytes: number;
    readonly images: number;
    readonly imageBytes: number;
    /** Longest side in pixels. */
    readonly imageEdge: number;
  };
  /** Tokens that a picture of this size costs; absent estimates by area. */
  imageTokens?(width: number, height: number, detail?: ImageDetail): number;
  /** Default 3.5. */
  readonly charsPerToken?: number;
  /** Absent when nobody stated it; `free` costs nothing, as on a server of one's own. */
  readonly price?: Price | "free";
  readonly lifecycle?: { readonly deprecatedAt?: string; readonly retiresAt?: string };
  /** Where this was stated. Default `builtin`. */
  readonly source?: "builtin" | "api" | "config";
}

/** Dollars per million tokens, by size of the prompt. */
export interface Price {
  readonly tiers: readonly {
    /** Holds for prompts above so many tokens; the highest that fits counts. */
    readonly aboveInputTokens: number;
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite5m: number;
    readonly cacheWrite1h: number;
  }[];
  /** Dollars per thousand requests of tools that the provider runs itself, such as a web search. */
  readonly serverToolPer1k?: number;
  /** Day on which it was looked up, YYYY-MM-DD. */
  readonly asOf: string;
}

/** A model that an agent can use. */
export interface LanguageModel {
  readonly client: LLMClient;
  /** As the client knows it. */
  readonly id: string;
}

/** Models behind a wire, or anything that speaks like them. */
export interface LLMClient {
  readonly provider: string;
  /** AI-1: one model invocation, stateless. */
  run(request: LLMRequest, context: CallContext): Promise<LLMResponse>;
  /** Throws `AgentError` kind `invalid`, code `unknown_model` for a model it does not serve. */
  profile(model: string): Promise<ModelProfile>;
  /** Never throws; a failure comes out of the iteration and of `result()`. */
  stream(request: LLMRequest, context: CallContext): LLMStream;
  /** Input tokens as the provider counts them; absent when it cannot. */
  countTokens?(request: LLMRequest, context: CallContext): Promise<number>;
}
