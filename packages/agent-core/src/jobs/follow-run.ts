// a run of the agent → how the job's run ends
import type { RunHandle } from "../agent/run.ts";
import { AgentError, type ErrorView } from "../types/errors.ts";
import type { AgentEvent, ExecutionOutcome, Signal } from "../types/events.ts";
import type { JobRun } from "./job-spec.ts";

type AlertEvent = Extract<AgentEvent, { type: "alert" }>;

/** What a run of the agent came to, in the words of jobs. */
export interface JobRunEnd extends Pick<JobRun, "output" | "error" | "reason" | "pause"> {
  readonly state: "completed" | "failed" | "timed_out" | "cancelled" | "paused";
  /** What tools raised on the way. */
  readonly alerts: readonly AlertEvent[];
  readonly signals: readonly Signal[];
}

/** Reads the run to its end; cancels it when the signal fires. */
export async function followRun(handle: RunHandle, signal: AbortSignal): Promise<JobRunEnd> {
  const cancel = (): void => {
    // How it ends is told by its outcome, which is waited for below.
    handle.cancel(toReason(signal)).catch(() => undefined);
  };
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    const [seen, outcome] = await Promise.all([collect(handle), handle.outcome]);
    const end = toRunEnd(outcome, signal);
    const artifacts = seen.artifacts.length > 0 ? seen.artifacts : undefined;
    const output = end.output && { ...end.output, artifacts };
    return { ...end, output, alerts: seen.alerts, signals: outcome.signals };
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

async function collect(handle: RunHandle): Promise<{ alerts: readonly AlertEvent[]; artifacts: readonly string[] }> {
  const alerts: AlertEvent[] = [];
  const artifacts = new Set<string>();
  for await (const event of handle) {
    if (event.type === "alert") alerts.push(event);
    if (event.type === "artifact" && event.reason === "tool") artifacts.add(event.ref.id);
  }
  return { alerts, artifacts: [...artifacts] };
}

type BareEnd = Omit<JobRunEnd, "alerts" | "signals">;

function toRunEnd(outcome: ExecutionOutcome, signal: AbortSignal): BareEnd {
  switch (outcome.status) {
    case "finished":
      return { state: "completed", output: { text: outcome.text, structured: outcome.structured } };
    case "stopped":
      return toEarlyEnd(outcome);
    case "paused": {
      const { pause } = outcome;
      return { state: "paused", reason: pause.prompt, pause: { id: pause.id, expiresAt: pause.expiresAt } };
    }
    case "failed":
      if (signal.aborted) return { ...toStopped(signal), ...toPartial(outcome.text) };
      return { state: "failed", error: outcome.error, ...toPartial(outcome.text) };
    case "cancelled": {
      const stopped: BareEnd = signal.aborted ? toStopped(signal) : { state: "cancelled", reason: outcome.reason };
      return { ...stopped, ...toPartial(outcome.text) };
    }
  }
}

/** The model was not done: the job has what was said so far, and has not been done. */
function toEarlyEnd({ reason, message, text }: Extract<ExecutionOutcome, { status: "stopped" }>): BareEnd {
  const output = { text };
  if (reason === "deadline") return { state: "timed_out", output, reason };
  const kind = reason === "budget" ? "budget" : "agent";
  return { state: "failed", output, error: { kind, code: reason, message, retryable: false } };
}

function toPartial(text: string | undefined): Pick<JobRunEnd, "output"> {
  return text === undefined ? {} : { output: { text } };
}

/** We stopped it ourselves: the signal knows why. */
export function toStopped(signal: AbortSignal): Pick<BareEnd, "state" | "reason"> {
  const reason: unknown = signal.reason;
  const isTimeout = reason instanceof AgentError && reason.kind === "timeout";
  return { state: isTimeout ? "timed_out" : "cancelled", reason: toReason(signal) };
}

function toReason(signal: AbortSignal): string {
  return signal.reason instanceof AgentError ? signal.reason.code : String(signal.reason);
}

/** A failure of what lies between us and the model, or a conversation that somebody else is just using. */
export function isInfrastructure({ kind, code, retryable }: ErrorView): boolean {
  if (kind === "network" || kind === "timeout" || kind === "rate_limit") return true;
  return (kind === "agent" && retryable) || code === "session_busy";
}

const AROUND = /^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu;

/** VA-3: nothing but the token, whatever marks stand around it. A token among other words is an answer. */
export function isSilentReply(text: string, token: string): boolean {
  return text.replaceAll(AROUND, "") === token.replaceAll(AROUND, "");
}
