import type { Json } from "../types/json.ts";
import type { Message } from "../types/message.ts";

/** One line of a transcript. VA-19: append only; the lines {id,type,content,ts} of the plan can be read too. */
export type TranscriptEntry = { readonly v: 1; readonly id: string; readonly ts: string; readonly runId?: string } & (
  | { readonly type: "session"; readonly meta: { readonly [key: string]: Json } }
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "run_started"; readonly task: string }
  | { readonly type: "run_ended"; readonly status: string; readonly reason: string }
);

/** One conversation, one writer. */
export interface Session {
  readonly id: string;
  /** Resolves when the line is on disk. */
  append(entry: TranscriptEntry): Promise<void>;
  /** Everything so far, oldest first. */
  entries(): readonly TranscriptEntry[];
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
  /** Opens or creates. Throws `AgentError` kind `invalid`, code `session_busy` while another writer holds it. */
  open(id: string): Promise<Session>;
  /** True when the session was ever written to. */
  has(id: string): Promise<boolean>;
  /** Most recently used first. */
  list(): Promise<readonly SessionSummary[]>;
}
