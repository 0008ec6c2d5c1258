import type { Json } from "./json.ts";

/** AI-11: who speaks. */
export type Role = "system" | "user" | "assistant" | "tool_result";

/** Provider data that is sent back as it came and never edited, such as a signed reasoning block. */
export interface Opaque {
  readonly provider: string;
  readonly model?: string;
  readonly data: Json;
}

export type ImageDetail = "auto" | "low" | "high" | "original";
export type TextPart = { readonly type: "text"; readonly text: string };
/** A reference only: bytes stay in the artifact store until the request is built. */
export type ImagePart = {
  readonly type: "image";
  readonly artifactId: string;
  readonly mimeType: string;
  readonly detail?: ImageDetail;
  readonly filename?: string;
  /** What the picture shows, for readers that cannot see it. */
  readonly alt?: string;
};
export type ReasoningPart = { readonly type: "reasoning"; readonly text: string; readonly opaque?: Opaque };
export type ToolCallPart = { readonly type: "tool_call"; readonly call: ToolCall; readonly opaque?: Opaque };
export type ToolResultPart = {
  readonly type: "tool_result";
  readonly callId: string;
  readonly toolName: string;
  readonly outcome: ToolOutcome;
  /** All that a model is sent. */
  readonly content: readonly (TextPart | ImagePart)[];
  /** The result as programs read it. Never sent to a model, and never counted for it. */
  readonly data?: Json;
  /** The whole result was too long and is kept under this id. */
  readonly truncated?: { readonly artifactId: string; readonly originalBytes: number };
};
/** State of the world at this point of the conversation; appended, never rewritten. */
export type StateNotePart = {
  readonly type: "state_note";
  readonly text: string;
  /** A diff follows the notes before it; a snapshot stands for itself. Default snapshot. */
  readonly kind?: "snapshot" | "diff";
  readonly envVersion?: number;
};
/** A block that only its provider understands: server tools, compaction, fallback. */
export type ProviderPart = { readonly type: "provider"; readonly opaque: Opaque };
export type Part = TextPart | ImagePart | ReasoningPart | ToolCallPart | ToolResultPart | StateNotePart | ProviderPart;

export interface Message {
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  /** ISO 8601. */
  readonly ts: string;
  readonly origin: "human" | "model" | "tool" | "steer" | "job" | "heartbeat" | "core";
  /** Model that wrote it, for assistant messages. */
  readonly model?: string;
}

/** AI-6 */
export interface ToolCall {
  readonly id: string;
  readonly toolName: string;
  readonly arguments: { readonly [key: string]: Json };
  /** As the provider sent them, where they did not parse. */
  readonly rawArguments?: string;
  /** `truncated` and `unparseable` calls are never executed. */
  readonly state: "complete" | "truncated" | "unparseable";
}

export type ToolOutcome =
  | "ok"
  | "error"
  | "invalid_args"
  | "unknown_tool"
  | "denied"
  | "timeout"
  | "cancelled"
  | "interrupted"
  | "not_executed";
