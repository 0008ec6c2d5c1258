// a draft that is too long → flush, summary, and what stays
import { createChildAbort, raceAbort } from "../types/child-abort.ts";
import type { Clock } from "../types/clock.ts";
import type { Json } from "../types/json.ts";
import type { Message } from "../types/message.ts";
import { NO_USAGE, type Usage } from "../types/usage.ts";
import { type CompactionPlan, planCompaction, toCompactionLines } from "./compaction.ts";
import { type ContextBudget, thresholdsOf } from "./context-budget.ts";
import type { ContextDraft } from "./context-draft.ts";
import { createOutlineSummarizer, type Summarizer, type Summary } from "./summarizer.ts";
import { cutToTokens, type TokenCounter } from "./token-counter.ts";

export interface CompactOptions {
  readonly budget: ContextBudget;
  readonly counter: TokenCounter;
  readonly summarizer?: Summarizer;
  readonly beforeCompaction?: (messages: readonly Message[], signal: AbortSignal) => Promise<void>;
  readonly flushTimeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  pin(message: Message): boolean;
  newMessageId(): string;
  now(): string;
}

export interface Compacted {
  readonly spent: Usage;
  readonly paidMicroUsd?: number;
  readonly detail: { readonly [key: string]: Json };
}

/** Shares of the window that the turns at the end may keep: the second is tried when the first keeps too much. */
const TAIL_SHARES = [0.25, 0] as const;
const SUMMARY_SHARE = 0.1;
const MAX_SUMMARY_TOKENS = 4_000;
const SUMMARY_HEAD = "Summary of the conversation so far; what it says was said and done:\n";

/** Undefined, and nothing done, when no cut would bring it down to half of the window. */
export async function compactDraft(draft: ContextDraft, options: CompactOptions): Promise<Compacted | undefined> {
  const summaryTokens = Math.min(MAX_SUMMARY_TOKENS, Math.floor(options.budget.window * SUMMARY_SHARE));
  const plan = choosePlan(draft, options, summaryTokens);
  if (!plan) return undefined;
  const flush = await flushMemory(plan.replaced, options);
  const summary = await summarize(plan, draft, options, summaryTokens);
  const sizes = { epoch: draft.view.epoch, tokensBefore: draft.tokens, tokensAfter: 0 };
  const message = toSummaryMessage(summary.text, plan, options);
  const before = draft.lines.length;
  draft.add(toCompactionLines(plan, message, sizes));
  const tokensAfter = draft.tokens;
  draft.rewind(before);
  draft.add(toCompactionLines(plan, message, { ...sizes, tokensAfter }));
  const { usage, paidMicroUsd } = summary;
  const detail = { messages: plan.replaced.length, flush, ...summary.detail };
  return { spent: usage, ...(paidMicroUsd === undefined ? {} : { paidMicroUsd }), detail };
}

/** The size is known before the summary is: its own is bounded, so no model is asked in vain. */
function choosePlan(
  draft: ContextDraft,
  { budget, pin }: CompactOptions,
  summaryTokens: number,
): CompactionPlan | undefined {
  const tokensOf = draft.tokensOf.bind(draft);
  for (const share of TAIL_SHARES) {
    const tailTokens = Math.floor(budget.window * share);
    const plan = planCompaction(draft.view, { tailTokens, profile: draft.profile, pin, tokensOf });
    if (!plan) continue;
    const kept = plan.kept.reduce((sum, message) => sum + tokensOf(message), 0);
    const notes = tokensOf({ id: "", role: "user", origin: "core", ts: "", parts: plan.notes });
    if (draft.headTokens + summaryTokens + notes + kept <= thresholdsOf(budget).compactTo) return plan;
  }
  return undefined;
}

/** VA-16: has a time of its own, and its failure is only told. */
async function flushMemory(messages: readonly Message[], options: CompactOptions): Promise<string> {
  const { beforeCompaction, clock, flushTimeoutMs, signal } = options;
  if (!beforeCompaction) return "none";
  const abort = createChildAbort(signal);
  const timer = clock.sleep(flushTimeoutMs, abort.signal).then(
    () => "timeout",
    () => "stopped",
  );
  try {
    const flush = async (): Promise<void> => beforeCompaction(messages, abort.signal);
    const flushed = flush().then(
      () => "ok",
      () => "failed",
    );
    return await raceAbort(Promise.race([flushed, timer]), signal);
  } finally {
    abort.abort(signal.reason);
    abort.dispose();
  }
}

type ToldSummary = Summary & Pick<Compacted, "detail">;

async function summarize(
  plan: CompactionPlan,
  draft: ContextDraft,
  { summarizer, counter, signal }: CompactOptions,
  summaryTokens: number,
): Promise<ToldSummary> {
  const maxTokens = draft.toRawTokens(summaryTokens) - counter.text(SUMMARY_HEAD) - SUMMARY_MARGIN;
  const previous = draft.view.summary && textOf(draft.view.summary);
  const request = { maxTokens, signal, ...(previous === undefined ? {} : { previous }) };
  const outline = createOutlineSummarizer(counter);
  let given: Summary = { text: "", usage: NO_USAGE };
  let problem: string | undefined;
  try {
    given = await raceAbort((summarizer ?? outline).summarize(plan.replaced, request), signal);
  } catch (thrown) {
    signal.throwIfAborted();
    problem = thrown instanceof Error ? thrown.message : String(thrown);
  }
  const text = given.text.trim() || (await outline.summarize(plan.replaced, request)).text;
  const detail = {
    summary_tokens: counter.text(text),
    ...(problem === undefined ? {} : { summarizer_failed: problem }),
  };
  return { ...given, text: cutToTokens(text, maxTokens, counter), detail };
}

/** Marks around the summary's parts. */
const SUMMARY_MARGIN = 8;

function toSummaryMessage(text: string, plan: CompactionPlan, options: CompactOptions): Message {
  return {
    id: options.newMessageId(),
    role: "user",
    origin: "core",
    ts: options.now(),
    parts: [{ type: "text", text: `${SUMMARY_HEAD}${text}` }, ...plan.notes],
  };
}

function textOf(summary: Message): string {
  const text = summary.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return text.startsWith(SUMMARY_HEAD) ? text.slice(SUMMARY_HEAD.length) : text;
}
