// a question → searches by words and by meaning → passages
import type { Database } from "../store/open-database.ts";
import { dayNumber } from "./local-time.ts";
import type { MemoryFilter, MemoryPassage } from "./memory.ts";
import { IDS_A_DAY, type IndexedNote, type NoteIndex } from "./note-index.ts";
import { rankPassages } from "./rank-passages.ts";
import type { VectorIndex } from "./vector-index.ts";
import { type SearchScope, searchWords } from "./word-search.ts";

export interface NoteSearch {
  readonly database: Database;
  readonly notes: NoteIndex;
  readonly query: string;
  readonly filter: MemoryFilter;
  readonly scope: SearchScope;
  /** YYYY-MM-DD */
  readonly today: string;
  /** Absent: by words only. */
  readonly meaning?: { readonly vector: Float32Array; readonly vectors: Pick<VectorIndex, "search"> };
}

const DEFAULT_RESULTS = 10;
const MOST_RESULTS = 100;
/** So many of each search are looked at, or twice what is wanted when that is more. */
const LEAST_POOL = 60;

/** Throws `RangeError` when a day is not one. */
export function toScope({ from, to }: Pick<MemoryFilter, "from" | "to">): SearchScope {
  if (from === undefined && to === undefined) return { firstId: 0, lastId: Number.MAX_SAFE_INTEGER };
  // Notes without a date have the day 0.
  const first = from === undefined ? 1 : parseDay(from);
  return {
    firstId: first * IDS_A_DAY,
    lastId: to === undefined ? Number.MAX_SAFE_INTEGER : (parseDay(to) + 1) * IDS_A_DAY - 1,
  };
}

/** Best first. */
export function searchNotes(search: NoteSearch): readonly MemoryPassage[] {
  const { database, notes, query, filter, meaning } = search;
  const maxResults = Math.min(MOST_RESULTS, Math.max(1, Math.trunc(filter.maxResults ?? DEFAULT_RESULTS)));
  const pool = Math.max(LEAST_POOL, 2 * maxResults);
  const cameraNumber = filter.camera === undefined ? undefined : notes.cameraNumber(filter.camera);
  if (filter.camera !== undefined && cameraNumber === undefined) return [];
  const scope = { ...search.scope, cameraNumber };
  const lists = [searchWords(database, query, scope, pool)];
  if (meaning) lists.push(meaning.vectors.search(meaning.vector, scope, pool));
  const ranks = ranksById(lists);
  const candidates = notes.load([...ranks.keys()]).map((note) => ({ ...note, ranks: ranks.get(note.id)! }));
  const ranked = rankPassages(candidates, { lists: lists.length, today: search.today, maxResults });
  return ranked.map(({ candidate, score }) => toPassage(candidate, score));
}

function ranksById(lists: readonly (readonly number[])[]): ReadonlyMap<number, readonly number[]> {
  const ranks = new Map<number, number[]>();
  for (const list of lists) {
    for (const [rank, id] of list.entries()) ranks.set(id, [...(ranks.get(id) ?? []), rank]);
  }
  return ranks;
}

function toPassage(note: IndexedNote, score: number): MemoryPassage {
  const { text, path, line, category, day, time, camera, metadata } = note;
  return { text, path, line, category, score, day, time, camera, metadata };
}

function parseDay(day: string): number {
  const number = dayNumber(day);
  if (!(number > 0)) throw new RangeError(`"${day}" is not a day; write it as YYYY-MM-DD, such as 2026-02-11.`);
  return number;
}
