import type { Json, JsonSchema } from "./json.ts";

/** X14: why a run waits for somebody. */
export type PauseKind = "approval" | "ask_user" | "external_event" | "budget" | "reattach";

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
  readonly turn: number;
  readonly createdAt: string;
  readonly expiresAt?: string;
  /** The calls that wait for it. */
  readonly calls: readonly {
    readonly callId: string;
    readonly toolName: string;
    readonly argsSha256: string;
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
      /** Absent means all of them; the others are denied. */
      readonly callIds?: readonly string[];
      readonly message?: string;
      /** By call id; checked against the schema and the policy again. */
      readonly editedArgs?: { readonly [callId: string]: { readonly [key: string]: Json } };
    }
  | { readonly kind: "answer"; readonly value: Json }
  | { readonly kind: "abandon" }
);
