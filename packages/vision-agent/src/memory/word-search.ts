// a question → notes that have its words
import type { Database } from "../store/open-database.ts";
import { cameraTag } from "./note-index.ts";
import { quoteWord, toQueryWords } from "./query-words.ts";

/** The notes that a search may find. */
export interface SearchScope {
  readonly firstId: number;
  readonly lastId: number;
  readonly cameraNumber?: number;
}

/** Scoring one match takes 2 µs; so many at most are scored. */
const MOST_SCORED = 2000;

/**
 * Ids, best first, scored by BM25 on the words that are rare enough to tell notes apart. Where all words are in
 * thousands of notes, scores would tell little and take long: the newest that have them all are best.
 */
export function searchWords(database: Database, query: string, scope: SearchScope, limit: number): readonly number[] {
  const words = toQueryWords(query).map(quoteWord);
  if (words.length === 0) return [];
  const select = (match: string, order: string): readonly number[] => {
    const sql = `select rowid as id from words where words match ? and rowid between ? and ? order by ${order} limit ?`;
    return database.all(sql, inScope(match, scope), scope.firstId, scope.lastId, limit).map(({ id }) => Number(id));
  };
  const rare = rareWords(database, words, scope);
  if (rare.length > 0) return select(rare.join(" OR "), "bm25(words, 1, 0), rowid desc");
  const newest = select(words.join(" AND "), "rowid desc");
  return newest.length > 0 ? newest : select(words.join(" OR "), "rowid desc");
}

/** From the rarest on, as many as may be scored together. */
function rareWords(database: Database, words: readonly string[], scope: SearchScope): readonly string[] {
  const sql = `select count(*) as count from
    (select 1 from words where words match ? and rowid between ? and ? limit ?)`;
  const counts = words.map((word) => {
    // At all cameras: the one alone would take longer to count than to search.
    const row = database.first(sql, inScope(word, {}), scope.firstId, scope.lastId, MOST_SCORED + 1);
    return { word, count: Number(row?.count) };
  });
  const rare: string[] = [];
  let matches = 0;
  for (const { word, count } of counts.toSorted((a, b) => a.count - b.count)) {
    matches += count;
    if (matches > MOST_SCORED) break;
    if (count > 0) rare.push(word);
  }
  return rare;
}

function inScope(match: string, { cameraNumber }: Pick<SearchScope, "cameraNumber">): string {
  const body = `body : (${match})`;
  return cameraNumber === undefined ? body : `tag : ${quoteWord(cameraTag(cameraNumber))} AND ${body}`;
}
