import { addDays, createLocalTime } from "../memory/local-time.ts";
import type { Memory, MemoryCategory, MemoryFilter, MemoryNote, MemoryPassage } from "../memory/memory.ts";
import { dayFile, KNOWLEDGE_FILE, PREFERENCES_FILE } from "../memory/note-text.ts";
import type { OpenMemory } from "../memory/open-markdown-memory.ts";
import { toRecentObservations } from "../memory/recent-observations.ts";
import { toScope } from "../memory/search-notes.ts";
import { toQueryWords } from "../memory/word-search.ts";

export interface FakeMemory extends Memory, Pick<OpenMemory, "notesIn" | "removeNote"> {
  /** In the order they came, to look at. */
  readonly notes: readonly MemoryPassage[];
}

/** Memory that forgets when the process ends, for tests. Finds notes that share words with the question. */
export function createFakeMemory(options: { readonly now: () => number; readonly timeZone?: string }): FakeMemory {
  const toLocal = createLocalTime(options.timeZone ?? "UTC");
  const notes: MemoryPassage[] = [];
  const today = (): string => toLocal(options.now()).day;
  const linesOf = (day: string, camera?: string): string =>
    notes
      .filter((note) => note.category === "observation" && note.day === day && isAbout(note, camera))
      .map(({ time, text, camera: name }) => `- ${time} ${name === undefined ? "" : `[${name}] `}${text}`)
      .join("\n");
  return {
    notes,
    async store(note) {
      const text = note.content.trim();
      if (text === "") throw new RangeError("There is nothing to remember: the content is empty.");
      const at = toLocal(options.now());
      const path = pathOf(note.category, at.day);
      const line = notes.filter((other) => other.path === path).length + 1;
      notes.push({ ...withoutContent(note), ...at, text, path, line, score: 1 });
      return { path, line };
    },
    async search(query, filter = {}) {
      const { from = "", to = "9999-12-31", camera, maxResults = 10 } = filter;
      toScope(filter);
      const words = toQueryWords(query);
      const found = notes
        .filter((note) => note.day! >= from && note.day! <= to && isAbout(note, camera))
        .map((note) => ({ ...note, score: shareOf(words, note) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score);
      return { passages: found.slice(0, maxResults), notice: "Searched by words only: this memory has no text model." };
    },
    notesIn: async (path) => notes.filter((note) => note.path === path).map((note) => ({ ...note, heading: "" })),
    async removeNote(path, text) {
      const at = notes.findLastIndex((note) => note.path === path && note.text === text);
      if (at >= 0) notes.splice(at, 1);
      return at >= 0;
    },
    observations: async ({ day = today(), camera } = {}) => linesOf(day, camera),
    async recentObservations({ days, maxTokens }) {
      const names = Array.from({ length: days }, (_, index) => addDays(today(), index + 1 - days));
      return toRecentObservations(
        names.map((day) => ({ day, markdown: linesOf(day) })),
        maxTokens,
      );
    },
  };
}

function withoutContent({ content: _, ...rest }: MemoryNote): Omit<MemoryNote, "content"> {
  return rest;
}

function pathOf(category: MemoryCategory, day: string): string {
  if (category === "observation") return dayFile(day);
  return category === "knowledge" ? KNOWLEDGE_FILE : PREFERENCES_FILE;
}

function isAbout(note: MemoryPassage, camera: MemoryFilter["camera"]): boolean {
  return camera === undefined || note.camera?.toLowerCase() === camera.toLowerCase();
}

function shareOf(words: readonly string[], { text, camera = "" }: MemoryPassage): number {
  const own = new Set(toQueryWords(`${camera} ${text}`));
  return words.filter((word) => own.has(word)).length / (words.length || 1);
}
