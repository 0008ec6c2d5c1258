// what waits for a person ⇄ the person's answer, from any interface, also after a restart

import type { AgentEvent, AgentExecutor, PauseRecord, Resolution, RunHandle } from "@vision-agent/agent-core";
import type { Pause, PauseAnswer } from "@vision-agent/protocol";
import { KindedError } from "../workspace/kinded-error.ts";
import { OWNER } from "./owner.ts";

/** `not_found` no such pause, or it was answered · `unfit` an answer that this question does not take. */
export type PauseErrorKind = "not_found" | "unfit";

/** A pause could not be answered. */
export class PauseError extends KindedError<PauseErrorKind> {}

export interface Pauses {
  /** Oldest first; of one session when it is named. */
  list(sessionId?: string): Promise<readonly Pause[]>;
  /** The run goes on, whether or not anybody listens. Rejects with `PauseError`. */
  answer(id: string, answer: PauseAnswer): Promise<RunHandle>;
  /**
   * What a person just says in a session that waits: the answer to its question, or yes or no to what wants an
   * approval. Undefined when nothing waits or the words are no such answer; then they are a new message.
   */
  answerInWords(sessionId: string, text: string): Promise<RunHandle | undefined>;
  /** Told when something began to wait or was answered. Must not throw. Returns the way to stop. */
  onChange(listener: () => void): () => void;
}

export interface PausesOptions {
  readonly executor: Pick<AgentExecutor, "listPaused" | "resume">;
  /** What happens in runs. */
  readonly onEvent: (listener: (event: AgentEvent) => void) => void;
  /** Told of each run that goes on, as jobs are whose run had paused. Must not throw. */
  readonly onResumed?: (pauseId: string, run: RunHandle) => void;
  /** Told of the calls that a person said no to, before the run goes on. */
  readonly onDenied?: (calls: readonly { readonly sessionId: string; readonly callId: string }[]) => Promise<void>;
}

const YES = /^(?:y|yes|yep|yeah|ok|okay|sure|please do|do it|go ahead|go on|approve|approved|confirm|confirmed)$/i;
const NO = /^(?:n|no|nope|nah|don'?t|do not|stop|cancel|never mind|deny|denied|refuse)$/i;

export function createPauses({ executor, onEvent, onResumed, onDenied }: PausesOptions): Pauses {
  const listeners = new Set<() => void>();
  // A pause ends with the next run of its session and begins with the end of one.
  onEvent(({ type }) => {
    if (type !== "run_started" && type !== "run_ended") return;
    for (const listener of listeners) listener();
  });
  /** Being answered: whoever comes second is too late. */
  const answering = new Set<string>();
  const resume = async (pause: PauseRecord, resolution: Resolution): Promise<RunHandle> => {
    if (answering.has(pause.id)) throw tooLate(pause.id);
    answering.add(pause.id);
    try {
      return await goOn(pause, resolution);
    } catch (error) {
      answering.delete(pause.id);
      throw error;
    }
  };
  const goOn = async (pause: PauseRecord, resolution: Resolution): Promise<RunHandle> => {
    const { sessionId, calls } = pause;
    if (resolution.kind === "deny") await onDenied?.(calls.map(({ callId }) => ({ sessionId, callId })));
    const run = executor.resume(pause.id, resolution, { principal: OWNER });
    onResumed?.(pause.id, run);
    void run.outcome.finally(() => answering.delete(pause.id));
    return run;
  };
  return {
    async list(sessionId) {
      const waiting = await executor.listPaused(sessionId === undefined ? {} : { sessionId });
      return waiting.map(toPause);
    },
    async answer(id, answer) {
      const pause = (await executor.listPaused()).find((one) => one.id === id);
      if (pause === undefined) throw tooLate(id);
      return resume(pause, toResolution(pause, answer));
    },
    async answerInWords(sessionId, text) {
      const [pause, another] = await executor.listPaused({ sessionId });
      if (pause === undefined || another !== undefined) return undefined;
      const answer = readAnswer(pause, text.trim());
      return answer && resume(pause, toResolution(pause, answer));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function tooLate(id: string): PauseError {
  return new PauseError("not_found", `Nothing waits under ${id}: it was answered, or a new message took its place.`);
}

function readAnswer(pause: PauseRecord, text: string): PauseAnswer | undefined {
  if (pause.kind === "ask_user") return choiceOf(pause, text) === undefined ? undefined : { decision: "answer", text };
  const words = text.replace(/[\s,.!]+/g, " ").trim();
  if (YES.test(words)) return { decision: "approve" };
  return NO.test(words) ? { decision: "deny" } : undefined;
}

function toResolution(pause: PauseRecord, { decision, text }: PauseAnswer): Resolution {
  const { token } = pause;
  const wantsAnswer = pause.kind === "ask_user" || pause.kind === "external_event";
  if (decision === "answer") {
    if (!wantsAnswer) throw new PauseError("unfit", "This wants a yes or no: decide with approve or deny.");
    if (!text) throw new PauseError("unfit", "An answer needs a text.");
    const value = choiceOf(pause, text);
    if (value === undefined) throw new PauseError("unfit", `Choose one of: ${pause.choices?.join(", ")}.`);
    return { token, kind: "answer", value };
  }
  if (wantsAnswer && decision === "approve") throw new PauseError("unfit", "This is a question: decide with answer.");
  return { token, kind: decision, ...(text !== undefined && text !== "" && { message: text }) };
}

/** The text itself where anything is taken, else the choice that it names. */
function choiceOf({ choices }: PauseRecord, text: string): string | undefined {
  return choices === undefined ? text : choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
}

/** The token stays inside: who may call this server may answer. */
function toPause(record: PauseRecord): Pause {
  return {
    id: record.id,
    session_id: record.sessionId,
    run_id: record.runId,
    kind: record.kind,
    prompt: record.prompt,
    choices: [...(record.choices ?? [])],
    created_at: record.createdAt,
    expires_at: record.expiresAt ?? null,
    calls: record.calls.map(({ callId, toolName, preview }) => ({
      call_id: callId,
      tool: toolName,
      arguments: preview,
    })),
  };
}
