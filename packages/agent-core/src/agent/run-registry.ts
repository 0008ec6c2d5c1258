// runs of an executor → found again by id, session and dedupe key
import { type AgentError, agentError } from "../types/errors.ts";
import type { Principal } from "../types/message.ts";
import type { RunHandle } from "./run.ts";

/** Runs by id, by session and by dedupe key. One at a time per session; the last ones stay readable. */
export class RunRegistry {
  /** By id. */
  readonly all = new Map<string, RunHandle>();
  /** By the session that they hold. */
  readonly busy = new Map<string, RunHandle>();
  closed = false;
  readonly #keep: number;
  readonly #named = new Map<string, RunHandle>();
  readonly #ended: string[] = [];

  constructor(keep = 50) {
    this.#keep = keep;
  }

  /** Why a run may not begin in this session now. */
  whyNot(sessionId: string): AgentError | undefined {
    if (this.closed) return agentError("invalid", "closed", "The agent has been shut down.");
    if (!this.busy.has(sessionId)) return undefined;
    const message = `The session "${sessionId}" is busy with another run. Wait for it, steer it, or cancel it.`;
    return agentError("invalid", "session_busy", message);
  }

  add(run: RunHandle, holdsSession: boolean): void {
    this.all.set(run.runId, run);
    if (holdsSession) this.busy.set(run.sessionId, run);
  }

  /**
   * The same key finds it again while it is kept. One that was cancelled gave no answer: its key is free again. One that
   * waits is found in the transcript, also when another process goes on with it.
   */
  name(run: RunHandle, key: string): void {
    if (this.busy.get(run.sessionId)?.runId !== run.runId) return;
    this.#named.set(key, run);
    void run.outcome.then(({ status }) => {
      const isKept = status !== "cancelled" && status !== "paused";
      if (!isKept && this.#named.get(key) === run) this.#named.delete(key);
    });
  }

  find(key: string): RunHandle | undefined {
    return this.#named.get(key);
  }

  retire(runId: string, sessionId: string): void {
    if (this.busy.get(sessionId)?.runId === runId) this.busy.delete(sessionId);
    this.#ended.push(runId);
    for (const old of this.#ended.splice(0, Math.max(0, this.#ended.length - this.#keep))) {
      this.all.delete(old);
      for (const [key, run] of this.#named) if (run.runId === old) this.#named.delete(key);
    }
  }
}

/** Nobody finds the run of somebody else: whoever may enter the session gets its outcome from the transcript. */
export function keyOf(sessionId: string, dedupeKey: string, { userId }: Principal): string {
  return JSON.stringify([sessionId, dedupeKey, userId]);
}
