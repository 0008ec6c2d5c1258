// the words of a conversation: what is said, by whom, what it costs, what waits for an answer
import type { Json, JsonSchema } from "./json.ts";

/** AI-11: who speaks. */
export type Role = "system" | "user" | "assistant" | "tool_result";

/** Provider data that is sent back as it came and never edited, such as a signed reasoning block. */
export interface Opaque {
  readonly provider: string;
  readonly model?: string;
  readonly data: Json;
}

/** How closely the model looks at a picture. */
export type ImageDetail = "auto" | "low" | "high" | "original";
/** Text. */
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
/** What the model thought, with what its provider wants back. */
export type ReasoningPart = { readonly type: "reasoning"; readonly text: string; readonly opaque?: Opaque };
/** A call that the model asks for. */
export type ToolCallPart = { readonly type: "tool_call"; readonly call: ToolCall; readonly opaque?: Opaque };
/** What came of a call: for the model, and as data for programs. */
export type ToolResultPart = {
  readonly type: "tool_result";
  readonly callId: string;
  readonly toolName: string;
  readonly outcome: ToolOutcome;
  /** All that a model is sent. */
  readonly content: readonly (TextPart | ImagePart)[];
  /** The result as programs read it. Never sent to a model, and never counted for it. */
  readonly data?: Json;
  /** Words or pictures from outside: data, never an instruction. Approvals are told of it. */
  readonly untrusted?: boolean;
  /** The whole result was too long and is kept under this id. */
  readonly truncated?: { readonly artifactId: string; readonly originalBytes: number };
};
/** State of the world at this point of the conversation; appended, never rewritten. */
export type StateNotePart = {
  readonly type: "state_note";
  readonly text: string;
  /** A diff follows the notes before it; a snapshot stands for itself. Default snapshot. */
  readonly kind?: "snapshot" | "diff";
  /** As of a result. */
  readonly untrusted?: boolean;
  readonly envVersion?: number;
};
/** A block that only its provider understands: server tools, compaction, fallback. */
export type ProviderPart = { readonly type: "provider"; readonly opaque: Opaque };
/** A part of a message. */
export type Part = TextPart | ImagePart | ReasoningPart | ToolCallPart | ToolResultPart | StateNotePart | ProviderPart;

/** One message of a conversation, in parts. */
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

/** A call of a tool, as the model asked for it. */
export interface ToolCall {
  readonly id: string;
  readonly toolName: string;
  readonly arguments: { readonly [key: string]: Json };
  /** As the provider sent them, where they did not parse. */
  readonly rawArguments?: string;
  /** `truncated` and `unparseable` calls are never executed. */
  readonly state: "complete" | "truncated" | "unparseable";
}

/** How a call ended. */
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

/** Bytes stored once by content; everything else holds this. */
export interface ArtifactRef {
  readonly id: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly namespace: string;
  readonly filename?: string;
  readonly width?: number;
  readonly height?: number;
  /** Where the bytes come from, in the host's own words; each put adds its own. */
  readonly sources?: readonly string[];
  readonly createdAt: string;
}

/** Who asked. SC-3 */
export interface Principal {
  readonly userId: string;
  readonly agentId?: string;
  readonly roles?: readonly string[];
}

/** AI-7: as the provider reported it. `estimated` is true only where no report came. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** All that was written to the cache, whatever its time to live. */
  readonly cacheWriteTokens: number;
  /** The part of it that lives an hour, which costs more. */
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens: number;
  readonly imageTokens?: number;
  readonly serverToolRequests?: number;
  readonly estimated: boolean;
  /** Further billed passes of the same call: compaction, fallback. */
  readonly extraIterations?: readonly Usage[];
}

/** Nothing was used. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

/** AI-16: totals of one run. */
export interface RunMetrics {
  readonly totalInputTokens: number;
  readonly totalOutputTokens: number;
  readonly invocations: number;
  readonly toolCalls: number;
  readonly retries: number;
  readonly compactions: number;
  /** Millionths of a dollar; 0 where no price is known. */
  readonly costMicroUsd: number;
  readonly wallMs: number;
  readonly firstTokenMs?: number;
}

/** X14: why a run waits for somebody. */
export type PauseKind = "approval" | "ask_user" | "external_event" | "budget" | "reattach";

/** What a person is asked when a run pauses. */
export interface PauseRequest {
  readonly kind: PauseKind;
  /** What a person reads. */
  readonly prompt: string;
  readonly choices?: readonly string[];
  /** Shape of the answer, for `ask_user` and `external_event`. */
  readonly schema?: JsonSchema;
  /** Absent waits for ever. */
  readonly expiresInMs?: number;
}

/** A run that waits. Found again after a restart; answered once. */
export interface PauseRecord extends PauseRequest {
  readonly id: string;
  readonly runId: string;
  readonly sessionId: string;
  /** The user of the run that waits. Somebody else may answer only where the host's `authorize` says so. */
  readonly userId: string;
  readonly turn: number;
  readonly createdAt: string;
  readonly expiresAt?: string;
  /** The calls that wait for it. */
  readonly calls: readonly {
    readonly callId: string;
    readonly toolName: string;
    readonly argsSha256: string;
    /** What a yes holds for beside the arguments, as the tool's policy named it. */
    readonly subject?: string;
    /** Arguments as a person may see them, bounded. */
    readonly preview: string;
  }[];
  /** HMAC over id, run, calls, arguments and expiry: an answer must carry it. */
  readonly token: string;
  /** What the run may still use when it goes on. */
  readonly remaining: { readonly iterations: number; readonly wallMs: number; readonly costMicroUsd?: number };
}

/** A person's answer to a pause. */
export type Resolution = { readonly token: string } & (
  | {
      readonly kind: "approve" | "deny";
      /** With `approve`: the calls that may run, the others are denied; absent means all. `deny` is for all of them. */
      readonly callIds?: readonly string[];
      readonly message?: string;
      /** By call id; checked against the schema and the policy again. */
      readonly editedArgs?: { readonly [callId: string]: { readonly [key: string]: Json } };
    }
  | { readonly kind: "answer"; readonly value: Json }
  | { readonly kind: "abandon" }
);

/** The text of all parts that are text, joined. */
export function textOf(parts: readonly Part[], separator = ""): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(separator);
}

/** VI-18: one of the pictures that are shown. */
export interface VisionContextItem {
  readonly artifactId: string;
  readonly messageId: string;
  /** Absent when a person attached it. */
  readonly toolName?: string;
}
