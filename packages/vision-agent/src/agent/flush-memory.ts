// messages about to be summarised, or of a conversation that ends → what is worth keeping → memory
import type { Message, ToolResultPart } from "@vision-agent/agent-core";
import { type Effect, type Sighting, toolDataSchemas } from "@vision-agent/protocol";
import type { Memory, MemoryNote } from "../memory/memory.ts";
import { effectsIn } from "../tools/change-ledger.ts";
import { renderCounts } from "../tools/sighting.ts";

export interface MemoryFlushOptions {
  readonly memory: Pick<Memory, "store">;
  /** Names of the cameras, now. */
  readonly cameras: () => readonly string[];
}

const MOST_NOTES = 20;
const LONGEST = 300;
/** Sentences in which a person says how things are to be. */
const WISH =
  /\b(?:always|never|prefer|from now on|in future|remember|don't forget|call me|my name is|i am called|i (?:like|want|hate)|note that|keep in mind)\b/i;

/** VA-4, VA-16: for `flush`. By rule and without a model, so that it costs nothing and works when the money is gone. */
export function createMemoryFlush({ memory, cameras }: MemoryFlushOptions) {
  return async (messages: readonly Message[], { signal }: { readonly signal: AbortSignal }): Promise<void> => {
    for (const note of notesOf(messages, cameras())) {
      signal.throwIfAborted();
      await memory.store(note);
    }
  };
}

/** Wishes, deeds and what was seen last on each camera; what the agent remembered by itself is there already. */
export function notesOf(messages: readonly Message[], cameras: readonly string[]): readonly MemoryNote[] {
  const turns = toTurns(messages);
  const results = turns.flatMap((turn) => turn.results);
  const wishes = turns
    .filter((turn) => !effectsOf(turn.results).some(({ kind }) => kind === "remembered"))
    .flatMap(({ instruction }) => instruction.split(/(?<=[.!?])\s+|\n/))
    .filter((sentence) => WISH.test(sentence) && !sentence.trim().endsWith("?"))
    .map((sentence): MemoryNote => ({ category: "preference", content: shorten(sentence) }));
  const toNote = (content: string, about: string | undefined): MemoryNote => ({
    category: "observation",
    content: shorten(content),
    camera: cameras.find((name) => name === about),
    metadata: { from: "conversation" },
  });
  const deeds = effectsOf(results)
    .filter(({ kind }) => kind !== "remembered")
    .map(({ text, camera }) => toNote(text, camera));
  const seen = new Map(results.flatMap(toSeen).map(({ camera, seen }) => [camera, toNote(renderCounts(seen), camera)]));
  return distinct([...wishes, ...deeds, ...seen.values()]).slice(-MOST_NOTES);
}

interface SpokenTurn {
  readonly instruction: string;
  readonly results: readonly ToolResultPart[];
}

function toTurns(messages: readonly Message[]): readonly SpokenTurn[] {
  const starts = messages.flatMap(({ role, origin }, at) => (role === "user" && origin !== "core" ? [at] : []));
  const bounds = starts[0] === 0 ? starts : [0, ...starts];
  return bounds.map((start, at) => {
    const [first, ...rest] = messages.slice(start, bounds[at + 1]);
    const spoken = first?.role === "user" ? first.parts : [];
    return {
      instruction: spoken.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" "),
      results: rest.flatMap(({ parts }) => parts).filter((part) => part.type === "tool_result"),
    };
  });
}

function effectsOf(results: readonly ToolResultPart[]): readonly Effect[] {
  return results.flatMap(({ data }) => effectsIn(data));
}

function toSeen({ toolName, data }: ToolResultPart): readonly { readonly camera: string; readonly seen: Sighting }[] {
  if (toolName === "capture_frame") {
    const look = toolDataSchemas.capture_frame.safeParse(data).data;
    return look === undefined ? [] : [look];
  }
  if (toolName !== "get_pipeline_results") return [];
  const results = toolDataSchemas.get_pipeline_results.safeParse(data).data;
  if (results?.seen === undefined) return [];
  return [{ camera: results.pipeline.video_reference, seen: results.seen }];
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
}

function distinct(notes: readonly MemoryNote[]): readonly MemoryNote[] {
  return [...new Map(notes.filter(({ content }) => content !== "").map((note) => [note.content, note])).values()];
}
