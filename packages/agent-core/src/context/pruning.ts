// a view over its budget → edits that make it smaller
import type { ModelProfile } from "../llm/llm-client.ts";
import type { ViewEdit } from "../session/session-store.ts";
import type { Message, Part } from "../types/message.ts";
import { type ContextView, turnStarts } from "./history.ts";
import { hasImages } from "./message-size.ts";
import { editPart, type PartEdit } from "./part-edits.ts";

/** AF-21, AF-35: what is given up first. Oldest goes first in all of them. */
export type PruningStrategy =
  | {
      readonly name: "clear_tool_results";
      /** Results that stay, the newest. */
      readonly keepLast: number;
      /** Tokens; less than this is not worth a lost cache. */
      readonly clearAtLeast: number;
      /** Tools whose results stay. */
      readonly exclude?: readonly string[];
    }
  | { readonly name: "clear_images"; readonly keepLast: number }
  /** Thinking of all turns but the last. */
  | { readonly name: "drop_reasoning" }
  /** Whole turns; the last one and the last words of the person stay. */
  | { readonly name: "drop_oldest_turns" }
  | { readonly name: "custom"; plan(view: ContextView, maxTokens: number): readonly ViewEdit[] };

export interface PruneOptions {
  /** Tokens to come down to. */
  readonly maxTokens: number;
  /** Tokens of all that is sent now. */
  readonly current: number;
  readonly profile: ModelProfile;
  tokensOf(parts: readonly Part[]): number;
}

/** Edits of one strategy, and the thinking that they void. Empty when it has nothing to give, or need not. */
export function planPruning(view: ContextView, strategy: PruningStrategy, options: PruneOptions): readonly ViewEdit[] {
  return withReasoningDrops(view, planStrategy(view, strategy, options), options.profile);
}

function planStrategy(view: ContextView, strategy: PruningStrategy, options: PruneOptions): readonly ViewEdit[] {
  const excess = options.current - options.maxTokens;
  switch (strategy.name) {
    case "clear_tool_results": {
      const { keepLast, clearAtLeast: least, exclude = [] } = strategy;
      const isClearable = (part: Part): boolean => part.type === "tool_result" && !exclude.includes(part.toolName);
      const results = partsOf(view, "clear_result", isClearable);
      const old = results.slice(0, Math.max(0, results.length - keepLast));
      return takeOldest(view, old, { needed: Math.max(excess, least), least, options });
    }
    case "clear_images": {
      const images = imagesOf(view);
      const old = images.slice(0, Math.max(0, images.length - strategy.keepLast));
      return takeOldest(view, old, { needed: excess, least: 1, options });
    }
    case "drop_reasoning": {
      const last = view.originals[turnStarts(view.originals).at(-1) ?? 0];
      return partsOf(view, "drop_reasoning", isReasoning).filter((edit) => edit.messageId !== last?.id);
    }
    case "drop_oldest_turns":
      return dropOldestTurns(view, excess, options);
    case "custom":
      return strategy.plan(view, options.maxTokens);
  }
}

/**
 * Complaint 7: thinking is bound to all that stands before it. An edit at one place voids what was thought after it;
 * what is thought from now on knows the edit.
 */
export function withReasoningDrops(
  view: ContextView,
  edits: readonly ViewEdit[],
  profile: ModelProfile,
): readonly ViewEdit[] {
  if (edits.length === 0 || profile.reasoning?.prefixBound !== true) return edits;
  const hidden = new Set(edits.flatMap((edit) => (edit.op === "hide" ? edit.messageIds : [])));
  const edited = new Set(hidden);
  for (const edit of edits) if (edit.op !== "hide") edited.add(edit.messageId);
  const first = view.originals.findIndex((message) => edited.has(message.id));
  const drops = first < 0 ? [] : reasoningIn(view, first);
  if (drops.length === 0) return edits;
  const already = new Set(edits.map(keyOf));
  return [...edits, ...drops.filter((edit) => !hidden.has(edit.messageId) && !already.has(keyOf(edit)))];
}

/** Thinking that is still sent, from this place on. */
export function reasoningIn(view: ContextView, from: number): readonly PartEdit[] {
  return partsOf({ ...view, originals: view.originals.slice(from) }, "drop_reasoning", isReasoning);
}

type ImageEdit = PartEdit & { readonly artifactId: string };

/** Pictures that are still sent, oldest first, each as the edit that clears it. */
export function imagesOf(view: ContextView): readonly ImageEdit[] {
  const done = new Set(view.edits.map(keyOf));
  const images: ImageEdit[] = [];
  for (const message of view.originals) {
    for (let partIndex = 0; partIndex < message.parts.length; partIndex++) {
      const part = message.parts[partIndex] as Part;
      if (!hasImages(part)) continue;
      const edit = { op: "clear_image" as const, messageId: message.id, partIndex };
      const isGone = (): boolean => done.has(keyOf(edit)) || done.has(keyOf({ ...edit, op: "clear_result" }));
      if (part.type === "image") {
        if (!isGone()) images.push({ ...edit, artifactId: part.artifactId });
        continue;
      }
      if (part.type !== "tool_result") continue;
      for (const [contentIndex, item] of part.content.entries()) {
        if (item.type !== "image" || isGone()) continue;
        const one = { ...edit, contentIndex };
        if (!done.has(keyOf(one))) images.push({ ...one, artifactId: item.artifactId });
      }
    }
  }
  return images;
}

function partsOf(view: ContextView, op: PartEdit["op"], suits: (part: Part) => boolean): readonly PartEdit[] {
  const done = new Set(view.edits.map(keyOf));
  const edits: PartEdit[] = [];
  for (const { id: messageId, parts } of view.originals) {
    for (let partIndex = 0; partIndex < parts.length; partIndex++) {
      if (!suits(parts[partIndex] as Part)) continue;
      const edit: PartEdit = { op, messageId, partIndex };
      if (done.size === 0 || !done.has(keyOf(edit))) edits.push(edit);
    }
  }
  return edits;
}

type Take = { readonly needed: number; readonly least: number; readonly options: PruneOptions };

/** Oldest first until enough is freed; none at all when all together free less than is worth it. */
function takeOldest(view: ContextView, edits: readonly PartEdit[], take: Take): readonly PartEdit[] {
  const made = Map.groupBy(
    view.edits.filter((edit) => edit.op !== "hide"),
    (edit) => edit.messageId,
  );
  const { tokensOf } = take.options;
  const taken: PartEdit[] = [];
  let freed = 0;
  let place = 0;
  let current: { readonly part: Part; edits: readonly PartEdit[]; tokens: number } | undefined;
  for (const { op, messageId, partIndex, contentIndex } of edits) {
    if (freed >= take.needed) break;
    // Edits are in the order of the messages.
    while (place < view.originals.length && view.originals[place]?.id !== messageId) place += 1;
    const part = view.originals[place]?.parts[partIndex];
    if (!part) break;
    if (current?.part !== part) {
      const before = made.get(messageId)?.filter((edit) => edit.partIndex === partIndex) ?? [];
      current = { part, edits: before, tokens: tokensOf(editPart(part, before)) };
    }
    const edit: PartEdit = { op, messageId, partIndex, contentIndex };
    const all = [...current.edits, edit];
    const tokens = tokensOf(editPart(part, all));
    if (tokens >= current.tokens) continue;
    freed += current.tokens - tokens;
    current.edits = all;
    current.tokens = tokens;
    taken.push(edit);
  }
  return freed >= take.least ? taken : [];
}

function dropOldestTurns(view: ContextView, excess: number, options: PruneOptions): readonly ViewEdit[] {
  if (excess <= 0) return [];
  const { edited, summary } = view;
  const starts = turnStarts(edited);
  const lastHuman = edited.findLast(isHuman);
  const hidden: string[] = [];
  let freed = 0;
  let kept = false;
  for (const [at, start] of starts.slice(0, -1).entries()) {
    const turn = edited.slice(start, starts[at + 1]);
    const [head] = turn;
    const stays = head === undefined || head.id === lastHuman?.id || head.id === summary?.id;
    // A request begins with a user's message, so an answer whose question is gone goes too.
    if (freed >= excess && (kept || head?.role !== "assistant")) break;
    kept ||= stays;
    if (stays) continue;
    hidden.push(...turn.map((message) => message.id));
    freed += turn.reduce((sum, message) => sum + options.tokensOf(message.parts), 0);
  }
  return hidden.length === 0 ? [] : [{ op: "hide", messageIds: hidden }];
}

/** Written by somebody outside, not by the core. */
export function isHuman(message: Message): boolean {
  return message.role === "user" && message.origin !== "core";
}

function isReasoning(part: Part): boolean {
  return part.type === "reasoning";
}

function keyOf(edit: ViewEdit): string {
  if (edit.op === "hide") return "hide";
  const { contentIndex }: PartEdit = edit;
  return `${edit.op} ${edit.messageId} ${edit.partIndex} ${contentIndex ?? ""}`;
}
