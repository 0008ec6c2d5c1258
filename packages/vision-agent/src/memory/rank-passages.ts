// found by words + found by meaning → one list, recent first among equals, without repeats
import { dayNumber } from "./local-time.ts";
import { toQueryWords } from "./word-search.ts";

/** A note that one of the searches found. */
export interface Candidate {
  readonly text: string;
  readonly category: string;
  readonly day?: string;
  /** Position in each list that has it, from 0. */
  readonly ranks: readonly number[];
}

export interface RankOptions {
  /** How many lists there were. */
  readonly lists: number;
  /** YYYY-MM-DD */
  readonly today: string;
  readonly maxResults: number;
}

/** Larger: positions within a list matter less, being in both lists matters more. */
const RANK_OFFSET = 20;
/** An observation loses half of what age can take from it in so many days. */
const HALF_LIFE_DAYS = 30;
/** What is left of the score of an observation that is very old. */
const OLDEST_SHARE = 0.8;
/** So many times what is wanted are looked at for something that does not repeat. */
const POOL_SHARE = 4;
/** How much a passage loses for repeating one before it. */
const REPEAT_COST = 0.3;

/** Best first. Scores are above 0 to 1: 1 is the first in every list, and new. */
export function rankPassages<T extends Candidate>(
  candidates: readonly T[],
  options: RankOptions,
): readonly { readonly candidate: T; readonly score: number }[] {
  const scored = candidates.map((candidate) => ({
    candidate,
    score: fuse(candidate.ranks, options.lists) * shareForAge(candidate, options.today),
  }));
  const left = scored
    .toSorted((a, b) => b.score - a.score || newerFirst(a.candidate, b.candidate))
    .slice(0, POOL_SHARE * options.maxResults)
    .map((one) => ({ ...one, words: new Set(toQueryWords(one.candidate.text)), overlap: 0 }));
  const chosen: typeof left = [];
  while (chosen.length < options.maxResults && left.length > 0) {
    const [next] = left.splice(indexOfBest(left), 1);
    chosen.push({ ...next!, score: worth(next!) });
    for (const other of left) other.overlap = Math.max(other.overlap, overlapOf(other.words, next!.words));
  }
  return chosen.map(({ candidate, score }) => ({ candidate, score }));
}

/** Reciprocal rank fusion, as a share of what the first place in every list gives. */
function fuse(ranks: readonly number[], lists: number): number {
  const sum = ranks.reduce((total, rank) => total + RANK_OFFSET / (RANK_OFFSET + rank), 0);
  return sum / lists;
}

/** What is known or liked does not age. */
function shareForAge({ category, day }: Candidate, today: string): number {
  if (category !== "observation" || day === undefined) return 1;
  const ageDays = Math.max(0, dayNumber(today) - dayNumber(day));
  return OLDEST_SHARE + (1 - OLDEST_SHARE) * 2 ** (-ageDays / HALF_LIFE_DAYS);
}

function newerFirst(a: Candidate, b: Candidate): number {
  return (b.day ?? "").localeCompare(a.day ?? "");
}

interface Scored {
  readonly score: number;
  /** With the most alike of those chosen before. */
  readonly overlap: number;
}

function worth({ score, overlap }: Scored): number {
  return score * (1 - REPEAT_COST * overlap);
}

function indexOfBest(left: readonly Scored[]): number {
  let best = 0;
  for (const [index, scored] of left.entries()) if (worth(scored) > worth(left[best]!)) best = index;
  return best;
}

/** Shared words as a share of all words. */
function overlapOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared || 1);
}
