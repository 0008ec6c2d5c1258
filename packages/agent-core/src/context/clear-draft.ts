// a draft over its budgets → the same with old results and pictures cleared
import type { ViewEdit } from "../session/session-store.ts";
import type { Json } from "../types/json.ts";
import { type ContextBudget, clearedBound, limitOf, thresholdsOf } from "./context-budget.ts";
import type { ContextDraft } from "./context-draft.ts";
import { type PruningStrategy, planPruning, withReasoningDrops } from "./pruning.ts";
import { type ImageBounds, planByteClears, planImageClears } from "./shown-images.ts";

export const DEFAULT_STRATEGIES: readonly PruningStrategy[] = [
  { name: "clear_tool_results", keepLast: 3, clearAtLeast: 0 },
  { name: "clear_images", keepLast: 2 },
];

/** When nothing else helps: what was just asked for goes too, but the conversation lives. */
const LAST_RESORT: readonly PruningStrategy[] = [
  { name: "clear_tool_results", keepLast: 0, clearAtLeast: 0 },
  { name: "clear_images", keepLast: 0 },
  { name: "drop_reasoning" },
];

/** Invariant 4: one of the three budgets is exceeded. */
export function isOver(draft: ContextDraft, budget: ContextBudget): boolean {
  return draft.tokens > limitOf(budget) || draft.bytes > budget.maxBytes || draft.images > budget.maxImages;
}

/** Pictures beyond the policy, the count or the bytes. */
export function clearImages(draft: ContextDraft, budget: ContextBudget, bounds: Omit<ImageBounds, "maxImages">): void {
  edit(draft, planImageClears(draft.view, { ...bounds, maxImages: budget.maxImages }));
  if (draft.bytes <= budget.maxBytes) return;
  edit(draft, planByteClears(draft.view, draft.bytes - clearedBound(budget.maxBytes), bounds.refOf));
}

/** 1.7.6(5): all that the strategies give, or nothing when it is too little to be worth the cache. */
export function clearOld(
  draft: ContextDraft,
  budget: ContextBudget,
  strategies: readonly PruningStrategy[] = DEFAULT_STRATEGIES,
): void {
  const { clear } = thresholdsOf(budget);
  const before = draft.tokens;
  if (before <= clear && draft.bytes <= budget.maxBytes) return;
  const lines = draft.lines.length;
  prune(draft, strategies, Math.min(clear, before - budget.clearAtLeast, byteGoal(draft, budget)));
  if (before - draft.tokens < budget.clearAtLeast) draft.rewind(lines);
}

/** Everything that can be cleared, oldest first, until it fits. */
export function clearHard(draft: ContextDraft, budget: ContextBudget): void {
  prune(draft, LAST_RESORT, Math.min(limitOf(budget), byteGoal(draft, budget)));
}

/** What lines that were added take away, for people. */
export function countEdits(draft: ContextDraft, fromLine: number): { readonly [op: string]: Json } {
  const edits = draft.lines.slice(fromLine).flatMap((line) => (line.type === "view" ? line.edits : []));
  const count = (op: ViewEdit["op"]): number => edits.filter((one) => one.op === op).length;
  return { results: count("clear_result"), images: count("clear_image"), reasoning: count("drop_reasoning") };
}

function prune(draft: ContextDraft, strategies: readonly PruningStrategy[], maxTokens: number): void {
  for (const strategy of strategies) {
    if (draft.tokens <= maxTokens) return;
    const { tokens: current, profile } = draft;
    const tokensOf = draft.tokensOf.bind(draft);
    draft.edit(planPruning(draft.view, strategy, { maxTokens, current, profile, tokensOf }));
  }
}

/** Text has about as many bytes as tokens, times a number: what brings one down brings down the other. */
function byteGoal(draft: ContextDraft, budget: ContextBudget): number {
  if (draft.bytes <= budget.maxBytes) return Number.POSITIVE_INFINITY;
  return Math.floor((draft.tokens * clearedBound(budget.maxBytes)) / draft.bytes);
}

function edit(draft: ContextDraft, edits: readonly ViewEdit[]): void {
  draft.edit(withReasoningDrops(draft.view, edits, draft.profile));
}
