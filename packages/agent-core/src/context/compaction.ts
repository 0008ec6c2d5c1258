// a draft that is too long → flush, summary, and what stays
import type { ModelProfile } from "../llm/llm-client.ts";
import type { ViewEdit } from "../session/session-store.ts";
import { type Clock, raceAbort, withinTime } from "../types/clock.ts";
import { type AgentError, agentError } from "../types/errors.ts";
import type { Json } from "../types/json.ts";
import { type Message, NO_USAGE, type Part, type StateNotePart, textOf, type Usage } from "../types/message.ts";
import { type ContextBudget, limitOf, thresholdsOf } from "./context-budget.ts";
import type { ContextDraft } from "./context-draft.ts";
import { type ContextLine, type ContextView, turnStarts } from "./history.ts";
import { isHuman, reasoningIn } from "./pruning.ts";
import { createOutlineSummarizer, type SummarizeOptions, type Summarizer, type Summary } from "./summarizer.ts";
import { cutToTokens, type TokenCounter } from "./token-counter.ts";

export interface CompactOptions {
  readonly budget: ContextBudget;
  readonly counter: TokenCounter;
  readonly summarizer?: Summarizer;
  readonly beforeCompaction?: (messages: readonly Message[], signal: AbortSignal) => Promise<void>;
  readonly flushTimeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly pay: SummarizeOptions["pay"];
  pin(message: Message): boolean;
  newMessageId(): string;
  now(): string;
}

export interface Compacted {
  readonly spent: Usage;
  readonly isPaid?: boolean | undefined;
  readonly detail: { readonly [key: string]: Json };
}

/** Shares of the window that the turns at the end may keep: the second is tried when the first keeps too much. */
const TAIL_SHARES = [0.25, 0] as const;
const SUMMARY_SHARE = 0.1;
const MAX_SUMMARY_TOKENS = 4_000;
const SUMMARY_HEAD = "Summary of the conversation so far; what it says was said and done:\n";

/** Undefined, and nothing done, when no cut would bring it down to half of the window, or, where it is too long to be sent, to what can be. */
export async function compactDraft(draft: ContextDraft, options: CompactOptions): Promise<Compacted | undefined> {
  const summaryTokens = Math.min(MAX_SUMMARY_TOKENS, Math.floor(options.budget.window * SUMMARY_SHARE));
  const plan = choosePlan(draft, options, summaryTokens);
  if (!plan) return undefined;
  const flush = await flushMemory(plan.replaced, options);
  const summary = await summarize(plan, draft, options, summaryTokens);
  const message: Message = {
    id: options.newMessageId(),
    role: "user",
    origin: "core",
    ts: options.now(),
    parts: [{ type: "text", text: `${SUMMARY_HEAD}${summary.text}` }, ...plan.notes],
  };
  const { epoch } = draft.view;
  const [tokensBefore, linesBefore] = [draft.tokens, draft.lines.length];
  // How much is left is known only when the lines are there, which tell it too.
  draft.add(toCompactionLines(plan, message, { epoch, tokensBefore, tokensAfter: 0 }));
  const tokensAfter = draft.tokens;
  draft.rewind(linesBefore);
  draft.add(toCompactionLines(plan, message, { epoch, tokensBefore, tokensAfter }));
  const detail = { messages: plan.replaced.length, flush, ...summary.detail };
  return { spent: summary.usage, isPaid: summary.isPaid, detail };
}

/** The size is known before the summary is: its own is bounded, so no model is asked in vain. */
function choosePlan(
  draft: ContextDraft,
  { budget, pin }: CompactOptions,
  summaryTokens: number,
): CompactionPlan | undefined {
  const tokensOf = draft.tokensOf.bind(draft);
  const { compactTo } = thresholdsOf(budget);
  // What cannot be sent at all is worth a small cut too.
  const bound = draft.tokens > limitOf(budget) ? limitOf(budget) : compactTo;
  let smallest: CompactionPlan | undefined;
  for (const share of TAIL_SHARES) {
    const tailTokens = Math.floor(budget.window * share);
    const plan = planCompaction(draft.view, { tailTokens, profile: draft.profile, pin, tokensOf });
    if (!plan) continue;
    const kept = plan.kept.reduce((sum, message) => sum + tokensOf(message.parts), 0);
    const notes = tokensOf(plan.notes);
    const size = draft.headTokens + summaryTokens + notes + kept;
    if (size <= compactTo) return plan;
    if (size <= bound) smallest = plan;
  }
  return smallest;
}

/** VA-16: has a time of its own, and its failure is only told. */
async function flushMemory(messages: readonly Message[], options: CompactOptions): Promise<string> {
  const { beforeCompaction, clock, flushTimeoutMs: ms, signal } = options;
  if (!beforeCompaction) return "none";
  let failure = "failed";
  const late = (): AgentError => {
    failure = "timeout";
    return agentError("timeout", "flush", "The memory flush took too long.");
  };
  try {
    await withinTime(async (ending) => beforeCompaction(messages, ending), { clock, ms, late, signal });
    return "ok";
  } catch {
    // Whatever it was, the compaction goes on without it.
    signal.throwIfAborted();
    return failure;
  }
}

type ToldSummary = Summary & Pick<Compacted, "detail">;

async function summarize(
  plan: CompactionPlan,
  draft: ContextDraft,
  { summarizer, counter, signal, pay }: CompactOptions,
  summaryTokens: number,
): Promise<ToldSummary> {
  const maxTokens = draft.toRawTokens(summaryTokens) - counter.text(SUMMARY_HEAD) - SUMMARY_MARGIN;
  const previous = draft.view.summary && textOf(draft.view.summary.parts).replace(SUMMARY_HEAD, "");
  const request = { maxTokens, signal, previous, pay };
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
  const detail = { summary_tokens: counter.text(text), ...(problem !== undefined && { summarizer_failed: problem }) };
  return { ...given, text: cutToTokens(text, maxTokens, counter), detail };
}

/** Marks around the summary's parts. */
const SUMMARY_MARGIN = 8;

interface CompactionOptions {
  /** Tokens of whole turns at the end that stay as they are; the last turn stays in any case. */
  readonly tailTokens: number;
  readonly profile: ModelProfile;
  /** Turns that begin with such a message stay. */
  pin(message: Message): boolean;
  tokensOf(parts: readonly Part[]): number;
}

/** What a compaction takes away and keeps. Never cuts between a call and its result. */
interface CompactionPlan {
  /** What the summary stands for, without the summary before it. */
  readonly replaced: readonly Message[];
  readonly firstKeptId: string;
  /** Pinned turns and the tail, as sent. */
  readonly kept: readonly Message[];
  readonly edits: readonly ViewEdit[];
  /** The last state that is told only in what is replaced. */
  readonly notes: readonly StateNotePart[];
}

/** Undefined when nothing but what must stay is left. */
function planCompaction(view: ContextView, options: CompactionOptions): CompactionPlan | undefined {
  const starts = turnStarts(view.edited);
  const turns = starts.map((start, at) => view.edited.slice(start, starts[at + 1]));
  const tailAt = tailStart(turns, options);
  const tail = turns.slice(tailAt).flat();
  const task = tail.some(isHuman) ? undefined : view.edited.findLast(isHuman);
  const isKept = ([head]: readonly Message[]): boolean =>
    head !== undefined && head.id !== view.summary?.id && (head.id === task?.id || options.pin(head));
  const before = turns.slice(0, tailAt);
  const pinned = before.filter(isKept);
  const gone = before.filter((turn) => !isKept(turn)).flat();
  const replaced = gone.filter((message) => message.id !== view.summary?.id);
  const kept = [...pinned.flat(), ...tail];
  const [first] = kept;
  if (replaced.length === 0 || first === undefined) return undefined;
  const after = new Set(view.edited.slice(view.edited.indexOf(first)));
  const hidden = gone.filter((message) => after.has(message)).map((message) => message.id);
  return {
    replaced,
    firstKeptId: first.id,
    kept: options.profile.reasoning?.prefixBound ? kept.map(withoutReasoning) : kept,
    edits: [
      ...(hidden.length > 0 ? [{ op: "hide" as const, messageIds: hidden }] : []),
      ...boundReasoning(view, kept, options.profile),
    ],
    notes: untoldNotes(gone, kept),
  };
}

/** The lines that carry it out. */
function toCompactionLines(
  plan: CompactionPlan,
  summary: Message,
  sizes: { readonly epoch: number; readonly tokensBefore: number; readonly tokensAfter: number },
): readonly ContextLine[] {
  const { tokensBefore, tokensAfter } = sizes;
  const cut: ContextLine = { type: "compaction", summary, firstKeptId: plan.firstKeptId, tokensBefore, tokensAfter };
  if (plan.edits.length === 0) return [cut];
  // A compaction is an epoch of its own.
  return [cut, { type: "view", epoch: sizes.epoch + 2, edits: plan.edits }];
}

function isAnswer({ role }: Message): boolean {
  return role === "assistant";
}

function tailStart(turns: readonly (readonly Message[])[], options: CompactionOptions): number {
  const sizeOf = (turn: readonly Message[]): number =>
    turn.reduce((sum, message) => sum + options.tokensOf(message.parts), 0);
  // What nobody has answered yet stays, however much it is.
  let at = Math.min(turns.length - 1, turns.findLastIndex((turn) => turn.some(isAnswer)) + 1);
  let left = options.tailTokens - sizeOf(turns.slice(at).flat());
  while (at > 0) {
    left -= sizeOf(turns[at - 1] ?? []);
    if (left < 0) break;
    at -= 1;
  }
  return at;
}

/** All that stands after the cut was thought with another beginning. */
function boundReasoning(view: ContextView, kept: readonly Message[], profile: ModelProfile): readonly ViewEdit[] {
  if (profile.reasoning?.prefixBound !== true) return [];
  const ids = new Set(kept.map((message) => message.id));
  return reasoningIn(view, 0).filter((edit) => ids.has(edit.messageId));
}

function withoutReasoning(message: Message): Message {
  if (!message.parts.some((part) => part.type === "reasoning")) return message;
  return { ...message, parts: message.parts.filter((part) => part.type !== "reasoning") };
}

/** Notes with a version are told again by whoever keeps the environment; the others would be lost. */
function untoldNotes(gone: readonly Message[], kept: readonly Message[]): readonly StateNotePart[] {
  const notesOf = (messages: readonly Message[]): readonly StateNotePart[] =>
    messages
      .flatMap(({ parts }) => parts.filter((part) => part.type === "state_note"))
      .filter(({ envVersion }) => envVersion === undefined);
  if (notesOf(kept).length > 0) return [];
  return notesOf(gone).slice(-1);
}
