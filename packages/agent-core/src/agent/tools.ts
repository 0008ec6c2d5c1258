// calls of one turn → results, each written down and told; what they change → the state that the model is told
import type { ArtifactRegistry } from "../artifacts/artifact-registry.ts";
import { type Environment, type EnvironmentOptions, replayEnvironment } from "../context/environment.ts";
import type { RetryBudget } from "../llm/retry.ts";
import type { ToolIntentRecord, TranscriptEntry } from "../session/session-store.ts";
import type { BatchEnd, BatchHooks, ExecutedCall, SettledCall, ToolRun } from "../tools/tool.ts";
import type { ToolExecutor } from "../tools/tool-executor.ts";
import { textResult } from "../tools/tool-output.ts";
import type { EnvironmentState, EnvPatch } from "../types/environment.ts";
import { toAgentError } from "../types/errors.ts";
import type { StateNotePart, ToolCall, ToolOutcome, ToolResultPart } from "../types/message.ts";
import type { RunJournal } from "./journal.ts";
import { isToolAllowed, type RunDetails } from "./options.ts";
import { hasUntrusted } from "./untrusted.ts";

export type ToolStep = { readonly call: ToolCall; readonly result: ToolResultPart; readonly terminate: boolean };

export interface ToolTurn extends BatchEnd {
  readonly steps: readonly ToolStep[];
}

interface RunToolsParts {
  readonly executor: ToolExecutor;
  readonly journal: RunJournal;
  readonly env: RunEnvironment;
  readonly details: RunDetails;
  readonly signal: AbortSignal;
  /** X10: shared with the model's calls. */
  readonly retryBudget?: RetryBudget;
  /** Absent after a crash, when there is no run to pay. */
  readonly pay?: ToolRun["pay"];
  /** Told of every artifact. */
  readonly register: ArtifactRegistry["register"];
}

/** The tools in the hands of one run. */
export class RunTools {
  readonly env: RunEnvironment;
  readonly #given: RunToolsParts;

  constructor(given: RunToolsParts) {
    this.env = given.env;
    this.#given = given;
  }

  /**
   * Each call gets exactly one result or waits, also when the run is cancelled in the middle. `approved` holds ids of
   * calls that a person said yes to, `subjects` what about, `edited` ids of those whose arguments a person changed: the
   * model is told.
   */
  async run(
    calls: readonly ToolCall[],
    {
      approved,
      edited,
      subjects,
    }: {
      readonly approved?: ReadonlySet<string>;
      readonly edited?: ReadonlySet<string>;
      readonly subjects?: ToolRun["subjects"];
    } = {},
  ): Promise<ToolTurn> {
    const byId = new Map(calls.map((call) => [call.id, call]));
    const steps: ToolStep[] = [];
    const onResult = async (executed: ExecutedCall): Promise<void> => {
      const call = byId.get(executed.result.callId);
      const told = call && edited?.has(call.id) ? tellEdit(executed, call) : executed;
      this.#given.journal.count("toolCalls");
      await this.record(told);
      if (call) steps.push({ call, result: told.result, terminate: told.terminate });
    };
    const askedIn = runOfCall(calls[0], this.#given.journal.entries());
    const run = { ...this.#toolRun(), askedIn, subjects, retryBudget: this.#given.retryBudget };
    const end = await this.#given.executor.executeBatch(calls, run, { ...this.#hooks(), onResult }, approved);
    return { ...end, steps };
  }

  /** Answers calls that are not going to be executed. */
  async answer(calls: readonly ToolCall[], outcome: ToolOutcome, why: string): Promise<void> {
    for (const call of calls) {
      this.#given.journal.emit({ type: "tool_call", call, decision: "deny" });
      await this.recordResult(textResult(call, outcome, why));
    }
  }

  async recordResult(result: ToolResultPart, options?: { readonly replayed: boolean }): Promise<void> {
    await this.record({ result, durationMs: 0, env: [], terminate: false }, options);
  }

  /** 1.7.7: the result is on disk before anybody hears of it. `replayed` when an earlier life of the program began it. */
  async record(executed: ExecutedCall, { replayed } = { replayed: false }): Promise<void> {
    const { result, durationMs, warnings = [] } = executed;
    const { journal } = this.#given;
    await this.env.commit(executed);
    await journal.write({ type: "message", message: journal.newMessage("tool_result", "tool", [result]) });
    journal.emit({ type: "tool_result", result, durationMs, replayed });
    for (const { code, message } of warnings) journal.warn(code, message);
  }

  /** After a crash between intent and result: as the replay policy of the tool says. */
  async settle(call: ToolCall, intent: ToolIntentRecord): Promise<SettledCall["action"]> {
    const made = { ...call, arguments: intent.arguments };
    const hooks = { ...this.#hooks(), onResult: async () => undefined };
    const { executed, action } = await this.#given.executor.settleInterrupted(intent, made, this.#toolRun(), hooks);
    await this.record(executed, { replayed: true });
    return action;
  }

  #toolRun(): ToolRun {
    const { journal, details, signal, pay } = this.#given;
    const { runId, sessionId } = journal;
    const allowed = (name: string): boolean => isToolAllowed(name, details.tools);
    const untrusted = hasUntrusted(journal.entries());
    return { signal, runId, sessionId, principal: details.principal, env: this.env.state, untrusted, allowed, pay };
  }

  /** Everything but the results. */
  #hooks(): Omit<BatchHooks, "onResult"> {
    const { journal, details, register } = this.#given;
    const { runId, sessionId } = journal;
    const { userId } = details.principal;
    return {
      onDecision: (call, decision) => journal.emit({ type: "tool_call", call, decision }),
      onIntent: (intent) => journal.write({ type: "tool_intent", intent }),
      onProgress: (callId, note, fraction) => journal.emit({ type: "tool_progress", callId, note, fraction }),
      onSignal: (name, data) => journal.signal(name, data, "tool"),
      onArtifact: (ref, reason) => {
        register(ref, { reason, runId, sessionId, userId });
        journal.emit({ type: "artifact", ref, reason });
      },
    };
  }
}

/** The run in which the model made this call. Calls of one batch come from one answer. */
function runOfCall(call: ToolCall | undefined, entries: readonly TranscriptEntry[]): string | undefined {
  return entries.findLast(
    (entry) =>
      entry.type === "message" &&
      entry.message.role === "assistant" &&
      entry.message.parts.some((part) => part.type === "tool_call" && part.call.id === call?.id),
  )?.runId;
}

function tellEdit(executed: ExecutedCall, call: ToolCall): ExecutedCall {
  const text = `[A person changed the arguments to ${JSON.stringify(call.arguments)}]`;
  const { result } = executed;
  return { ...executed, result: { ...result, content: [{ type: "text", text }, ...result.content] } };
}

/** The environment of one session while a run goes on. */
export class RunEnvironment {
  readonly #environment: Environment;
  readonly #journal: RunJournal;
  readonly #options: EnvironmentOptions;
  readonly #maxNoteTokens: number;
  /** Calls whose change is in the transcript. */
  readonly #causes = new Set<string>();
  /** Version of the last note that is still sent; undefined means begin with a snapshot. */
  #told: number | undefined;
  #linesRead = 0;

  constructor(journal: RunJournal, options: EnvironmentOptions = {}, maxNoteTokens = 0) {
    this.#journal = journal;
    this.#options = options;
    this.#maxNoteTokens = maxNoteTokens;
    this.#environment = replayEnvironment(journal.entries(), options);
  }

  get state(): EnvironmentState {
    return this.#environment.state;
  }

  /** Written before the result of the call, and once: a call that is made again does not change the state again. */
  async commit(executed: ExecutedCall): Promise<void> {
    const cause = `call:${executed.result.callId}`;
    this.#readOn();
    if (this.#causes.has(cause)) return;
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
    this.#readOn();
    const told = this.#told;
    if (told === version || (version === 0 && !this.#options.initial)) return undefined;
    const { kind, text } = this.#environment.toContext(this.#maxNoteTokens, told);
    return text === "" ? undefined : { type: "state_note", kind, text, envVersion: version };
  }

  /** X4: what changed is told at the end of the conversation, never in the middle of it. */
  async writeNote(): Promise<boolean> {
    const note = this.note();
    if (note) await this.#journal.write({ type: "message", message: this.#journal.newMessage("user", "core", [note]) });
    return note !== undefined;
  }

  /** Only what was written since: a long conversation is not read again at every turn. */
  #readOn(): void {
    const entries = this.#journal.entries();
    for (; this.#linesRead < entries.length; this.#linesRead++) {
      const entry = entries[this.#linesRead];
      if (entry?.type === "env") this.#causes.add(entry.cause);
      if (entry?.type === "compaction") this.#told = undefined;
      if (entry?.type !== "message") continue;
      for (const part of entry.message.parts)
        if (part.type === "state_note") this.#told = part.envVersion ?? this.#told;
    }
  }

  #change({ env, result }: ExecutedCall, cause: string): readonly EnvPatch[] {
    if (env.length > 0) {
      this.#environment.apply(env, cause);
      return env;
    }
    return this.#options.reducers ? this.#environment.updateFromToolResult(result.toolName, result) : [];
  }
}
