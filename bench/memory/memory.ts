// a year of notes → how fast and how well they are found again
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { modelFolder } from "../../packages/vision-agent/src/config/environment.ts";
import type { Embedder } from "../../packages/vision-agent/src/memory/open-engine-embedder.ts";
import { openEngineEmbedder } from "../../packages/vision-agent/src/memory/open-engine-embedder.ts";
import { type OpenMemory, openMarkdownMemory } from "../../packages/vision-agent/src/memory/open-markdown-memory.ts";
import { VectorIndex } from "../../packages/vision-agent/src/memory/vector-index.ts";
import { openDatabase } from "../../packages/vision-agent/src/store/open-database.ts";
import { nodeFiles } from "../../packages/vision-agent/src/workspace/node-files.ts";
import { type Benchmark, type Figure, percentile, round } from "../figure.ts";
import { helpFigures, prefixFigures } from "./agent-figures.ts";
import { openExactSearch } from "./exact-search.ts";
import { makeNotes, type SyntheticNotes, syntheticVector } from "./synthetic-notes.ts";

const NOTES = 50_000;
const QUESTIONS = 200;
/** Exact search is slow; so many questions are asked both ways. */
const COMPARED = 60;
const BEST = 10;
const REAL_NOTES = 300;
const DIMENSIONS = 384;
const NOW = Date.UTC(2026, 11, 31, 12);
const TODAY = "2026-12-31";
const EVERYTHING = { firstId: 0, lastId: Number.MAX_SAFE_INTEGER };

const synthetic: Embedder = {
  model: "synthetic",
  dimensions: DIMENSIONS,
  embed: async (texts) => texts.map((text) => syntheticVector(text, DIMENSIONS)),
};

export const memory: Benchmark = {
  about: `memory of ${NOTES} notes: hybrid search beside exact search, how fast notes are indexed; help, prefix`,
  async run({ signal, say }) {
    const folder = await mkdtemp(join(tmpdir(), "bench-memory-"));
    try {
      const notes = makeNotes(NOTES, QUESTIONS);
      await writeNotes(folder, notes);
      say(`indexing ${NOTES} notes …`);
      const opened = await openIn(folder, synthetic);
      const figures = await indexFigures(opened);
      signal.throwIfAborted();
      say("searching …");
      figures.push(...(await searchFigures(opened, notes)));
      signal.throwIfAborted();
      say("comparing with exact search …");
      figures.push(...(await recallFigures(opened, notes, join(folder, ".index/memory.db"))));
      await opened.close();
      figures.push(...(await realFigures(notes, say)));
      signal.throwIfAborted();
      say("asking for help …");
      return [...figures, ...(await helpFigures()), ...(await prefixFigures())];
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function writeNotes(folder: string, { files }: SyntheticNotes): Promise<void> {
  for (const name of ["memory", ".index"]) await mkdir(join(folder, name));
  for (const [path, text] of files) await writeFile(join(folder, path), text);
}

function openIn(folder: string, embedder: Embedder): Promise<OpenMemory> {
  const onNotice = (message: string): void => {
    throw new Error(message);
  };
  const fixed = { files: nodeFiles, folder, now: () => NOW, timeZone: "UTC", onNotice };
  return openMarkdownMemory({ ...fixed, embedder: Promise.resolve(embedder) });
}

/** The vectors are made in this thread, so that the time of words and the time of vectors are told apart. */
async function indexFigures(opened: OpenMemory): Promise<Figure[]> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  // A search waits until everything is read.
  const wordsMs = await timed(() => opened.search("anything"));
  const vectorsMs = await timed(() => opened.settled());
  delay.disable();
  const rate = (NOTES / (wordsMs + vectorsMs)) * 1000;
  const longestMs = delay.max / 1e6;
  return [
    {
      name: "index_rate",
      value: round(rate, 0),
      unit: "1/s",
      goal: "at least 1,000 notes a second",
      met: rate >= 1000,
    },
    { name: "index_longest_block", value: round(longestMs), unit: "ms", goal: "at most 200 ms", met: longestMs <= 200 },
  ];
}

async function searchFigures(opened: OpenMemory, { questions }: SyntheticNotes): Promise<readonly Figure[]> {
  const filter = { camera: "dock", from: "2026-03-01", to: "2026-09-30" };
  // The first one reads every file again, because all were written just before they were indexed.
  for (const question of questions.slice(0, 5)) await opened.search(question);
  const all: number[] = [];
  const filtered: number[] = [];
  for (const question of questions) {
    all.push(await timed(() => opened.search(question)));
    filtered.push(await timed(() => opened.search(question, filter)));
  }
  const p95 = percentile(all, 0.95);
  const p95Filtered = percentile(filtered, 0.95);
  const goal = "at most 25 ms";
  return [
    { name: "search_p50", value: round(percentile(all, 0.5)), unit: "ms", goal: "for comparison", met: true },
    { name: "search_p95", value: round(p95), unit: "ms", goal, met: p95 <= 25 },
    { name: "search_filtered_p95", value: round(p95Filtered), unit: "ms", goal, met: p95Filtered <= 25 },
  ];
}

async function recallFigures(opened: OpenMemory, notes: SyntheticNotes, path: string): Promise<readonly Figure[]> {
  const exact = openExactSearch(path);
  const database = openDatabase(path);
  const vectors = new VectorIndex(database, synthetic);
  while (vectors.load(NOTES));
  const hybrid: number[] = [];
  const meaning: number[] = [];
  for (const question of notes.questions.slice(0, COMPARED)) {
    const vector = syntheticVector(question, DIMENSIONS);
    const { passages } = await opened.search(question, { maxResults: BEST });
    const places = passages.map(({ path: file, line }) => `${file}:${line}`);
    hybrid.push(shareOf(exact.hybrid(question, vector, TODAY), places));
    meaning.push(shareOf(exact.byMeaning(vector, BEST), vectors.search(vector, EVERYTHING, BEST)));
  }
  database.close();
  exact.close();
  const goal = "at least 0.95 of exact search";
  return [
    { name: "hybrid_recall_at_10", value: mean(hybrid), unit: "", goal, met: mean(hybrid) >= 0.95 },
    { name: "vector_recall_at_10", value: mean(meaning), unit: "", goal, met: mean(meaning) >= 0.95 },
  ];
}

/** With the embedded text model, where it has been fetched. */
async function realFigures(notes: SyntheticNotes, say: (line: string) => void): Promise<readonly Figure[]> {
  const folder = join(modelFolder(process.env, homedir()), "all-minilm-l6-v2-q4-1");
  const isHere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (!isHere) {
    say("The text model is not on this machine, so its own speed is not measured.");
    return [];
  }
  say("embedding with the real model …");
  const embedder = await openEngineEmbedder({ folder });
  const [markdown = ""] = notes.files.values();
  const texts = [...markdown.matchAll(/^- (.*)$/gm), ...notes.questions.map((text) => ["", text])].map(
    ([, text]) => text!,
  );
  await embedder.embed(texts.slice(0, 5));
  const samples: number[] = [];
  for (const text of texts.slice(0, REAL_NOTES)) samples.push(await timed(() => embedder.embed([text])));
  await embedder.close();
  const p50 = percentile(samples, 0.5);
  const goal = "for comparison";
  return [
    { name: "embed_p50", value: round(p50), unit: "ms", goal, met: true },
    { name: "embed_rate", value: round(1000 / p50, 0), unit: "1/s", goal, met: true },
  ];
}

/** How much of what is wanted was found. */
function shareOf<T>(wanted: readonly T[], found: readonly T[]): number {
  return wanted.length === 0 ? 1 : wanted.filter((one) => found.includes(one)).length / wanted.length;
}

function mean(values: readonly number[]): number {
  return round(values.reduce((sum, value) => sum + value, 0) / values.length, 3);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
