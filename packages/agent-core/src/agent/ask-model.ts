// a turn → an answer, after mending what the provider refuses
import type { PreparedContext } from "../context/context-manager.ts";
import type { LLMResponse } from "../llm/llm-client.ts";
import { AgentError } from "../types/errors.ts";
import { callModel } from "./call-model.ts";
import { pauseForBudget } from "./pause-run.ts";
import { dropReasoning, prepareTurn, shrinkTurn } from "./prepare-turn.ts";
import { type Ending, type Finish, finish, type RunScope } from "./run-scope.ts";

/** Refusals that were mended once in this turn. */
type Mended = Set<string>;

/** The answer, or why the run ends here. */
export async function askModel(scope: RunScope): Promise<LLMResponse | Ending> {
  const mended: Mended = new Set();
  let next: PreparedContext | Ending = await firstContext(scope);
  while ("request" in next) {
    try {
      return await callModel(next, scope);
    } catch (thrown) {
      next = await mend(thrown, mended, scope);
    }
  }
  return next;
}

async function firstContext(scope: RunScope): Promise<PreparedContext | Ending> {
  try {
    if (!scope.tally.mustShrink) return await prepareTurn(scope);
    scope.tally.mustShrink = false;
    return (await shrinkTurn(scope, "overflow")) ?? CONTEXT_EXHAUSTED;
  } catch (thrown) {
    if (codeOf(thrown) === "context_overflow") return CONTEXT_EXHAUSTED;
    throw thrown;
  }
}

/** Table 1.7.3: each of these once a turn. Throws what cannot be mended. */
async function mend(thrown: unknown, mended: Mended, scope: RunScope): Promise<PreparedContext | Ending> {
  const code = codeOf(thrown);
  const again = mended.has(code);
  mended.add(code);
  switch (code) {
    case "context_overflow":
      return (again ? undefined : await shrinkSafely(scope, "overflow")) ?? CONTEXT_EXHAUSTED;
    case "request_too_large": {
      const smaller = again ? undefined : await shrinkSafely(scope, "too_large");
      if (smaller) return smaller;
      throw thrown;
    }
    case "reasoning_binding":
      if (again) throw thrown;
      return dropReasoning(scope);
    case "daily_limit":
    case "run_limit":
      return stopForBudget(thrown as AgentError, scope);
    default:
      throw thrown;
  }
}

async function shrinkSafely(scope: RunScope, why: "overflow" | "too_large"): Promise<PreparedContext | undefined> {
  try {
    return await shrinkTurn(scope, why);
  } catch (thrown) {
    if (codeOf(thrown) === "context_overflow") return undefined;
    throw thrown;
  }
}

async function stopForBudget(error: AgentError, scope: RunScope): Promise<Ending> {
  const { journal, stop, agent } = scope;
  const limited = error.code === "run_limit" && stop.maxCostMicroUsd !== undefined;
  const tightest = await agent.gate.tightest(scope);
  journal.emit({
    type: "budget",
    level: "stop",
    scope: limited ? "run" : (tightest?.scope ?? "run"),
    spentMicroUsd: limited ? journal.metrics().costMicroUsd : (tightest?.spentMicroUsd ?? 0),
    limitMicroUsd: limited ? (stop.maxCostMicroUsd ?? 0) : (tightest?.limitMicroUsd ?? 0),
  });
  if (agent.options.budget?.onLimit === "pause") return pauseForBudget(error.message, scope);
  return finish("budget", `I stopped because the money for this is used up: ${error.message}`);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof AgentError ? thrown.code : "";
}

export const CONTEXT_EXHAUSTED: Finish = finish(
  "context_exhausted",
  "This conversation has become too long for the model. Start a new one to go on.",
);
