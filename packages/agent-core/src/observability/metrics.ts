// events of runs → counts and durations per model and per tool
import type { AgentEvent } from "../types/events.ts";
import type { Usage } from "../types/usage.ts";
import { addDuration, EMPTY_HISTOGRAM, type Histogram } from "./histogram.ts";

/** How often each name was met. */
export interface Counts {
  readonly [name: string]: number;
}

/** AI-16, AF-37: totals of one model. */
export interface ModelMetrics {
  /** Attempts included. */
  readonly requests: number;
  readonly answers: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** By code of the error. */
  readonly retries: Counts;
  readonly stopReasons: Counts;
  /** From the request to the whole answer. */
  readonly durationMs: Histogram;
  /** From the request to the first text or thought. */
  readonly firstTokenMs: Histogram;
}

/** AF-34: totals of one tool. */
export interface ToolMetrics {
  readonly calls: number;
  /** `allow`, `deny` and `ask`. */
  readonly decisions: Counts;
  readonly outcomes: Counts;
  /** Calls of an earlier life of the program that were settled in this one. */
  readonly replayed: number;
  readonly durationMs: Histogram;
}

/** Plain data: JSON can hold it. */
export interface MetricsSnapshot {
  readonly runs: {
    readonly started: number;
    /** Finished runs by their reason, others by their status. */
    readonly ended: Counts;
    readonly wallMs: Histogram;
    /** Millionths of a dollar. */
    readonly costMicroUsd: number;
  };
  readonly models: { readonly [model: string]: ModelMetrics };
  readonly tools: { readonly [tool: string]: ToolMetrics };
  /** By code. */
  readonly errors: Counts;
  readonly warnings: Counts;
  /** By kind. */
  readonly pauses: Counts;
  /** By action: `cleared`, `compacted` … */
  readonly context: Counts;
  /** By level: `warn`, `stop`. */
  readonly budget: Counts;
  readonly artifacts: { readonly count: number; readonly bytes: number };
}

/** AF-37: collects from events, and from nothing else. */
export interface Metrics {
  /** Each event once, those of a run in their order; runs may be mixed. */
  record(event: AgentEvent): void;
  snapshot(): MetricsSnapshot;
}

/** The same events give the same numbers: times are those of the events. */
export function createMetrics(): Metrics {
  let state = EMPTY_STATE;
  return {
    record(event) {
      state = addEvent(state, event);
    },
    snapshot: () => state.totals,
  };
}

/** A request that has no answer yet. */
interface OpenRequest {
  readonly model: string;
  readonly sentAt: number;
  readonly hasSpoken: boolean;
}

interface State {
  readonly totals: MetricsSnapshot;
  readonly open: ReadonlyMap<string, OpenRequest>;
}

const EMPTY_MODEL: ModelMetrics = {
  requests: 0,
  answers: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  retries: {},
  stopReasons: {},
  durationMs: EMPTY_HISTOGRAM,
  firstTokenMs: EMPTY_HISTOGRAM,
};

const EMPTY_TOOL: ToolMetrics = { calls: 0, decisions: {}, outcomes: {}, replayed: 0, durationMs: EMPTY_HISTOGRAM };

const EMPTY_STATE: State = {
  totals: {
    runs: { started: 0, ended: {}, wallMs: EMPTY_HISTOGRAM, costMicroUsd: 0 },
    models: {},
    tools: {},
    errors: {},
    warnings: {},
    pauses: {},
    context: {},
    budget: {},
    artifacts: { count: 0, bytes: 0 },
  },
  open: new Map(),
};

function addEvent(state: State, event: AgentEvent): State {
  const { totals } = state;
  switch (event.type) {
    case "request":
      return addRequest(state, event);
    case "text_delta":
    case "thinking_delta":
      return addFirstToken(state, event);
    case "message":
      return addAnswer(state, event);
    case "retry":
      return addRetry(state, event);
    case "tool_call":
    case "tool_result":
      return { ...state, totals: { ...totals, tools: addToolEvent(totals.tools, event) } };
    case "run_started":
      return { ...state, totals: { ...totals, runs: { ...totals.runs, started: totals.runs.started + 1 } } };
    case "run_ended":
      return addRunEnd(state, event);
    case "error":
      return { ...state, totals: { ...totals, errors: count(totals.errors, event.error.code) } };
    case "warning":
      return { ...state, totals: { ...totals, warnings: count(totals.warnings, event.code) } };
    case "paused":
      return { ...state, totals: { ...totals, pauses: count(totals.pauses, event.pause.kind) } };
    case "context":
      return { ...state, totals: { ...totals, context: count(totals.context, event.action) } };
    case "budget":
      return { ...state, totals: { ...totals, budget: count(totals.budget, event.level) } };
    case "artifact": {
      const { count: before, bytes } = totals.artifacts;
      return { ...state, totals: { ...totals, artifacts: { count: before + 1, bytes: bytes + event.ref.bytes } } };
    }
    default:
      return state;
  }
}

function addRequest(state: State, { runId, model, ts }: Extract<AgentEvent, { type: "request" }>): State {
  const sent: OpenRequest = { model, sentAt: Date.parse(ts), hasSpoken: false };
  return change(withOpen(state, runId, sent), model, ({ requests }) => ({ requests: requests + 1 }));
}

function addFirstToken(state: State, event: Extract<AgentEvent, { type: "text_delta" | "thinking_delta" }>): State {
  const open = state.open.get(event.runId);
  if (!open || open.hasSpoken) return state;
  const spoken = withOpen(state, event.runId, { ...open, hasSpoken: true });
  return change(spoken, open.model, ({ firstTokenMs }) => ({ firstTokenMs: since(firstTokenMs, open, event) }));
}

function addAnswer(state: State, event: Extract<AgentEvent, { type: "message" }>): State {
  const open = state.open.get(event.runId);
  // Messages of a person or a tool answer no request.
  if (!open || event.message.role !== "assistant") return state;
  return change(withOpen(state, event.runId, undefined), open.model, (before) => ({
    ...addUsage(before, event.usage),
    answers: before.answers + 1,
    stopReasons: count(before.stopReasons, event.stopReason),
    durationMs: since(before.durationMs, open, event),
  }));
}

function addRetry(state: State, { runId, error }: Extract<AgentEvent, { type: "retry" }>): State {
  const open = state.open.get(runId);
  if (!open) return state;
  return change(withOpen(state, runId, undefined), open.model, ({ retries }) => ({
    retries: count(retries, error.code),
  }));
}

function addToolEvent(
  tools: MetricsSnapshot["tools"],
  event: Extract<AgentEvent, { type: "tool_call" | "tool_result" }>,
): MetricsSnapshot["tools"] {
  const name = event.type === "tool_call" ? event.call.toolName : event.result.toolName;
  const before = own(tools, name) ?? EMPTY_TOOL;
  const after: ToolMetrics =
    event.type === "tool_call"
      ? { ...before, calls: before.calls + 1, decisions: count(before.decisions, event.decision) }
      : {
          ...before,
          outcomes: count(before.outcomes, event.result.outcome),
          replayed: before.replayed + (event.replayed ? 1 : 0),
          durationMs: addDuration(before.durationMs, event.durationMs),
        };
  return { ...tools, [name]: after };
}

function addRunEnd(state: State, { runId, outcome }: Extract<AgentEvent, { type: "run_ended" }>): State {
  const { runs } = state.totals;
  const how = outcome.status === "finished" ? outcome.finish : outcome.status;
  const ended = {
    ...runs,
    ended: count(runs.ended, how),
    wallMs: addDuration(runs.wallMs, outcome.metrics.wallMs),
    costMicroUsd: runs.costMicroUsd + outcome.metrics.costMicroUsd,
  };
  return withOpen({ ...state, totals: { ...state.totals, runs: ended } }, runId, undefined);
}

function withOpen(state: State, runId: string, request: OpenRequest | undefined): State {
  const open = new Map(state.open);
  if (request) open.set(runId, request);
  else open.delete(runId);
  return { ...state, open };
}

function change(state: State, model: string, toChanges: (before: ModelMetrics) => Partial<ModelMetrics>): State {
  const { models } = state.totals;
  const before = own(models, model) ?? EMPTY_MODEL;
  const after = { ...before, ...toChanges(before) };
  return { ...state, totals: { ...state.totals, models: { ...models, [model]: after } } };
}

function since(histogram: Histogram, { sentAt }: OpenRequest, event: AgentEvent): Histogram {
  return addDuration(histogram, Date.parse(event.ts) - sentAt);
}

function addUsage(before: ModelMetrics, usage: Usage): Partial<ModelMetrics> {
  const passes = [usage, ...(usage.extraIterations ?? [])];
  const sum = (read: (pass: Usage) => number): number => passes.reduce((total, pass) => total + read(pass), 0);
  return {
    inputTokens: before.inputTokens + sum((pass) => pass.inputTokens),
    outputTokens: before.outputTokens + sum((pass) => pass.outputTokens),
    cacheReadTokens: before.cacheReadTokens + sum((pass) => pass.cacheReadTokens),
    cacheWriteTokens: before.cacheWriteTokens + sum((pass) => pass.cacheWriteTokens),
    reasoningTokens: before.reasoningTokens + sum((pass) => pass.reasoningTokens),
  };
}

function count(counts: Counts, name: string): Counts {
  return { ...counts, [name]: (own(counts, name) ?? 0) + 1 };
}

/** Names come from outside: `constructor` is one like any other. */
function own<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
