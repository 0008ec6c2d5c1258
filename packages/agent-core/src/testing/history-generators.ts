// numbers → transcripts of any shape, for properties
import type { TranscriptEntry } from "../session/session-store.ts";
import type { ArtifactRef, ImagePart, Message, Part, ToolCall, ToolOutcome } from "../types/message.ts";

const TS = "2026-01-01T00:00:00.000Z";
const TOOLS = ["look", "search", "read_file"] as const;
const OUTCOMES: readonly ToolOutcome[] = ["ok", "ok", "ok", "error", "timeout", "denied"];

/** Writes a transcript turn by turn. The same numbers give the same lines. */
export interface HistoryMaker {
  readonly entries: readonly TranscriptEntry[];
  /** A person's message, with pictures and a state note as the number wills. */
  ask(choice: number): readonly TranscriptEntry[];
  /** An answer of the model; when it calls tools, their results too. */
  answer(choice: number): readonly TranscriptEntry[];
  /** As `answer`, but some of it was never written, came twice or came late. */
  damage(choice: number): readonly TranscriptEntry[];
}

/** A conversation that grows step by step, for property tests. */
export function createHistoryMaker(): HistoryMaker {
  const entries: TranscriptEntry[] = [];
  const newId = (prefix: string): string => `${prefix}${entries.length + 1}`;
  const write = (messages: readonly Message[]): readonly TranscriptEntry[] => {
    const lines = messages.map(
      (message): TranscriptEntry => ({ v: 1, id: `l_${message.id}`, ts: TS, type: "message", message }),
    );
    entries.push(...lines);
    return lines;
  };
  const turn = (choice: number): readonly Message[] => {
    const id = newId("a");
    const calls = callsFor(choice, id);
    const asked = toMessage(id, "assistant", [
      ...(choice % 3 === 0 ? [reasoningOf(id, choice)] : []),
      ...(choice % 4 !== 1 || calls.length === 0 ? [wordsOf(choice, "answer")] : []),
      ...calls.map((call): Part => ({ type: "tool_call", call })),
    ]);
    return [asked, ...calls.map((call, at) => resultOf(call, `${id}r${at}`, choice + at))];
  };
  return {
    entries,
    ask: (choice) => {
      const id = newId("u");
      return write([
        toMessage(id, "user", [...imagesFor(choice, id), wordsOf(choice, "question"), ...noteFor(choice)]),
      ]);
    },
    answer: (choice) => write(turn(choice)),
    damage: (choice) => {
      const [asked, ...results] = turn(choice);
      const late = results.slice(1);
      const kept = choice % 2 === 0 ? [...late, ...late.map((result) => ({ ...result, id: `${result.id}b` }))] : late;
      const between = choice % 5 === 0 ? [toMessage(newId("w"), "user", [wordsOf(choice, "wait")])] : [];
      return write(asked ? [asked, ...between, ...kept] : []);
    },
  };
}

/** A whole transcript: it begins with a person, then each number is a question, an answer or a damaged answer. */
export function historyFrom(choices: readonly number[]): readonly TranscriptEntry[] {
  const maker = createHistoryMaker();
  maker.ask(choices.length);
  for (const choice of choices) {
    if (choice % 4 === 0) maker.ask(choice);
    else if (choice % 11 === 1) maker.damage(choice);
    else maker.answer(choice);
  }
  return maker.entries;
}

/** What the store would say of a picture of these transcripts; every seventh is gone. */
export function generatedRef(id: string): ArtifactRef | undefined {
  const [, width, height] = /^img_(\d+)x(\d+)_/.exec(id) ?? [];
  if (width === undefined || height === undefined || Number(width) % 7 === 0) return undefined;
  const size = { width: Number(width), height: Number(height) };
  const bytes = size.width * size.height;
  return { id, mimeType: "image/jpeg", bytes, sha256: id, namespace: "generated", createdAt: TS, ...size };
}

function toMessage(id: string, role: Message["role"], parts: readonly Part[]): Message {
  const origin = { user: "human", assistant: "model", tool_result: "tool", system: "core" } as const;
  return { id, role, parts, ts: TS, origin: origin[role], ...(role === "assistant" ? { model: "generated" } : {}) };
}

/** Mostly short, now and then long: as conversations are. */
function wordsOf(choice: number, word: string): Part {
  const length = choice % 13 === 0 ? 400 : (choice % 17) + 1;
  return { type: "text", text: `${word} ${choice}: ${"words in a row ".repeat(length)}` };
}

function reasoningOf(id: string, choice: number): Part {
  const data = { type: "thinking", thinking: `thought ${choice}`, signature: `sig_${id}` };
  return { type: "reasoning", text: `thought ${choice}`, opaque: { provider: "generated", model: "generated", data } };
}

function callsFor(choice: number, id: string): readonly ToolCall[] {
  const count = choice % 5 === 4 ? 3 : choice % 3;
  return Array.from({ length: count }, (_, at) => ({
    id: `${id}c${at}`,
    toolName: TOOLS[(choice + at) % TOOLS.length] ?? "look",
    arguments: { at: choice },
    state: "complete",
  }));
}

function resultOf(call: ToolCall, id: string, choice: number): Message {
  const lines = choice % 6 === 5 ? 300 : choice % 9;
  return toMessage(id, "tool_result", [
    {
      type: "tool_result",
      callId: call.id,
      toolName: call.toolName,
      outcome: OUTCOMES[choice % OUTCOMES.length] ?? "ok",
      content: [
        ...(choice % 4 === 2 ? [imageOf(id, choice)] : []),
        { type: "text", text: `result ${choice}\n${"a line of a result\n".repeat(lines)}` },
      ],
    },
  ]);
}

function imagesFor(choice: number, id: string): readonly ImagePart[] {
  return choice % 5 === 2 ? [imageOf(`${id}a`, choice), imageOf(`${id}b`, choice + 1)] : [];
}

function imageOf(id: string, choice: number): ImagePart {
  const width = 64 + (choice % 900);
  return { type: "image", artifactId: `img_${width}x${width}_${id}`, mimeType: "image/jpeg", alt: `picture ${choice}` };
}

function noteFor(choice: number): readonly Part[] {
  return choice % 3 === 0 ? [{ type: "state_note", text: `state ${choice}` }] : [];
}
