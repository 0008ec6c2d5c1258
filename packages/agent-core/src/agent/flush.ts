// what a conversation says → the host, before a summary replaces it and when the agent is closed
import { toView } from "../context/history.ts";
import type { Session, SessionStore, TranscriptEntry } from "../session/session-store.ts";
import { type Clock, type IdSource, raceAbort } from "../types/clock.ts";
import { agentError, type ErrorView, toAgentError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import { callHost } from "./host-callbacks.ts";
import type { Flush } from "./options.ts";

/** Sessions of which something was shown, and those where that failed. */
export interface FlushReport {
  readonly flushed: readonly string[];
  readonly failed: readonly { readonly sessionId: string; readonly error: ErrorView }[];
}

export const DEFAULT_FLUSH_MS = 20_000;

interface FlusherOptions {
  readonly flush: Flush | undefined;
  readonly sessions: Pick<SessionStore, "open">;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** For all sessions together. */
  readonly timeoutMs: number;
}

/** Knows the sessions in which something was said since they were last flushed. */
export class SessionFlusher {
  readonly #options: FlusherOptions;
  readonly #touched = new Set<string>();

  constructor(options: FlusherOptions) {
    this.#options = options;
  }

  touch(sessionId: string): void {
    if (this.#options.flush) this.#touched.add(sessionId);
  }

  /** Never rejects. What failed is tried again by the next call. */
  async flush(only?: string): Promise<FlushReport> {
    const { clock, timeoutMs } = this.#options;
    const wanted = [...this.#touched].filter((id) => only === undefined || id === only);
    const [flushed, failed]: [string[], { sessionId: string; error: ErrorView }[]] = [[], []];
    if (wanted.length === 0) return { flushed, failed };
    const [limit, done] = [new AbortController(), new AbortController()];
    clock.sleep(timeoutMs, done.signal).then(
      () => limit.abort(agentError("timeout", "flush", "Keeping what was said took too long.")),
      () => undefined, // It was done in time.
    );
    for (const sessionId of wanted) {
      try {
        if (await this.#flushOne(sessionId, limit.signal)) flushed.push(sessionId);
        this.#touched.delete(sessionId);
      } catch (thrown) {
        failed.push({ sessionId, error: toAgentError(thrown, { kind: "agent", code: "flush" }).view() });
      }
    }
    done.abort();
    return { flushed, failed };
  }

  /** False when all was flushed before. */
  async #flushOne(sessionId: string, signal: AbortSignal): Promise<boolean> {
    const { flush, clock, ids } = this.#options;
    signal.throwIfAborted();
    const session = await this.#open(sessionId, signal);
    try {
      const messages = withoutFlushed(toView(session.entries()).messages, session.entries());
      if (!flush || messages.length === 0) return false;
      const about = { sessionId, reason: "close", signal } as const;
      await raceAbort(
        callHost("flush", () => flush(messages, about)),
        signal,
      );
      const ts = new Date(clock.now()).toISOString();
      const line = { v: 1, id: ids.next("line"), ts, type: "session", meta: { flushed: true } } as const;
      await raceAbort(session.append(line), signal);
      return true;
    } finally {
      await session.close();
    }
  }

  async #open(sessionId: string, signal: AbortSignal): Promise<Session> {
    const opening = this.#options.sessions.open(sessionId);
    try {
      return await raceAbort(opening, signal);
    } catch (thrown) {
      // What opens too late would stay open, and nobody else could write to it.
      opening.then((late) => late.close()).catch(() => undefined); // It did not open: that is what is thrown.
      throw thrown;
    }
  }
}

/** Those that stand behind the last flush of the whole conversation, without summaries of what was flushed. */
export function withoutFlushed(messages: readonly Message[], entries: readonly TranscriptEntry[]): readonly Message[] {
  const end = entries.findLastIndex((entry) => entry.type === "session" && entry.meta.flushed === true);
  const known = new Set(
    entries.flatMap((entry, index) => {
      if (entry.type === "compaction") return [entry.summary.id];
      return entry.type === "message" && index < end ? [entry.message.id] : [];
    }),
  );
  return messages.filter(({ id }) => !known.has(id));
}
