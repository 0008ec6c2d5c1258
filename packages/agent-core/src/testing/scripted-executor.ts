// a script → an executor whose runs end just so
import type { AgentExecutor } from "../agent/executor.ts";
import type { ExecuteInput } from "../agent/options.ts";
import type { RunHandle } from "../agent/run.ts";
import type { Clock } from "../types/clock.ts";
import type { AgentEvent, AgentEventBody, ExecutionOutcome } from "../types/events.ts";

/** How one run goes. */
export interface ExecutorStep {
  /** The answer of a run that finishes. Default empty. */
  readonly text?: string;
  /** Told on the way. */
  readonly events?: readonly AgentEventBody[];
  readonly signals?: ExecutionOutcome["signals"];
  /** Another end than finishing with `text`. */
  readonly outcome?:
    | Pick<Extract<ExecutionOutcome, { status: "failed" }>, "status" | "error">
    | Pick<Extract<ExecutionOutcome, { status: "paused" }>, "status" | "pause">
    | Pick<Extract<ExecutionOutcome, { status: "stopped" }>, "status" | "reason" | "message" | "text">;
  /** By the clock. Default 0. */
  readonly takesMs?: number;
}

/** An executor whose runs end as the script says. */
export interface ScriptedExecutor extends Pick<AgentExecutor, "execute"> {
  /** Everything it was asked, oldest first. */
  readonly inputs: readonly ExecuteInput[];
}

/** Asks the script at each run; a run can be cancelled while it takes its time. */
export function scriptedExecutor(
  clock: Clock,
  script: (input: ExecuteInput, number: number) => ExecutorStep,
): ScriptedExecutor {
  const inputs: ExecuteInput[] = [];
  return {
    inputs,
    execute(input) {
      inputs.push(input);
      return toHandle(clock, `run_${inputs.length}`, input, script(input, inputs.length));
    },
  };
}

const METRICS: ExecutionOutcome["metrics"] = {
  totalInputTokens: 0,
  totalOutputTokens: 0,
  invocations: 1,
  toolCalls: 0,
  retries: 0,
  compactions: 0,
  costMicroUsd: 0,
  wallMs: 0,
};

function toHandle(clock: Clock, runId: string, { sessionId }: ExecuteInput, step: ExecutorStep): RunHandle {
  const abort = new AbortController();
  const rest = { metrics: METRICS, warnings: [], signals: step.signals ?? [] };
  const finished = { status: "finished", by: "model", text: step.text ?? "" } as const;
  const outcome: Promise<ExecutionOutcome> = waitOut(clock, step.takesMs ?? 0, abort.signal).then((isWhole) =>
    isWhole
      ? { ...rest, ...(step.outcome ?? finished) }
      : { ...rest, status: "cancelled", reason: String(abort.signal.reason) },
  );
  const toEvent = (body: AgentEventBody, index: number): AgentEvent => ({
    ...body,
    v: 1,
    seq: index + 1,
    runId,
    sessionId,
    turn: 1,
    ts: new Date(clock.now()).toISOString(),
  });
  async function* events(): AsyncGenerator<AgentEvent> {
    yield* (step.events ?? []).map(toEvent);
    await outcome;
  }
  return {
    runId,
    sessionId,
    messages: [],
    outcome,
    events,
    [Symbol.asyncIterator]: events,
    steer: () => "run_over",
    followUp: () => "run_over",
    async cancel(reason) {
      abort.abort(reason ?? "user");
      await outcome;
    },
  };
}

async function waitOut(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms === 0) return !signal.aborted;
  return clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
}
