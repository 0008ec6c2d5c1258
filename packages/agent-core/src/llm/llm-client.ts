import type { Clock } from "../types/clock.ts";
import type { StopReason } from "../types/events.ts";
import type { JsonSchema } from "../types/json.ts";
import type { Message, ToolCall } from "../types/message.ts";
import type { Usage } from "../types/usage.ts";

/** What the model is told about a tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** AI-3: undefined means the profile's default. */
export interface RequestConfig {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly effort?: "low" | "medium" | "high" | "xhigh" | "max";
}

/** A piece of the system prompt. `static` never changes, `session` not within a session. */
export interface SystemBlock {
  readonly id: string;
  readonly text: string;
  readonly stability: "static" | "session";
}

/** AI-2 */
export interface LLMRequest {
  readonly model: string;
  readonly system: readonly SystemBlock[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly config?: RequestConfig;
}

/** AI-5 */
export interface LLMResponse {
  readonly message: Message;
  /** All text parts joined. */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: Usage;
  readonly stopReason: StopReason;
  readonly model: string;
  readonly requestId?: string;
  /** Each begins with a code and a colon: `image_unavailable: The picture …`. */
  readonly warnings: readonly string[];
}

export type LLMDelta =
  | { readonly type: "text" | "thinking"; readonly text: string }
  /** Bytes arrived that show nothing: feeds the idle timer. */
  | { readonly type: "alive" };

/** Iterate to the end, then ask for the result. `result()` rejects with the error that ended the stream. */
export interface LLMStream extends AsyncIterable<LLMDelta> {
  result(): Promise<LLMResponse>;
}

/** AI-14: handed to every call. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Id that the assistant message gets. */
  readonly messageId: string;
  readonly timers: { readonly firstEventMs: number; readonly idleMs: number; readonly attemptMs: number };
}

/** What a model can do. VI-7: stated, never guessed from a name. */
export interface ModelProfile {
  readonly id: string;
  readonly provider: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly supportsVision: boolean;
  readonly supportsTemperature: boolean;
}

/** AI-1: one model invocation, stateless. */
export interface Agent {
  run(request: LLMRequest, context: CallContext): Promise<LLMResponse>;
}

/** A model behind a wire, or anything that speaks like one. */
export interface LLMClient extends Agent {
  readonly provider: string;
  /** Throws `AgentError` kind `invalid`, code `unknown_model` for a model it does not serve. */
  profile(model: string): Promise<ModelProfile>;
  /** Never throws; a failure comes out of the iteration and of `result()`. */
  stream(request: LLMRequest, context: CallContext): LLMStream;
}
