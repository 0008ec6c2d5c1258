// transcript → calls without a result, pauses without an answer
import type { ToolIntentRecord, TranscriptEntry } from "../session/session-store.ts";
import type { ToolCall } from "../types/message.ts";
import type { PauseRecord } from "../types/pause.ts";

/** A call of the model's last answer that has no result yet. */
export interface OpenCall {
  readonly call: ToolCall;
  /** It was begun, and nobody knows how far it came. */
  readonly intent?: ToolIntentRecord;
  /** It waits, or waited, for this pause. */
  readonly pauseId?: string;
}

/** Pauses that nobody answered, oldest first. */
export function pendingPauses(entries: readonly TranscriptEntry[]): readonly PauseRecord[] {
  const pending = new Map<string, PauseRecord>();
  for (const entry of entries) {
    if (entry.type === "pause") pending.set(entry.pause.id, entry.pause);
    if (entry.type === "resume") pending.delete(entry.pauseId);
  }
  return [...pending.values()];
}

/** In the order of the calls. Earlier answers do not count: the view has closed them for good. */
export function openCalls(entries: readonly TranscriptEntry[]): readonly OpenCall[] {
  const open = new Map<string, OpenCall>();
  for (const entry of entries) noteEntry(entry, open);
  return [...open.values()];
}

function noteEntry(entry: TranscriptEntry, open: Map<string, OpenCall>): void {
  if (entry.type === "tool_intent") {
    const known = open.get(entry.intent.callId);
    if (known) open.set(known.call.id, { call: known.call, intent: entry.intent });
  } else if (entry.type === "pause") {
    for (const { callId } of entry.pause.calls) {
      const known = open.get(callId);
      // A tool that pauses has ended: its intent is not left hanging.
      if (known) open.set(callId, { call: known.call, pauseId: entry.pause.id });
    }
  } else if (entry.type === "message") {
    noteMessage(entry, open);
  }
}

function noteMessage(entry: Extract<TranscriptEntry, { type: "message" }>, open: Map<string, OpenCall>): void {
  const { role, parts } = entry.message;
  if (role === "assistant") open.clear();
  if (entry.stopReason === "refusal" || entry.stopReason === "content_filter") return;
  for (const part of parts) {
    if (role === "assistant" && part.type === "tool_call") open.set(part.call.id, { call: part.call });
    if (part.type === "tool_result") open.delete(part.callId);
  }
}
