// our ids → the pipelines of one backend, running or about to
import { BackendError } from "./backend.ts";

interface Held<P> {
  readonly started: Promise<P>;
  pipeline?: P;
}

/** What opening and stopping throw passes on as `toError` makes it. */
export class HeldPipelines<P extends { stop(): Promise<void> }> {
  readonly #held = new Map<string, Held<P>>();
  readonly #toError: (thrown: unknown) => BackendError;
  #closed = false;

  constructor(toError: (thrown: unknown) => BackendError) {
    this.#toError = toError;
  }

  /** A pipeline that is being started holds its id, too. */
  async start(id: string, open: () => Promise<P>): Promise<void> {
    if (this.#closed) throw new BackendError({ kind: "unavailable", message: "The backend is closed." });
    if (this.#held.has(id)) throw new BackendError({ kind: "internal", message: `The pipeline ${id} runs already.` });
    const entry: Held<P> = { started: open() };
    this.#held.set(id, entry);
    try {
      entry.pipeline = await entry.started;
    } catch (error) {
      this.#held.delete(id);
      throw this.#toError(error);
    }
  }

  /** Throws `BackendError` kind `not_found`. */
  find(id: string): P {
    const pipeline = this.#held.get(id)?.pipeline;
    if (pipeline) return pipeline;
    throw new BackendError({ kind: "not_found", message: `No pipeline ${id} runs here.` });
  }

  /** Those that have started. */
  ids(): readonly string[] {
    return [...this.#held].filter(([, { pipeline }]) => pipeline).map(([id]) => id);
  }

  /** One that cannot be stopped stays, so that it can be tried again; an unknown one is none. */
  async stop(id: string): Promise<void> {
    const entry = this.#held.get(id);
    if (entry === undefined) return;
    // One that failed to start has nothing left to stop, and its starter has the error.
    const pipeline = await entry.started.catch(() => undefined);
    try {
      await pipeline?.stop();
    } catch (error) {
      throw this.#toError(error);
    }
    if (this.#held.get(id) === entry) this.#held.delete(id);
  }

  /** Stops all, and starts none any more. Rejects with the first that could not be stopped. */
  async close(): Promise<void> {
    this.#closed = true;
    const stops = await Promise.allSettled([...this.#held.keys()].map((id) => this.stop(id)));
    for (const stop of stops) if (stop.status === "rejected") throw stop.reason;
  }
}
