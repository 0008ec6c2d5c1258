// transcript → messages to send: edits applied, every call answered
import type { TranscriptEntry, ViewEdit } from "../session/session-store.ts";
import type { Message, Part, TextPart, ToolCall, ToolResultPart, VisionContextItem } from "../types/message.ts";
import { type PartEdit, withPartEdits } from "./part-edits.ts";

/** A line that changes what is sent, without its envelope. To be written before the request that follows from it. */
export type ContextLine =
  | Omit<Extract<TranscriptEntry, { type: "view" }>, "v" | "id" | "ts" | "runId">
  | Omit<Extract<TranscriptEntry, { type: "compaction" }>, "v" | "id" | "ts" | "runId">
  | Omit<Extract<TranscriptEntry, { type: "vision_context" }>, "v" | "id" | "ts" | "runId">;

/** X5: what is sent, derived from a transcript that is never changed. */
export interface ContextView {
  /** Grows with every edit; within one the messages sent are a prefix of those sent later. */
  readonly epoch: number;
  /** What is sent. */
  readonly messages: readonly Message[];
  /** The same messages as written, in the order of the transcript: what the indices of edits point into. */
  readonly originals: readonly Message[];
  /** Each of `originals` with its edits. */
  readonly edited: readonly Message[];
  readonly edits: readonly ViewEdit[];
  /** The summary that stands for what came before, if there is one. */
  readonly summary?: Message;
  /** Model answers since the last compaction; infinite when there was none. */
  readonly turnsSinceCompaction: number;
  /** Model answers since the last edit of any kind. */
  readonly turnsInEpoch: number;
  /** VI-18: the pictures of tools that the last request showed, as the transcript says. */
  readonly visionContext: readonly VisionContextItem[];
}

/**
 * Invariant 1: whatever was written, each tool call is followed by exactly one result, in the order of the calls.
 * A call whose result was never written (the program died) is answered with `interrupted`; a result without a call
 * is left out; an answer that was refused is left out.
 */
export function toMessages(entries: Iterable<TranscriptEntry>): readonly Message[] {
  return toView(entries).messages;
}

/** Folds messages, edits and compactions, in the order in which they were written. */
export function toView(entries: Iterable<TranscriptEntry | ContextLine>): ContextView {
  const fold = new ViewFold();
  for (const entry of entries) fold.add(entry);
  return fold.view();
}

/** What was folded of a transcript, by the list it is in. */
const folds = new WeakMap<object, ViewFold>();

/**
 * The same for a transcript that only grows, and lines that are not written yet. What was folded before is not folded
 * again, so that a turn does not cost more the longer the conversation is.
 */
export function readView(entries: readonly TranscriptEntry[], lines: readonly ContextLine[] = []): ContextView {
  const known = folds.get(entries);
  const fold = known?.isBeginningOf(entries) ? known : new ViewFold();
  folds.set(entries, fold);
  for (let at = fold.count; at < entries.length; at++) fold.add(entries[at] as TranscriptEntry);
  if (lines.length === 0) return fold.view();
  const next = fold.copy();
  for (const line of lines) next.add(line);
  return next.view();
}

/** A view in the making. */
class ViewFold {
  count = 0;
  #last: object | undefined;
  /** With those that an edit hides. */
  #all: Message[] = [];
  #edits: ViewEdit[] = [];
  #partEdits = new Map<string, PartEdit[]>();
  #hidden = new Set<string>();
  #epoch = 0;
  #summary: Message | undefined;
  #turnsSinceCompaction = Number.POSITIVE_INFINITY;
  #turnsInEpoch = 0;
  #visionContext: readonly VisionContextItem[] = [];
  #originals: Message[] = [];
  #edited: Message[] = [];
  #sent: Message[] = [];
  /** What was edited and sent before the last answer of the model stays as it is, whatever is added. */
  #final = { edited: 0, sent: 0 };
  #isStale = false;

  isBeginningOf(entries: readonly TranscriptEntry[]): boolean {
    return this.count === 0 || entries[this.count - 1] === this.#last;
  }

  add(entry: TranscriptEntry | ContextLine): void {
    this.count += 1;
    this.#last = entry;
    if (entry.type === "vision_context") this.#visionContext = entry.images;
    if (entry.type === "compaction") this.#compact(entry);
    if (entry.type === "view") this.#edit(entry.edits, entry.epoch);
    if (entry.type !== "message" || entry.stopReason === "refusal" || entry.stopReason === "content_filter") return;
    const { message } = entry;
    this.#all.push(message);
    if (!this.#isStale) this.#show(message);
    if (message.role !== "assistant") return;
    this.#turnsSinceCompaction += 1;
    this.#turnsInEpoch += 1;
  }

  copy(): ViewFold {
    const copy = new ViewFold();
    copy.count = this.count;
    copy.#last = this.#last;
    copy.#all = this.#all.slice();
    copy.#edits = this.#edits.slice();
    copy.#partEdits = new Map([...this.#partEdits].map(([id, edits]) => [id, edits.slice()]));
    copy.#hidden = new Set(this.#hidden);
    copy.#epoch = this.#epoch;
    copy.#summary = this.#summary;
    copy.#turnsSinceCompaction = this.#turnsSinceCompaction;
    copy.#turnsInEpoch = this.#turnsInEpoch;
    copy.#visionContext = this.#visionContext;
    copy.#isStale = true;
    return copy;
  }

  view(): ContextView {
    if (this.#isStale) this.#showAll();
    this.#answerCalls();
    return {
      epoch: this.#epoch,
      messages: this.#sent.slice(),
      originals: this.#originals.slice(),
      edited: this.#edited.slice(),
      edits: this.#edits.slice(),
      ...(this.#summary && { summary: this.#summary }),
      turnsSinceCompaction: this.#turnsSinceCompaction,
      turnsInEpoch: this.#turnsInEpoch,
      visionContext: this.#visionContext,
    };
  }

  #compact(line: Extract<ContextLine, { type: "compaction" }>): void {
    const first = this.#all.findIndex((message) => message.id === line.firstKeptId);
    // Without its first message a cut is unknown: sending too much can be mended, losing it cannot.
    if (first < 0) return;
    this.#summary = line.summary;
    this.#all = [line.summary, ...this.#all.slice(first)];
    this.#epoch += 1;
    this.#turnsSinceCompaction = 0;
    this.#turnsInEpoch = 0;
    this.#isStale = true;
  }

  #edit(edits: readonly ViewEdit[], epoch: number): void {
    for (const edit of edits) {
      this.#edits.push(edit);
      if (edit.op === "hide") {
        for (const id of edit.messageIds) this.#hidden.add(id);
        continue;
      }
      const own = this.#partEdits.get(edit.messageId) ?? [];
      own.push(edit);
      this.#partEdits.set(edit.messageId, own);
    }
    this.#epoch = Math.max(this.#epoch + 1, epoch);
    this.#turnsInEpoch = 0;
    this.#isStale = true;
  }

  #showAll(): void {
    this.#originals = [];
    this.#edited = [];
    this.#sent = [];
    this.#final = { edited: 0, sent: 0 };
    for (const message of this.#all) this.#show(message);
    this.#isStale = false;
  }

  #show(message: Message): void {
    if (this.#hidden.size > 0 && this.#hidden.has(message.id)) return;
    const edits = this.#partEdits.size > 0 ? this.#partEdits.get(message.id) : undefined;
    this.#originals.push(message);
    this.#edited.push(edits === undefined ? message : withPartEdits(message, edits));
  }

  #answerCalls(): void {
    const [edited, sent] = [this.#edited, this.#sent];
    sent.length = this.#final.sent;
    for (let at = this.#final.edited; at < edited.length; at++) {
      const message = edited[at] as Message;
      if (message.role === "tool_result") {
        sent.push(...notesAlone(message));
        continue;
      }
      // Its results are still to come, perhaps; those of all before it are not.
      if (message.role === "assistant") this.#final = { edited: at, sent: sent.length };
      sent.push(message);
      const calls = message.role === "assistant" ? callsOf(message) : NO_CALLS;
      if (calls.length > 0) sent.push(...answersTo(message, calls, edited, at + 1));
    }
  }
}

const NO_CALLS: readonly ToolCall[] = [];

/** Calls that a message makes. */
export function callsOf(message: Message): readonly ToolCall[] {
  // Most messages make none: no list is made for them.
  if (!message.parts.some((part) => part.type === "tool_call")) return NO_CALLS;
  return message.parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : []));
}

/** Indices at which a turn begins: a call and its results, and a note of the core, stay with what they follow. */
export function turnStarts(messages: readonly Message[]): readonly number[] {
  return messages.flatMap((message, index) =>
    index === 0 || message.role === "assistant" || (message.role === "user" && message.origin !== "core")
      ? [index]
      : [],
  );
}

/** The first result of a call among the messages from this place up to the next answer of the model. */
function resultOf(call: ToolCall, messages: readonly Message[], from: number) {
  for (let at = from; at < messages.length; at++) {
    const message = messages[at] as Message;
    if (message.role === "assistant") return undefined;
    for (const part of message.parts) {
      if (part.type === "tool_result" && part.callId === call.id) return { message, part };
    }
  }
  return undefined;
}

/** Derived messages keep their identity from request to request: sizes are known by it. */
const derived = new WeakMap<object, Message>();

function answersTo(
  asked: Message,
  calls: readonly ToolCall[],
  messages: readonly Message[],
  from: number,
): readonly Message[] {
  return calls.map((call) => {
    const answer = resultOf(call, messages, from);
    if (!answer) return memo(call, () => interrupted(asked, call));
    const { message, part } = answer;
    const named = part.toolName === call.toolName;
    if (named && message.parts.length === 1) return message;
    return memo(part, () => ({
      ...message,
      id: message.parts.length === 1 ? message.id : `${message.id}.${call.id}`,
      parts: [named ? part : { ...part, toolName: call.toolName }],
    }));
  });
}

const NO_MESSAGES: readonly Message[] = [];

/** What stands beside results in their message, such as a state note, follows them as the core's word. */
function notesAlone(message: Message): readonly Message[] {
  if (message.parts.every((part) => part.type === "tool_result")) return NO_MESSAGES;
  return [
    memo(message, () => ({
      ...message,
      role: "user",
      origin: "core",
      parts: message.parts.filter((part: Part) => part.type !== "tool_result"),
    })),
  ];
}

function memo(key: object, make: () => Message): Message {
  const known = derived.get(key) ?? make();
  derived.set(key, known);
  return known;
}

function interrupted(asked: Message, call: ToolCall): Message {
  const { id: callId, toolName } = call;
  const text = "Interrupted: the program stopped before the result was recorded. Check before repeating.";
  const content: TextPart[] = [{ type: "text", text }];
  const part: ToolResultPart = { type: "tool_result", callId, toolName, outcome: "interrupted", content };
  return { id: `${asked.id}.${callId}`, role: "tool_result", parts: [part], ts: asked.ts, origin: "core" };
}
