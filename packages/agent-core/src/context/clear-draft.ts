// a draft over its budgets → the same with old results and pictures cleared
import { selectImages, type VisionContextPolicy } from "../artifacts/vision-policy.ts";
import type { ViewEdit } from "../session/session-store.ts";
import type { Json } from "../types/json.ts";
import type { ArtifactRef } from "../types/message.ts";
import { type ContextBudget, clearedBound, limitOf, thresholdsOf } from "./context-budget.ts";
import type { ContextDraft } from "./context-draft.ts";
import type { ContextView } from "./history.ts";
import { bytesOfImage } from "./message-size.ts";
import type { PartEdit } from "./part-edits.ts";
import { imagesOf, type PruningStrategy, planPruning, withReasoningDrops } from "./pruning.ts";

const DEFAULT_STRATEGIES: readonly PruningStrategy[] = [
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

interface ImageBounds {
  readonly policy?: VisionContextPolicy;
  /** Pictures in one request, however often the same. */
  readonly maxImages: number;
  refOf(id: string): ArtifactRef | undefined;
}

/** Pictures beyond the policy, the count or the bytes. */
export function clearImages(draft: ContextDraft, budget: ContextBudget, bounds: Omit<ImageBounds, "maxImages">): void {
  if (!draft.hasImages) return;
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
    // Not worth a look at every part of a long conversation.
    if (strategy.name === "clear_images" && !draft.hasImages) continue;
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

/** Newest stay. What was sent before is cleared in batches: one edit for many pictures, not one for each new picture. */
function planImageClears(view: ContextView, bounds: ImageBounds): readonly PartEdit[] {
  const images = imagesOf(view);
  if (images.length === 0) return [];
  const lastAnswer = view.originals.findLastIndex((message) => message.role === "assistant");
  const unsent = new Set(view.originals.slice(lastAnswer + 1).map((message) => message.id));
  const maxImages = Math.min(bounds.maxImages, bounds.policy?.maxImages ?? bounds.maxImages);
  const isFresh = (image: { readonly messageId: string }): boolean => unsent.has(image.messageId);
  const isAllowed = bounds.policy ? allowedBy(bounds.policy, view, bounds) : () => true;
  const shown = images.filter((image) => isAllowed(image.artifactId, isFresh(image)));
  const fresh = newest(shown.filter(isFresh), maxImages);
  const room = shown.length <= maxImages ? maxImages : clearedBound(maxImages);
  const older = newest(
    shown.filter((image) => !isFresh(image)),
    room - fresh.length,
  );
  const kept = new Set([...fresh, ...older]);
  return images.filter((image) => !kept.has(image)).map(({ artifactId: _id, ...edit }) => edit);
}

/** Complaint 6: oldest first until so many bytes of the body are gone. */
function planByteClears(view: ContextView, excessBytes: number, refOf: ImageBounds["refOf"]): readonly PartEdit[] {
  const edits: PartEdit[] = [];
  let left = excessBytes;
  for (const { artifactId, ...edit } of imagesOf(view)) {
    if (left <= 0) break;
    left -= bytesOfImage(refOf(artifactId));
    edits.push(edit);
  }
  return edits;
}

/** VI-17: new ones within the policy; when some have no room, older ones within a tighter one. */
function allowedBy(
  policy: VisionContextPolicy,
  view: ContextView,
  { refOf }: ImageBounds,
): (id: string, isFresh: boolean) => boolean {
  // How many is counted above, where the same picture twice counts twice.
  const select = (maxTotalBytes: number): ReadonlySet<string> =>
    selectImages(view.edited, { ...policy, maxImages: Number.POSITIVE_INFINITY, maxTotalBytes }, refOf);
  const exact = select(policy.maxTotalBytes);
  const fits = select(Number.POSITIVE_INFINITY).size === exact.size;
  const older = fits ? exact : select(clearedBound(policy.maxTotalBytes));
  return (id, isFresh) => (isFresh ? exact : older).has(id);
}

function newest<T>(items: readonly T[], count: number): readonly T[] {
  return count <= 0 ? [] : items.slice(-count);
}
