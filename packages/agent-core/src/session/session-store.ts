import type { EnvPatch } from "../types/environment.ts";
import { agentError } from "../types/errors.ts";
import type { ExecutionOutcome, StopReason } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { Message, PauseRecord, Principal, Usage, VisionContextItem } from "../types/message.ts";

/** VA-19: one line of a transcript. Append only; the lines {id,type,content,ts} of the plan can be read too. */
export type TranscriptEntry = { readonly v: 1; readonly id: string; readonly ts: string; readonly runId?: string } & (
  | { readonly type: "session"; readonly meta: { readonly [key: string]: Json } }
  /** `stopReason` for the model's own messages: a refused one is kept here and not sent again. */
  | { readonly type: "message"; readonly message: Message; readonly stopReason?: StopReason }
  | { readonly type: "run_started"; readonly task: string; readonly settings?: RunSettings }
  | {
      readonly type: "run_ended";
      readonly status: string;
      readonly reason: string;
      /** For people, where the run was stopped. */
      readonly message?: string;
      /** All that it paid for, also for tools that ask a model. */
      readonly costMicroUsd?: number;
      /** Kept where the run had a `dedupeKey`: the same key gives the same outcome again. */
      readonly outcome?: ExecutionOutcome;
    }
  /** Written before a tool is run; its result is the commit. */
  | { readonly type: "tool_intent"; readonly intent: ToolIntentRecord }
  | { readonly type: "env"; readonly version: number; readonly patches: readonly EnvPatch[]; readonly cause: string }
  /** What is left out of the request from here on; the transcript itself is never changed. */
  | { readonly type: "view"; readonly epoch: number; readonly edits: readonly ViewEdit[] }
  | {
      readonly type: "compaction";
      readonly summary: Message;
      /** First message that is still sent as it was. */
      readonly firstKeptId: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** VI-18: the pictures of tools that the model is shown from here on, oldest first. Written when they change. */
  | { readonly type: "vision_context"; readonly images: readonly VisionContextItem[] }
  | { readonly type: "pause"; readonly pause: PauseRecord }
  | { readonly type: "resume"; readonly pauseId: string; readonly resolution: Json; readonly by: Principal }
  | { readonly type: "usage"; readonly usage: Usage; readonly costMicroUsd: number }
  /** Beside the answers of the model: by a tool, for a summary, for an attempt that failed. */
  | { readonly type: "paid"; readonly costMicroUsd: number }
);

/** What a run was started with, so that another process can go on with it. */
export interface RunSettings {
  readonly principal: Principal;
  /** Absent: the executor's. */
  readonly model?: string;
  readonly origin?: Message["origin"];
  readonly mode?: string;
  readonly dedupeKey?: string;
  /** The request's own wishes and the stop policy, without functions. */
  readonly config?: Json;
  readonly stop?: Json;
  /** A function of the host checks the answer: whoever goes on with the run brings it again. */
  readonly isOutputChecked?: boolean;
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
}

/** The part of a tool intent that the transcript keeps. */
export interface ToolIntentRecord {
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: { readonly [key: string]: Json };
  readonly idempotencyKey: string;
  readonly attempt: number;
}

/** X5: something that is no longer sent. */
export type ViewEdit =
  | {
      readonly op: "clear_result" | "clear_image" | "drop_reasoning";
      readonly messageId: string;
      readonly partIndex: number;
    }
  | { readonly op: "hide"; readonly messageIds: readonly string[] };

/** Lines that were skipped, and bytes of a torn end that were moved aside. Zero and zero for a sound file. */
export interface TranscriptDamage {
  readonly skippedLines: number;
  readonly quarantinedBytes: number;
}

/** One conversation, one writer. */
export interface Session {
  readonly id: string;
  /**
   * Resolves when the line is on disk. With `sync: false` it resolves when the system has it: the death of the process
   * does not lose it, the loss of power may; the next synced line makes it safe too.
   * After `close` it throws `AgentError` kind `invalid`, code `session_closed`.
   */
  append(entry: TranscriptEntry, options?: { readonly sync?: boolean }): Promise<void>;
  /** Everything so far, oldest first. */
  entries(): readonly TranscriptEntry[];
  /** What could not be read when it was opened. */
  readonly damage: TranscriptDamage;
  /** May be called twice. */
  close(): Promise<void>;
}

/** A conversation in a list. */
export interface ListedSession {
  readonly id: string;
  readonly updatedAt: string;
  /** First user text, cut to 80 characters. */
  readonly title: string;
}

/** Where conversations live. */
export interface SessionStore {
  /**
   * Opens or creates. Throws `AgentError` kind `invalid`, code `session_busy` while another writer holds it,
   * code `bad_session_id` for an id that is not 1 to 128 letters, digits, `_`, `-`, `.`, `:` or `@`, the first a letter or digit.
   */
  open(id: string): Promise<Session>;
  /** What is written so far, without taking the session; empty when there is none. */
  read(id: string): Promise<readonly TranscriptEntry[]>;
  /** True when the session was ever written to. */
  has(id: string): Promise<boolean>;
  /** Most recently written first, at most `limit` of them. Reads no more than the beginning of each. */
  list(options?: { readonly limit?: number }): Promise<readonly ListedSession[]>;
  /** With all that was said in it. False when there was none. Throws code `session_busy` while somebody writes to it. */
  delete(id: string): Promise<boolean>;
  /**
   * What `edit` makes of all entries, in place of them, wholly or not at all: for what must not be kept any longer. A
   * torn end that was moved aside is removed. Throws code `session_busy` like `open`. False when nothing was changed.
   */
  rewrite(id: string, edit: (entries: readonly TranscriptEntry[]) => readonly TranscriptEntry[]): Promise<boolean>;
  /** 32 random bytes, made once and the same for every process that uses this store: signs what waits for an answer. */
  secret(): Promise<Uint8Array>;
}

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}$/;

/** Ids become file names, so nothing else gets through. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

export function assertSessionId(id: string): void {
  if (isSessionId(id)) return;
  const message = "A session id is 1 to 128 letters, digits or any of _ - . : @, and begins with a letter or digit.";
  throw agentError("invalid", "bad_session_id", message);
}
