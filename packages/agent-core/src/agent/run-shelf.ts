import { AgentError } from "../types/errors.ts";
import type { RunHandle } from "./agent-executor.ts";

const KEEP_RUNS = 50;

/** Runs by id, by session and by dedupe key. One at a time per session; the last ones stay readable. */
export class RunShelf {
  readonly #keep: number;
  readonly #runs = new Map<string, RunHandle>();
  readonly #busy = new Map<string, RunHandle>();
  readonly #named = new Map<string, RunHandle>();
  readonly #ended: string[] = [];
  #closed = false;

  constructor(keep: number = KEEP_RUNS) {
    this.#keep = keep;
  }

  /** Why a run may not begin in this session now. */
  whyNot(sessionId: string): AgentError | undefined {
    if (this.#closed) {
      return new AgentError({ kind: "invalid", code: "closed", message: "The agent has been shut down." });
    }
    if (!this.#busy.has(sessionId)) return undefined;
    const message = `The session "${sessionId}" is busy with another run. Wait for it, steer it, or cancel it.`;
    return new AgentError({ kind: "invalid", code: "session_busy", message });
  }

  add(run: RunHandle, holdsSession: boolean): void {
    this.#runs.set(run.runId, run);
    if (holdsSession) this.#busy.set(run.sessionId, run);
  }

  /** The same key finds it again while it is kept. */
  name(run: RunHandle, dedupeKey: string): void {
    if (this.activeRun(run.sessionId)?.runId === run.runId) this.#named.set(keyOf(run.sessionId, dedupeKey), run);
  }

  find(sessionId: string, dedupeKey: string): RunHandle | undefined {
    return this.#named.get(keyOf(sessionId, dedupeKey));
  }

  get(runId: string): RunHandle | undefined {
    return this.#runs.get(runId);
  }

  activeRun(sessionId: string): RunHandle | undefined {
    return this.#busy.get(sessionId);
  }

  active(): readonly RunHandle[] {
    return [...this.#busy.values()];
  }

  retire(runId: string, sessionId: string): void {
    if (this.#busy.get(sessionId)?.runId === runId) this.#busy.delete(sessionId);
    this.#ended.push(runId);
    while (this.#ended.length > this.#keep) this.#forget(this.#ended.shift() ?? "");
  }

  close(): void {
    this.#closed = true;
  }

  #forget(runId: string): void {
    this.#runs.delete(runId);
    for (const [key, run] of this.#named) if (run.runId === runId) this.#named.delete(key);
  }
}

function keyOf(sessionId: string, dedupeKey: string): string {
  return JSON.stringify([sessionId, dedupeKey]);
}
