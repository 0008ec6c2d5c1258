// a question → the answer that looking at every note gives, to measure a faster one against

import { NoteIndex } from "../../packages/vision-agent/src/memory/note-index.ts";
import { rankPassages } from "../../packages/vision-agent/src/memory/rank-passages.ts";
import { LEAST_SIMILARITY } from "../../packages/vision-agent/src/memory/vector-index.ts";
import { searchWords } from "../../packages/vision-agent/src/memory/word-search.ts";
import { type Database, openDatabase } from "../../packages/vision-agent/src/store/open-database.ts";

export interface ExactSearch {
  /** Ids of the notes nearest in meaning, nearest first. */
  byMeaning(vector: Float32Array, limit: number): readonly number[];
  /** `path:line` of the best, found and ranked as the product does, but with every vector compared whole. */
  hybrid(question: string, vector: Float32Array, today: string): readonly string[];
  close(): void;
}

const EVERYTHING = { firstId: 0, lastId: Number.MAX_SAFE_INTEGER };
const POOL = 60;
const BEST = 10;

/** Reads the index of a memory that may be open. */
export function openExactSearch(path: string): ExactSearch {
  const database = openDatabase(path);
  const notes = new NoteIndex(database);
  return {
    byMeaning: (vector, limit) => byMeaning(database, vector, limit),
    hybrid(question, vector, today) {
      const lists = [searchWords(database, question, EVERYTHING, POOL), byMeaning(database, vector, POOL)];
      const ids = [...new Set(lists.flat())];
      const candidates = notes.load(ids).map((note) => ({
        ...note,
        ranks: lists.map((list) => list.indexOf(note.id)).filter((rank) => rank >= 0),
      }));
      const ranked = rankPassages(candidates, { lists: 2, today, maxResults: BEST });
      return ranked.map(({ candidate }) => `${candidate.path}:${candidate.line}`);
    },
    close: () => database.close(),
  };
}

function byMeaning(database: Database, vector: Float32Array, limit: number): readonly number[] {
  const sql = "select note_id as id, distance from vectors where vector match ? and k = ? order by distance";
  const rows = database.all(sql, new Uint8Array(vector.buffer), limit);
  return rows.filter(({ distance }) => Number(distance) <= 1 - LEAST_SIMILARITY).map(({ id }) => Number(id));
}
