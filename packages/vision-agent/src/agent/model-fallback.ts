// a message + what is left of the day → the configured model, a smaller one, or the offline interpreter
import {
  type AgentEvent,
  type AgentExecutor,
  type ExecuteInput,
  type FlushReport,
  type ModelProfile,
  type Priority,
  type RequestConfig,
  type RunHandle,
  worstCaseMicroUsd,
} from "@vision-agent/agent-core";
import type { BudgetView } from "./budget-view.ts";

/** One who can answer, over the same sessions and tools as the others. */
export interface ModelTier {
  readonly executor: AgentExecutor;
  /** Defaults of its requests; what a message asks for wins. */
  readonly config: RequestConfig;
  /** Absent: its calls cost nothing. */
  readonly price?: ModelProfile["price"];
  /** For one who cannot see: goes on without the pictures. */
  readonly visionMode?: ExecuteInput["visionMode"];
}

export interface LadderOptions {
  /** Best first. */
  readonly tiers: readonly [ModelTier, ...ModelTier[]];
  /** Absent: there is no limit, and the first tier always answers. */
  readonly budgetView?: BudgetView;
}

export interface ModelFallback extends AgentExecutor {
  /** To be told every event of every tier: money moves with them, and conversations grow. Never throws. */
  note(event: AgentEvent): void;
}

/** Calls that a turn should have money for when it starts. */
const CALLS_AHEAD = 2;
/** For a conversation that nobody measured yet. */
const USUAL_TOKENS = 12_000;
const USUAL_ANSWER = 4_096;
const MOST_SESSIONS = 500;

/**
 * The tier is chosen once for a turn. When even the lowest has no room, it is asked all the same: the ledger refuses,
 * and the turn says why. Not for each call, inside the paying client: the offline interpreter plays a turn from its
 * beginning, and what a model thought is bound to that model. Nobody stands in for a heartbeat: it has no reader to whom that could be said.
 */
export function createModelFallback({ tiers, budgetView }: LadderOptions): ModelFallback {
  const sizes = new Map<string, number>();
  const [best] = tiers;
  const all = tiers.map(({ executor }) => executor);

  const fits = (tier: ModelTier, sessionId: string, priority: Priority): boolean => {
    if (budgetView === undefined || tier.price === undefined) return true;
    const total = sizes.get(sessionId) ?? USUAL_TOKENS;
    const tokens = { tools: 0, system: 0, state: 0, history: total, images: 0, total };
    const answer = tier.config.maxTokens ?? USUAL_ANSWER;
    const call = worstCaseMicroUsd({ tokens, source: "estimated" }, answer, undefined, tier.price);
    return budgetView.room(priority) >= call * CALLS_AHEAD;
  };
  const choose = (sessionId: string, priority: Priority): ModelTier =>
    tiers.find((tier) => fits(tier, sessionId, priority)) ?? tiers.at(-1) ?? best;
  const firstOf = (find: (executor: AgentExecutor) => RunHandle | undefined): RunHandle | undefined =>
    all.map(find).find((run) => run !== undefined);

  /** One after the other: two may have spoken in the same session. */
  const inTurn = async (act: (executor: AgentExecutor) => Promise<FlushReport>): Promise<FlushReport> => {
    const reports: FlushReport[] = [];
    for (const executor of all) reports.push(await act(executor));
    return { flushed: reports.flatMap(({ flushed }) => flushed), failed: reports.flatMap(({ failed }) => failed) };
  };

  return {
    execute(input) {
      const isHeartbeat = input.origin === "heartbeat";
      const { executor, config, visionMode } = isHeartbeat ? best : choose(input.sessionId, priorityOf(input));
      return executor.execute({ ...input, ...(visionMode && { visionMode }), config: { ...config, ...input.config } });
    },
    resume: (pauseId, resolution, options) => choose("", "user").executor.resume(pauseId, resolution, options),
    onResumed(listener) {
      for (const executor of all) executor.onResumed(listener);
    },
    expirePaused: () => best.executor.expirePaused(),
    listPaused: (filter) => best.executor.listPaused(filter),
    visionContext: (sessionId) => best.executor.visionContext(sessionId),
    recover: () => best.executor.recover(),
    async attach(runId) {
      for (const executor of all) {
        const run = await executor.attach(runId, { replay: false });
        if (run) return run;
      }
      return best.executor.attach(runId);
    },
    activeRun: (sessionId) => firstOf((executor) => executor.activeRun(sessionId)),
    flush: (sessionId) => inTurn((executor) => executor.flush(sessionId)),
    close: (options) => inTurn((executor) => executor.close(options)),
    note(event) {
      if (event.type === "request") {
        sizes.delete(event.sessionId);
        sizes.set(event.sessionId, event.context.tokens.total);
        const [oldest] = sizes.size > MOST_SESSIONS ? sizes.keys() : [];
        if (oldest !== undefined) sizes.delete(oldest);
      }
      if (event.type === "message" || event.type === "budget" || event.type === "run_ended") {
        // A reading that fails leaves the last one: the ledger itself still refuses what does not fit.
        budgetView?.refresh().catch(() => undefined);
      }
    },
  };
}

function priorityOf({ origin }: ExecuteInput): Priority {
  return origin === "job" || origin === "heartbeat" ? "background" : "user";
}
