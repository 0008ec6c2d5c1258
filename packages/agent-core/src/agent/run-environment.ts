// what tools change → `env` lines, and notes that tell the model
import { type Environment, type EnvironmentOptions, replayEnvironment } from "../context/environment.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { ExecutedCall } from "../tools/tool-run.ts";
import type { EnvironmentState, EnvPatch } from "../types/environment.ts";
import { toAgentError } from "../types/errors.ts";
import type { StateNotePart } from "../types/message.ts";
import type { RunJournal } from "./run-journal.ts";

/** The environment of one session while a run goes on. */
export class RunEnvironment {
  readonly #environment: Environment;
  readonly #journal: RunJournal;
  readonly #hasReducers: boolean;
  readonly #hasInitial: boolean;
  readonly #maxNoteTokens: number;

  constructor(options: {
    readonly journal: RunJournal;
    readonly environment: EnvironmentOptions | undefined;
    readonly maxNoteTokens: number;
  }) {
    this.#journal = options.journal;
    this.#hasReducers = options.environment?.reducers !== undefined;
    this.#hasInitial = options.environment?.initial !== undefined;
    this.#maxNoteTokens = options.maxNoteTokens;
    this.#environment = replayEnvironment(options.journal.entries(), options.environment);
  }

  get state(): EnvironmentState {
    return this.#environment.state;
  }

  /** Written before the result of the call, and once: a call that is made again does not change the state again. */
  async commit(executed: ExecutedCall): Promise<void> {
    const cause = `call:${executed.result.callId}`;
    if (this.#journal.entries().some((entry) => entry.type === "env" && entry.cause === cause)) return;
    try {
      const patches = this.#change(executed, cause);
      if (patches.length === 0) return;
      await this.#journal.write({ type: "env", version: this.#environment.version, patches, cause }, { sync: false });
    } catch (thrown) {
      const error = toAgentError(thrown, { kind: "tool", code: "env_refused" });
      this.#journal.emit({ type: "error", error: error.view(), stopsRun: false });
    }
  }

  /** What the model has not been told yet; undefined when it knows all. */
  note(): StateNotePart | undefined {
    const { version } = this.#environment;
    const told = lastNoted(this.#journal.entries());
    if (told === version || (version === 0 && !this.#hasInitial)) return undefined;
    const { kind, text } = this.#environment.toContext(this.#maxNoteTokens, told);
    return text === "" ? undefined : { type: "state_note", kind, text, envVersion: version };
  }

  #change({ env, result }: ExecutedCall, cause: string): readonly EnvPatch[] {
    if (env.length > 0) {
      this.#environment.apply(env, cause);
      return env;
    }
    return this.#hasReducers ? this.#environment.updateFromToolResult(result.toolName, result) : [];
  }
}

/** Version of the last note that is still sent; undefined means begin with a snapshot. */
function lastNoted(entries: readonly TranscriptEntry[]): number | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.type === "compaction") return undefined;
    if (entry.type !== "message") continue;
    for (const part of entry.message.parts) {
      if (part.type === "state_note" && part.envVersion !== undefined) return part.envVersion;
    }
  }
  return undefined;
}
