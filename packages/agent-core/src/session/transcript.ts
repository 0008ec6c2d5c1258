// TranscriptEntry ↔ one line of JSONL
import { isJsonObject, type Json, parseJsonObject } from "../types/json.ts";
import { type Message, type Part, type TextPart, textOf } from "../types/message.ts";
import type { ListedSession, TranscriptEntry } from "./session-store.ts";

type JsonObject = { readonly [key: string]: Json };

/** Ends in a newline, and holds no other. */
export function encodeEntry(entry: TranscriptEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** What could not be read is counted; what of it can be saved is among the entries. */
export function parseEntries(text: string): { readonly entries: TranscriptEntry[]; readonly skippedLines: number } {
  const entries: TranscriptEntry[] = [];
  let skippedLines = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const entry = parseEntry(line);
    if (!entry) skippedLines += 1;
    entries.push(...(entry ? [entry] : salvage(line)));
  }
  return { entries, skippedLines };
}

/** Lines that ran into each other: a writer that died in the middle, and the next one behind it. */
function salvage(line: string): readonly TranscriptEntry[] {
  return line
    .split(/(?=\{"v":1,)/)
    .slice(1)
    .flatMap((piece) => parseEntry(piece) ?? []);
}

/** Undefined for a line that is neither ours nor of the plan's form {id, type, content, ts}. */
export function parseEntry(line: string): TranscriptEntry | undefined {
  const value = parseJsonObject(line);
  if (typeof value?.id !== "string" || typeof value.ts !== "string") return undefined;
  return value.v === 1 ? toOwnEntry(value) : toPlanEntry(value);
}

function toOwnEntry(value: JsonObject): TranscriptEntry | undefined {
  const { type } = value;
  const isSound =
    typeof type === "string" && Object.hasOwn(SOUND, type) && SOUND[type as TranscriptEntry["type"]](value);
  if (!isSound) return undefined;
  const { outcome } = value;
  const isOld = type === "run_ended" && isJsonObject(outcome);
  return (isOld ? { ...value, outcome: withText(outcome) } : value) as unknown as TranscriptEntry;
}

const OLD_REASONS: { readonly [finish: string]: string } = { loop_detected: "loop", content_filter: "refusal" };

/** Outcomes had `summary`, `partial` and the reason of a stop in `finish` before they had `text`. */
function withText({ finish, summary, partial, ...rest }: JsonObject): JsonObject {
  if (partial !== undefined) return { ...rest, text: partial };
  if (summary === undefined) return rest;
  if (finish === "complete") return { ...rest, by: "model", text: summary };
  if (finish === "terminated_by_tool") return { ...rest, by: "tool", text: summary };
  const reason = OLD_REASONS[String(finish)] ?? String(finish);
  return { ...rest, status: "stopped", reason, message: summary, text: "" };
}

/** What must be there for a line to be used; the rest is taken as our own writing. */
const SOUND: { readonly [Type in TranscriptEntry["type"]]: (value: JsonObject) => boolean } = {
  session: ({ meta }) => isJsonObject(meta),
  message: ({ message }) => isMessage(message),
  run_started: ({ task }) => typeof task === "string",
  run_ended: ({ status }) => typeof status === "string",
  tool_intent: ({ intent }) =>
    isJsonObject(intent) && typeof intent.callId === "string" && isJsonObject(intent.arguments),
  env: ({ version, patches }) => typeof version === "number" && Array.isArray(patches) && patches.every(isJsonObject),
  view: ({ epoch, edits }) => typeof epoch === "number" && Array.isArray(edits) && edits.every(isJsonObject),
  compaction: ({ summary, firstKeptId }) => isMessage(summary) && typeof firstKeptId === "string",
  vision_context: ({ images }) => Array.isArray(images) && images.every(isJsonObject),
  pause: ({ pause }) => isJsonObject(pause) && typeof pause.id === "string" && Array.isArray(pause.calls),
  resume: ({ pauseId }) => typeof pauseId === "string",
  paid: ({ costMicroUsd }) => typeof costMicroUsd === "number",
  usage: ({ usage, costMicroUsd }) => isJsonObject(usage) && typeof costMicroUsd === "number",
};

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool_result"]);

function isMessage(value: Json | undefined): boolean {
  if (!isJsonObject(value) || typeof value.id !== "string" || !ROLES.has(value.role)) return false;
  return Array.isArray(value.parts) && value.parts.every((part) => isJsonObject(part) && typeof part.type === "string");
}

/** VA-19: the lines of the plan. */
function toPlanEntry(value: JsonObject): TranscriptEntry | undefined {
  const { type } = value;
  if (type !== "user" && type !== "assistant" && type !== "tool_result") return undefined;
  const id = String(value.id);
  const ts = String(value.ts);
  const parts = type === "tool_result" ? toPlanResult(value) : toPlanParts(value.content);
  const message: Message = { id, role: type, parts, ts, origin: PLAN_ORIGINS[type] };
  return { v: 1, id, ts, type: "message", message };
}

const PLAN_ORIGINS = { user: "human", assistant: "model", tool_result: "tool" } as const;

function toPlanResult({ content: said, is_error, tool_use_id }: JsonObject): Part[] {
  const text = typeof said === "string" ? said : JSON.stringify(said ?? "");
  const content: TextPart[] = text === "" ? [] : [{ type: "text", text }];
  const outcome = is_error === true ? "error" : "ok";
  return [{ type: "tool_result", callId: String(tool_use_id ?? ""), toolName: "", outcome, content }];
}

function toPlanParts(content: Json | undefined): Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject).flatMap(toPlanPart) : [];
}

function toPlanPart(block: JsonObject): Part[] {
  const text = typeof block.text === "string" ? block.text : "";
  if (block.type === "text") return [{ type: "text", text }];
  if (block.type === "thinking") return [{ type: "reasoning", text }];
  if (block.type !== "tool_use") return [];
  const args = isJsonObject(block.input) ? block.input : {};
  const call = { id: String(block.id), toolName: String(block.name), arguments: args, state: "complete" } as const;
  return [{ type: "tool_call", call }];
}

/** First words of the person, for a list. */
export function toTitle(entries: Iterable<TranscriptEntry>): ListedSession["title"] {
  for (const entry of entries) {
    if (entry.type !== "message" || entry.message.role !== "user") continue;
    const text = textOf(entry.message.parts, " ");
    const oneLine = text.replace(/\s+/g, " ").trim();
    if (oneLine !== "") return oneLine.slice(0, 80).toWellFormed();
  }
  return "";
}
