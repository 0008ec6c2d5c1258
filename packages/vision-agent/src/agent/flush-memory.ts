// messages about to be summarised → what is worth keeping → memory
import type { Message } from "@vision-agent/agent-core";
import type { Memory, MemoryNote } from "../memory/memory.ts";
import { mentions } from "./find-claims.ts";
import { type EffectKind, readTurn, type TurnEffect } from "./turn-effects.ts";

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
const DEEDS: ReadonlySet<EffectKind> = new Set([
  "started",
  "stopped",
  "paused",
  "resumed",
  "removed",
  "sent",
  "scheduled",
  "changed",
]);

/** VA-16: for `beforeCompaction`. By rule and without a model, so that it costs nothing and works when the money is gone. */
export function createMemoryFlush({ memory, cameras }: MemoryFlushOptions) {
  return async (messages: readonly Message[], signal: AbortSignal): Promise<void> => {
    for (const note of notesOf(messages, cameras())) {
      signal.throwIfAborted();
      await memory.store(note);
    }
  };
}

/** Wishes, deeds and what was seen last on each camera; what the agent remembered by itself is there already. */
export function notesOf(messages: readonly Message[], cameras: readonly string[]): readonly MemoryNote[] {
  const turns = toTurns(messages);
  const effects = turns.flatMap((turn) => turn.effects).filter(({ ok }) => ok);
  const wishes = turns
    .filter((turn) => !turn.effects.some(({ ok, kind }) => ok && kind === "remembered"))
    .flatMap(({ instruction }) => instruction.split(/(?<=[.!?])\s+|\n/))
    .filter((sentence) => WISH.test(sentence) && !sentence.trim().endsWith("?"))
    .map((sentence): MemoryNote => ({ category: "preference", content: shorten(sentence) }));
  const deeds = effects.filter(({ kind }) => DEEDS.has(kind)).map((effect) => toNote(effect, cameras));
  const sights = new Map(
    effects
      .filter(({ kind }) => kind === "captured")
      .map((effect) => toNote(effect, cameras))
      .map((note) => [note.camera ?? "", note]),
  );
  return distinct([...wishes, ...deeds, ...sights.values()]).slice(-MOST_NOTES);
}

function toTurns(messages: readonly Message[]): readonly ReturnType<typeof readTurn>[] {
  const starts = messages.flatMap(({ role, origin }, at) => (role === "user" && origin !== "core" ? [at] : []));
  const bounds = starts[0] === 0 ? starts : [0, ...starts];
  return bounds.map((start, at) => readTurn(messages.slice(start, bounds[at + 1])));
}

function toNote({ about, answer }: TurnEffect, cameras: readonly string[]): MemoryNote {
  const camera = cameras.find((name) => mentions(about, name.toLowerCase()));
  const content = shorten(answer.split("\n").slice(0, 2).join(" "));
  return {
    category: "observation",
    content,
    camera,
    metadata: { from: "conversation" },
  };
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
}

function distinct(notes: readonly MemoryNote[]): readonly MemoryNote[] {
  return [...new Map(notes.filter(({ content }) => content !== "").map((note) => [note.content, note])).values()];
}
