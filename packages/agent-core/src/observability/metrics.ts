// events of runs → counters and histograms that Prometheus reads
import { Counter, Histogram, Registry } from "prom-client";
import { type AgentEvent, byEventType, type EventOf, type EventTable } from "../types/events.ts";
import type { Usage } from "../types/message.ts";

/** Counters and histograms of runs, calls and tools. */
export type Metrics = Pick<EventMetrics, keyof EventMetrics>;

/** The same events give the same numbers: times are those of the events. */
export function createMetrics(): Metrics {
  return new EventMetrics();
}

/** Upper ends of the buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** A request that has no answer yet. */
interface OpenRequest {
  readonly model: string;
  readonly sentAt: number;
  readonly hasSpoken: boolean;
}

/** AF-34, AF-37: collects from events, and from nothing else. */
class EventMetrics {
  /** Its own, not the global one. `await registry.metrics()` is the text for Prometheus; every name begins with `agent_`. */
  readonly registry = new Registry();
  readonly #open = new Map<string, OpenRequest>();
  /** Of the runs that go on. */
  readonly #models = new Map<string, string>();

  readonly #runsStarted = this.#counter("runs_started_total", "Runs that began");
  readonly #runsEnded = this.#counter("runs_ended_total", "Stopped runs by reason, others by status", "how");
  readonly #cost = this.#counter("cost_micro_usd_total", "Millionths of a dollar, by the model of the run", "model");
  readonly #runSeconds = this.#histogram("run_duration_seconds", "From the start of a run to its end");

  readonly #requests = this.#counter("model_requests_total", "Requests, repeated attempts included", "model");
  readonly #answers = this.#counter("model_answers_total", "Whole answers by stop reason", "model", "stop_reason");
  readonly #inputTokens = this.#counter("model_input_tokens_total", "Input tokens, cached ones apart", "model");
  readonly #outputTokens = this.#counter("model_output_tokens_total", "Output tokens", "model");
  readonly #cacheReadTokens = this.#counter("model_cache_read_tokens_total", "Tokens read from the cache", "model");
  readonly #cacheWriteTokens = this.#counter("model_cache_write_tokens_total", "Tokens written to the cache", "model");
  readonly #reasoningTokens = this.#counter("model_reasoning_tokens_total", "Output tokens spent thinking", "model");
  readonly #retries = this.#counter("model_retries_total", "Attempts that failed, by error code", "model", "code");
  readonly #answerSeconds = this.#histogram("model_duration_seconds", "From the request to the whole answer", "model");
  readonly #firstTokenSeconds = this.#histogram("model_first_token_seconds", "From request to first text", "model");

  readonly #toolCalls = this.#counter("tool_calls_total", "Calls by decision: allow, deny or ask", "tool", "decision");
  readonly #toolResults = this.#counter("tool_results_total", "Results by outcome", "tool", "outcome");
  readonly #replayed = this.#counter("tool_replayed_total", "Calls of an earlier process settled in this one", "tool");
  readonly #toolSeconds = this.#histogram("tool_duration_seconds", "From the call of a tool to its result", "tool");

  readonly #errors = this.#counter("errors_total", "Errors", "code");
  readonly #warnings = this.#counter("warnings_total", "Warnings", "code");
  readonly #pauses = this.#counter("pauses_total", "Runs that waited for a person", "kind");
  readonly #contextActions = this.#counter("context_actions_total", "Contexts cleared or compacted", "action");
  readonly #budgetEvents = this.#counter("budget_events_total", "Budgets that ran low or out", "level");
  readonly #artifacts = this.#counter("artifacts_total", "Artifacts that were stored");
  readonly #artifactBytes = this.#counter("artifact_bytes_total", "Bytes of the artifacts that were stored");

  readonly #on: EventTable<void> = {
    run_started: ({ runId, model }) => {
      this.#models.set(runId, model);
      this.#runsStarted.inc();
    },
    run_ended: ({ runId, outcome }) => {
      this.#open.delete(runId);
      this.#runsEnded.inc({ how: outcome.status === "stopped" ? outcome.reason : outcome.status });
      this.#cost.inc({ model: this.#models.get(runId) ?? "unknown" }, toCount(outcome.metrics.costMicroUsd));
      this.#models.delete(runId);
      this.#runSeconds.observe(toSeconds(outcome.metrics.wallMs));
    },
    request: ({ runId, model, ts }) => {
      this.#open.set(runId, { model, sentAt: Date.parse(ts), hasSpoken: false });
      this.#requests.inc({ model });
    },
    text_delta: (event) => this.#firstToken(event),
    thinking_delta: (event) => this.#firstToken(event),
    message: (event) => this.#answer(event),
    retry: ({ runId, error }) => {
      const open = this.#open.get(runId);
      this.#open.delete(runId);
      if (open) this.#retries.inc({ model: open.model, code: error.code });
    },
    tool_call: ({ call, decision }) => this.#toolCalls.inc({ tool: call.toolName, decision }),
    tool_result: ({ result: { toolName: tool, outcome }, replayed, durationMs }) => {
      this.#toolResults.inc({ tool, outcome });
      this.#toolSeconds.observe({ tool }, toSeconds(durationMs));
      if (replayed) this.#replayed.inc({ tool });
    },
    error: ({ error }) => this.#errors.inc({ code: error.code }),
    warning: ({ code }) => this.#warnings.inc({ code }),
    paused: ({ pause }) => this.#pauses.inc({ kind: pause.kind }),
    context: ({ action }) => this.#contextActions.inc({ action }),
    budget: ({ level }) => this.#budgetEvents.inc({ level }),
    artifact: ({ ref }) => {
      this.#artifacts.inc();
      this.#artifactBytes.inc(ref.bytes);
    },
  };

  /** Each event once, those of a run in their order; runs may be mixed. */
  record(event: AgentEvent): void {
    byEventType(this.#on, event);
  }

  #firstToken({ runId, ts }: EventOf<"text_delta" | "thinking_delta">): void {
    const open = this.#open.get(runId);
    if (!open || open.hasSpoken) return;
    this.#open.set(runId, { ...open, hasSpoken: true });
    this.#firstTokenSeconds.observe({ model: open.model }, sinceRequest(open, ts));
  }

  #answer({ runId, ts, message, stopReason, usage }: EventOf<"message">): void {
    const open = this.#open.get(runId);
    // Messages of a person or a tool answer no request.
    if (!open || message.role !== "assistant") return;
    const { model } = open;
    this.#open.delete(runId);
    this.#answers.inc({ model, stop_reason: stopReason });
    this.#answerSeconds.observe({ model }, sinceRequest(open, ts));
    for (const pass of [usage, ...(usage.extraIterations ?? [])]) this.#addUsage(model, pass);
  }

  #addUsage(model: string, usage: Usage): void {
    this.#inputTokens.inc({ model }, toCount(usage.inputTokens));
    this.#outputTokens.inc({ model }, toCount(usage.outputTokens));
    this.#cacheReadTokens.inc({ model }, toCount(usage.cacheReadTokens));
    this.#cacheWriteTokens.inc({ model }, toCount(usage.cacheWriteTokens));
    this.#reasoningTokens.inc({ model }, toCount(usage.reasoningTokens));
  }

  #counter<L extends string>(name: string, help: string, ...labelNames: readonly L[]): Counter<L> {
    return new Counter({ name: `agent_${name}`, help, labelNames, registers: [this.registry] });
  }

  #histogram<L extends string>(name: string, help: string, ...labelNames: readonly L[]): Histogram<L> {
    const options = { help, labelNames, buckets: BUCKETS, registers: [this.registry] };
    return new Histogram({ name: `agent_${name}`, ...options });
  }
}

function sinceRequest({ sentAt }: OpenRequest, ts: string): number {
  return toSeconds(Date.parse(ts) - sentAt);
}

function toSeconds(ms: number): number {
  return toCount(ms) / 1_000;
}

/** A clock that was set back gives negative durations, which no counter takes. */
function toCount(value: number): number {
  return Number.isFinite(value) ? Math.max(0, value) : 0;
}
