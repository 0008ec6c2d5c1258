// options of an executor, its runs and their answers → those that nobody knows are named, with what to write instead
import type { ContextBudget } from "../context/context-budget.ts";
import type { EnvironmentOptions } from "../context/environment.ts";
import type { RequestConfig } from "../llm/llm-client.ts";
import { DEFAULT_RETRY } from "../llm/retry.ts";
import { type AgentError, agentError } from "../types/errors.ts";
import { findUnknownOption, type KeysOf, TOOL_CHOICE_KEYS } from "../types/known-options.ts";
import {
  type AgentExecutorOptions,
  DEFAULT_TIMERS,
  type ExecuteInput,
  type ResumeOptions,
  type RunBudgetOptions,
  toStopPolicy,
} from "./options.ts";

export const EXECUTOR_KEYS: KeysOf<AgentExecutorOptions> = {
  llm: true,
  model: true,
  tools: true,
  sessions: true,
  artifacts: true,
  prompt: true,
  clock: true,
  ids: true,
  stop: true,
  timers: true,
  retry: true,
  random: true,
  keepRuns: true,
  context: true,
  flush: true,
  contextManager: true,
  toolExecutor: true,
  environment: true,
  budget: true,
  authorize: true,
  guard: true,
  artifactRegistry: true,
  onEvent: true,
  secrets: true,
};
const CONTEXT_KEYS: KeysOf<NonNullable<AgentExecutorOptions["context"]>> = {
  budget: true,
  counter: true,
  summarizer: true,
  strategies: true,
  flushTimeoutMs: true,
  clock: true,
  vision: true,
  pin: true,
  idleGapsOver5Minutes: true,
};
const CONTEXT_BUDGET_KEYS: KeysOf<ContextBudget> = {
  window: true,
  reserveOutput: true,
  safety: true,
  environmentShare: true,
  clearAt: true,
  clearAtLeast: true,
  compactAt: true,
  maxBytes: true,
  maxImages: true,
};
const BUDGET_KEYS: KeysOf<RunBudgetOptions> = { ledger: true, assumePrice: true, scopesOf: true, onLimit: true };
const ENVIRONMENT_KEYS: KeysOf<EnvironmentOptions> = { initial: true, schema: true, reducers: true, counter: true };

export const EXECUTE_KEYS: KeysOf<ExecuteInput> = {
  sessionId: true,
  text: true,
  images: true,
  visionMode: true,
  principal: true,
  model: true,
  config: true,
  checkOutput: true,
  origin: true,
  mode: true,
  stop: true,
  tools: true,
  dedupeKey: true,
  signal: true,
};
export const RESUME_KEYS: KeysOf<ResumeOptions> = {
  principal: true,
  images: true,
  imageMode: true,
  stop: true,
  output: true,
  checkOutput: true,
  signal: true,
};
const CONFIG_KEYS: KeysOf<RequestConfig> = {
  maxTokens: true,
  temperature: true,
  effort: true,
  reasoning: true,
  parallelTools: true,
  toolChoice: true,
  output: true,
  providerOptions: true,
};

/** Throws `AgentError` kind `invalid`, code `bad_options`. */
export function checkExecutorOptions(given: AgentExecutorOptions): void {
  const { retry, timers, context, budget, environment } = given;
  refuseUnknown(
    findUnknownOption(given, EXECUTOR_KEYS) ??
      findUnknownOption(retry, DEFAULT_RETRY, { owner: "retry." }) ??
      findUnknownOption(timers, DEFAULT_TIMERS, { owner: "timers." }) ??
      findUnknownOption(context, CONTEXT_KEYS, { owner: "context." }) ??
      findUnknownOption(context?.budget, CONTEXT_BUDGET_KEYS, { owner: "context.budget." }) ??
      findUnknownOption(budget, BUDGET_KEYS, { owner: "budget." }) ??
      findUnknownOption(environment, ENVIRONMENT_KEYS, { owner: "environment." }),
  );
  toStopPolicy(given.stop);
}

/** What a program in JavaScript gives wrongly, and no run can begin with. */
export function findInputProblem(given: ExecuteInput): AgentError | undefined {
  const { principal, signal } = given;
  if (typeof principal?.userId !== "string") return bad("`principal` is { userId }: the id of a person, a text.");
  const isSignal = signal === undefined || typeof signal?.addEventListener === "function";
  if (!isSignal) return bad("`signal` is an AbortSignal.");
  const unknown = findUnknownOption(given, EXECUTE_KEYS) ?? findUnknownPart(given);
  return unknown === undefined ? undefined : bad(unknown);
}

/** The same for an answer to a pause. */
export function findResumeProblem(given: ResumeOptions): AgentError | undefined {
  const unknown = findUnknownOption(given, RESUME_KEYS);
  return unknown === undefined ? undefined : bad(unknown);
}

export function findUnknownPart({ tools, config }: { readonly tools?: unknown; readonly config?: unknown }) {
  const inTools = findUnknownOption(tools, TOOL_CHOICE_KEYS, { owner: "tools." });
  return inTools ?? findUnknownOption(config, CONFIG_KEYS, { owner: "config." });
}

export function refuseUnknown(problem: string | undefined): void {
  if (problem !== undefined) throw bad(problem);
}

export function bad(message: string): AgentError {
  return agentError("invalid", "bad_options", message);
}
