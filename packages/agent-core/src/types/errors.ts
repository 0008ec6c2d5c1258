import type { Json } from "./json.ts";

/** AI-17: callers branch on this, never on text. */
export type ErrorKind =
  | "agent"
  | "tool"
  | "timeout"
  | "rate_limit"
  | "network"
  | "invalid"
  | "cancelled"
  | "budget"
  | "capability";

/** What an error is made of. */
export interface AgentErrorOptions {
  readonly kind: ErrorKind;
  /** Precise reason in snake_case, e.g. `context_overflow`. */
  readonly code: string;
  /** One sentence for people. */
  readonly message: string;
  readonly cause?: unknown;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
}

/** The part of an error that may leave the process: no cause, no stack, no bytes. */
export interface ErrorView {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** What the provider, or the ledger, asked to wait. */
  readonly retryAfterMs?: number;
}

/** The one error class of this package. */
export class AgentError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(options: AgentErrorOptions) {
    super(options.message, { cause: options.cause });
    this.name = "AgentError";
    this.kind = options.kind;
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }

  view(): ErrorView {
    const { kind, code, message, retryable, retryAfterMs } = this;
    return { kind, code, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }

  toJSON(): Json {
    return { ...this.view() };
  }
}

/** The usual error: its kind, its code and one sentence for people. */
export function agentError(
  kind: ErrorKind,
  code: string,
  message: string,
  more: Omit<AgentErrorOptions, "kind" | "code" | "message"> = {},
): AgentError {
  return new AgentError({ kind, code, message, ...more });
}

/** As `instanceof`, also for a proxy that refuses to say what it is. */
export function isAgentError(thrown: unknown): thrown is AgentError {
  try {
    return thrown instanceof AgentError;
  } catch {
    return false;
  }
}

/** First cause wins: what already has a kind passes through. */
export function toAgentError(thrown: unknown, fallback: Omit<AgentErrorOptions, "message" | "cause">): AgentError {
  if (isAgentError(thrown)) return thrown;
  return new AgentError({ ...fallback, message: messageOf(thrown), cause: thrown });
}

/** What was thrown, in words; anything can be thrown, also what cannot be made a text. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    // An object without a text of its own, or a proxy that refuses.
    return "Something was thrown that cannot be read.";
  }
}
