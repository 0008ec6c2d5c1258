// a view that is too long → what becomes a summary, what stays
import type { ModelProfile } from "../llm/llm-client.ts";
import type { ViewEdit } from "../session/session-store.ts";
import type { Message, StateNotePart } from "../types/message.ts";
import { type ContextLine, type ContextView, turnStarts } from "./history.ts";
import { isHuman, reasoningIn } from "./pruning.ts";

export interface CompactionOptions {
  /** Tokens of whole turns at the end that stay as they are; the last turn stays in any case. */
  readonly tailTokens: number;
  readonly profile: ModelProfile;
  /** Turns that begin with such a message stay. */
  pin(message: Message): boolean;
  tokensOf(message: Message): number;
}

/** What a compaction takes away and keeps. Never cuts between a call and its result. */
export interface CompactionPlan {
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
export function planCompaction(view: ContextView, options: CompactionOptions): CompactionPlan | undefined {
  const turns = toTurns(view.edited);
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
  const firstAt = view.edited.indexOf(first);
  const hidden = gone.filter((message) => view.edited.indexOf(message) > firstAt).map((message) => message.id);
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
export function toCompactionLines(
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

function toTurns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const starts = turnStarts(messages);
  return starts.map((start, at) => messages.slice(start, starts[at + 1]));
}

function tailStart(turns: readonly (readonly Message[])[], options: CompactionOptions): number {
  const sizeOf = (turn: readonly Message[]): number =>
    turn.reduce((sum, message) => sum + options.tokensOf(message), 0);
  let at = turns.length - 1;
  let left = options.tailTokens - sizeOf(turns[at] ?? []);
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
    messages.flatMap((message) =>
      message.parts.filter((part) => part.type === "state_note" && part.envVersion === undefined),
    ) as readonly StateNotePart[];
  if (notesOf(kept).length > 0) return [];
  return notesOf(gone).slice(-1);
}
