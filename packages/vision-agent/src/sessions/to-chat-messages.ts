// transcript → messages as a person reads them, tool steps folded into the turn that made them
import type { ImagePart, Message, Part, ToolResultPart, TranscriptEntry } from "@vision-agent/agent-core";
import type { Change, ChatMessage } from "@vision-agent/protocol";
import { toReceipt } from "../tools/change-ledger.ts";

type RunEnded = Extract<TranscriptEntry, { type: "run_ended" }>;
type Step = ChatMessage["steps"][number];

/** `changes`: what the ledger says of the session. */
export function toChatMessages(
  entries: readonly TranscriptEntry[],
  changes: readonly Change[] = [],
): readonly ChatMessage[] {
  const folded: ChatMessage[] = [];
  for (const entry of entries) {
    if (entry.type === "message") fold(folded, entry.message);
    if (entry.type === "run_ended") foldEnd(folded, entry);
  }
  return folded.map((message) => withReceipt(message, changes));
}

/**
 * Where the run that is going on begins: after the last words of the person, or the last answer to what was waited for.
 * Its own events tell what comes then.
 */
export function beginningOfRun(entries: readonly TranscriptEntry[]): number {
  const isBeginning = (entry: TranscriptEntry): boolean =>
    entry.type === "resume" ||
    (entry.type === "message" && entry.message.role === "user" && toUserMessage(entry.message) !== undefined);
  return entries.findLastIndex(isBeginning) + 1;
}

function withReceipt(message: ChatMessage, changes: readonly Change[]): ChatMessage {
  const ran = message.steps.filter(({ outcome }) => outcome !== "not_executed");
  const made = changes.filter(({ call_id }) => message.steps.some((step) => step.call_id === call_id));
  const receipt = toReceipt(
    ran.map(({ tool }) => tool),
    made,
  );
  return receipt === undefined ? message : { ...message, receipt };
}

function fold(folded: ChatMessage[], message: Message): void {
  const last = folded.at(-1);
  if (message.role === "user") {
    const spoken = toUserMessage(message);
    if (spoken !== undefined) folded.push(spoken);
  } else if (message.role === "assistant") {
    if (last?.role === "assistant") folded[folded.length - 1] = withTurn(last, message);
    else folded.push(withTurn(emptyTurn(message), message));
  } else if (message.role === "tool_result" && last?.role === "assistant") {
    folded[folded.length - 1] = withResults(last, message.parts);
  }
}

/** A turn that came to nothing says so, or the person's words would stand there without an answer. */
function foldEnd(folded: ChatMessage[], ended: RunEnded): void {
  const last = folded.at(-1);
  const notice = toNotice(ended);
  if (last === undefined || notice === undefined) return;
  const told = { ...(last.role === "assistant" ? last : emptyTurn(ended)), notice };
  if (last.role === "assistant") folded[folded.length - 1] = told;
  else folded.push(told);
}

function toNotice({ status, reason, message }: RunEnded): string | undefined {
  const code = reason.replaceAll("_", " ");
  if (status === "stopped") return message ?? `This turn was stopped: ${code}.`;
  if (status === "failed") return `This turn failed: ${code}.`;
  return status === "cancelled" ? "Stopped." : undefined;
}

/** State notes are for the model alone. */
function toUserMessage(message: Message): ChatMessage | undefined {
  const text = textOf(message.parts);
  const images = imagesOf(message.parts);
  if (text === "" && images.length === 0) return undefined;
  return { id: message.id, role: "user", timestamp: message.ts, text, images: [...images], steps: [] };
}

function emptyTurn({ id, ts }: Pick<Message, "id" | "ts">): ChatMessage {
  return { id, role: "assistant", timestamp: ts, text: "", images: [], steps: [] };
}

function withTurn(turn: ChatMessage, message: Message): ChatMessage {
  const calls = message.parts.filter((part) => part.type === "tool_call");
  const steps = calls.map(({ call: { id, toolName, arguments: given } }): Step => {
    const nothing = { outcome: "not_executed", text: "", images: [], duration_ms: null };
    return { call_id: id, tool: toolName, arguments: given, ...nothing };
  });
  const text = [turn.text, textOf(message.parts)].filter((part) => part !== "").join("\n\n");
  return { ...turn, text, steps: [...turn.steps, ...steps] };
}

function withResults(turn: ChatMessage, parts: readonly Part[]): ChatMessage {
  const results = parts.filter((part): part is ToolResultPart => part.type === "tool_result");
  const steps = turn.steps.map((step) => {
    const result = results.find(({ callId }) => callId === step.call_id);
    if (result === undefined) return step;
    const { outcome, content, data } = result;
    return {
      ...step,
      outcome,
      text: textOf(content),
      images: [...imagesOf(content)],
      ...(data !== undefined && { data }),
    };
  });
  return { ...turn, steps, images: [...turn.images, ...results.flatMap(({ content }) => imagesOf(content))] };
}

/** All text of a message's parts. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Artifact ids of the pictures among the parts. */
export function imagesOf(parts: readonly Part[]): readonly string[] {
  return parts.filter((part): part is ImagePart => part.type === "image").map(({ artifactId }) => artifactId);
}
