import type { StopReason } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { Message } from "../types/message.ts";

/** One line of a transcript. VA-19: append only; the lines {id,type,content,ts} of the plan can be read too. */
export type TranscriptEntry = { readonly v: 1; readonly id: string; readonly ts: string; readonly runId?: string } & (
  | { readonly type: "session"; readonly meta: { readonly [key: string]: Json } }
  /** `stopReason` for the model's own messages: a refused one is kept here and not sent again. */
  | { readonly type: "message"; readonly message: Message; readonly stopReason?: StopReason }
  | { readonly type: "run_started"; readonly task: string }
  | { readonly type: "run_ended"; readonly status: string; readonly reason: string }
);

/** Lines that were skipped, and bytes of a torn end that were moved aside. Zero and zero for a sound file. */
export interface TranscriptDamage {
  readonly skippedLines: number;
  readonly quarantinedBytes: number;
}

/** One conversation, one writer. */
export interface Session {
  readonly id: string;
  /** Resolves when the line is on disk. */
  append(entry: TranscriptEntry): Promise<void>;
  /** Everything so far, oldest first. */
  entries(): readonly TranscriptEntry[];
  /** What could not be read when it was opened. */
  readonly damage: TranscriptDamage;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface SessionSummary {
  readonly id: string;
  readonly updatedAt: string;
  /** First user text, cut to 80 characters. */
  readonly title: string;
}

export interface SessionStore {
  /**
   * Opens or creates. Throws `AgentError` kind `invalid`, code `session_busy` while another writer holds it,
   * code `bad_session_id` for an id that is not 1 to 64 letters, digits, `_` or `-`.
   */
  open(id: string): Promise<Session>;
  /** What is written so far, without taking the session; empty when there is none. */
  read(id: string): Promise<readonly TranscriptEntry[]>;
  /** True when the session was ever written to. */
  has(id: string): Promise<boolean>;
  /** Most recently used first. */
  list(): Promise<readonly SessionSummary[]>;
}
