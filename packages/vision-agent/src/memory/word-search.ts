// a question → notes that have its words
import type { Database } from "../store/open-database.ts";
import { cameraTag } from "./note-index.ts";

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

/** Words of a question that say nothing about its subject. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and any are as at be been but by can could did do does for from had has have how i if in is it its many me " +
    "much my of on or our out please show so tell than that the their them then there these they this those to up us " +
    "was we were what when where which who whom why will with would you your"
  ).split(" "),
);
const MOST_WORDS = 16;

/** The words to look for, each once. A question of empty words alone is taken at its word. */
export function toQueryWords(query: string): readonly string[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [])];
  const full = words.filter((word) => !EMPTY_WORDS.has(word));
  return (full.length > 0 ? full : words).slice(0, MOST_WORDS);
}

/** A string that full text search takes literally. */
function quoteWord(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
