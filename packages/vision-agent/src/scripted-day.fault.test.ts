import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message, SessionStore, TranscriptEntry } from "@vision-agent/agent-core";
import { createFileJobStore } from "@vision-agent/agent-core/jobs";
import { createFileSessionStore } from "@vision-agent/agent-core/node";
import { alertSchema } from "@vision-agent/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMarkdownMemory } from "./memory/open-markdown-memory.ts";
import { createActiveState } from "./pipelines/active-state.ts";
import { type DayRun, type Mark, openLedger, timeOfTurn } from "./scripted-day.ts";
import { openJsonLines } from "./store/json-lines.ts";
import { storedWatchSchema } from "./watches/watch-registry.ts";
import { nodeFiles } from "./workspace/node-files.ts";

const CHILD = join(import.meta.dirname, "scripted-day.ts");
const PARTS = 5;
const DAYS_SIDE_BY_SIDE = 2;
const KILLS_A_DAY = 20;
/** Forty processes that load everything, on a machine that others use as well. */
const PART_TIMEOUT_MS = 300_000;
/** Half a dozen turns. */
const MOST_MARKS = 120;
/** Of the event loop: enough to be anywhere between two marks, or in the midst of opening everything. */
const MOST_TICKS = 60;
/** The last that begins on the same day. */
const LAST_TURN = 700;
const HEARTBEAT_MS = 15 * 60_000;
/** What each tool leaves behind is found by these words. */
const NOUNS: Readonly<Record<string, string>> = {
  remember: "note",
  send_alert: "alert",
  create_watch: "watch",
  schedule_task: "task",
};

describe(`a day that is killed ${PARTS * DAYS_SIDE_BY_SIDE * KILLS_A_DAY} times`, () => {
  let root = "";
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "scripted-day-"));
  });
  afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

  const parts = Array.from({ length: PARTS }, (_, at) => at + 1);
  it.each(parts)(
    "VA-19 VA-20 S000-4 loses nothing that was told, does nothing twice, and its index is that of a rebuild (part %i)",
    { timeout: PART_TIMEOUT_MS },
    async (part) => {
      const seeds = Array.from({ length: DAYS_SIDE_BY_SIDE }, (_, at) => part * DAYS_SIDE_BY_SIDE + at);
      await Promise.all(seeds.map((seed) => killAndCheck(root, seed)));
    },
  );
});

interface Lane {
  readonly folder: string;
  readonly marks: string;
  readonly compileCache: string;
}

async function killAndCheck(root: string, seed: number): Promise<void> {
  const lane: Lane = {
    folder: join(root, `day-${seed}`),
    marks: join(root, `day-${seed}.marks`),
    compileCache: join(root, "compile-cache"),
  };
  const random = createRandom(seed);
  for (let kill = 1; kill <= KILLS_A_DAY; kill++) {
    const death = { marks: Math.floor(random() * MOST_MARKS), ticks: Math.floor(random() * MOST_TICKS) };
    const first = lastTurn(await readMarks(lane));
    expect(await runDay(lane, { first, last: LAST_TURN, death })).toEqual(["SIGKILL", ""]);
    await checkDay(lane, `day ${seed}, kill ${kill}`);
  }
  const turn = lastTurn(await readMarks(lane));
  expect(turn, `day ${seed} got so far`).toBeGreaterThan(KILLS_A_DAY);
  expect(await runDay(lane, { first: turn, last: turn + 2 })).toEqual([null, ""]);
  await checkDay(lane, `day ${seed}, end`);
  await checkEnd(lane, turn + 2);
}

/** One process of the day, to its end: how it ended, and what it complained of. */
async function runDay(lane: Lane, options: DayRun): Promise<readonly [signal: unknown, said: string]> {
  const child = spawn(process.execPath, [CHILD, lane.folder, lane.marks, JSON.stringify(options)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: lane.compileCache },
  });
  let said = "";
  child.stderr.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  const [, signal] = await once(child, "close");
  return [signal, said.replace(/.*ExperimentalWarning[^\n]*\n[^\n]*\n?/g, "")];
}

/** Holds wherever the day was hit. */
async function checkDay(lane: Lane, where: string): Promise<void> {
  for (const name of ["memory", ".index"]) await mkdir(join(lane.folder, name), { recursive: true });
  const marks = await readMarks(lane);
  expect(
    marks.filter(({ kind }) => kind === "problem"),
    where,
  ).toEqual([]);
  expect(await findWrongLines(marks), where).toEqual([]);
  const [notes, rebuilt] = await loadNotes(lane);
  expect(notes, where).toEqual(rebuilt);
  const left = [...notes.map(({ text }) => text), ...(await loadWords(lane))];
  expect(findWrongEffects(marks, left), where).toEqual([]);
  expect(await findWrongTurns(lane, marks), where).toEqual([]);
  await checkMoney(lane, marks, where);
  await checkHeartbeats(lane, marks, where);
}

/** Lines that the disk was said to have, and that are not there exactly once. */
async function findWrongLines(marks: readonly Mark[]): Promise<readonly string[]> {
  const told = marks.flatMap((mark) => (mark.kind === "line" ? [mark] : []));
  const wrong: string[] = [];
  for (const [path, own] of Map.groupBy(told, (mark) => mark.path)) {
    const counts = countOf((await readFile(path, "utf8")).split("\n"));
    wrong.push(...own.filter(({ line }) => counts.get(line) !== 1).map(({ line }) => `${path}: ${line}`));
  }
  return wrong;
}

type Note = Readonly<Record<string, unknown>> & { readonly text: string };

/** What the index of the killed day holds when it is opened again, and what one made anew from the files holds. */
async function loadNotes({ folder }: Lane): Promise<readonly [readonly Note[], readonly Note[]]> {
  const copy = await mkdtemp(join(tmpdir(), "scripted-day-rebuild-"));
  try {
    await mkdir(join(copy, ".index"));
    await cp(join(folder, "memory"), join(copy, "memory"), { recursive: true });
    await cp(join(folder, "USER.md"), join(copy, "USER.md")).catch(() => undefined);
    return [await notesIn(folder), await notesIn(copy)];
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function notesIn(folder: string): Promise<readonly Note[]> {
  const problems: string[] = [];
  const onNotice = (message: string): void => void problems.push(message);
  const now = (): number => timeOfTurn(0);
  const memory = await openMarkdownMemory({ files: nodeFiles, folder, now, timeZone: "UTC", onNotice });
  const notes = await memory.indexed();
  await memory.close();
  expect(problems).toEqual([]);
  return notes.map(({ id: _, ...note }) => ({ ...note }));
}

/** The words of every alert, watch and task. */
async function loadWords({ folder }: Lane): Promise<readonly string[]> {
  const path = join(folder, "events", "alerts.jsonl");
  const alerts = await openJsonLines({ files: nodeFiles, path, schema: alertSchema, maxEntries: 10_000 });
  const state = await readFile(join(folder, "active_state.json"), "utf8").catch(() => undefined);
  // Whole or not at all: it parses wherever the kill came.
  const { watches = [] } = state === undefined ? {} : (JSON.parse(state) as { readonly watches?: readonly unknown[] });
  const store = createFileJobStore({ path: join(folder, "jobs.jsonl"), owner: "check" });
  const jobs = await store.jobs();
  await store.close();
  return [
    ...alerts.entries().map(({ text }) => text),
    ...watches.map((one) => storedWatchSchema.parse(one).watch.words),
    ...jobs.map(({ spec }) => spec.taskConfig.instructions),
  ];
}

/** Told effects that are missing, effects that are there twice, and removed watches that are back. */
function findWrongEffects(marks: readonly Mark[], left: readonly string[]): readonly string[] {
  const counts = countOf(left.filter((words) => / \d+ end$/.test(words)));
  const doubled = [...counts].filter(([, count]) => count > 1).map(([words]) => `twice: ${words}`);
  const watchesOf = (kind: Mark["kind"]): ReadonlySet<string> =>
    new Set(marks.flatMap((mark) => ("words" in mark && mark.kind === kind ? [mark.words] : [])));
  const [leaving, gone] = [watchesOf("removing"), watchesOf("removed")];
  const told = marks.flatMap((mark) => (mark.kind === "effect" ? [wordsOf(mark.callId)] : []));
  const lost = told.filter((words) => !counts.has(words) && !leaving.has(words)).map((words) => `lost: ${words}`);
  const back = [...gone].filter((words) => counts.has(words)).map((words) => `back: ${words}`);
  return [...doubled, ...lost, ...back];
}

function wordsOf(callId: string): string {
  const [, tool = "", turn] = /^(\w+)-(\d+)$/.exec(callId) ?? [];
  return `${NOUNS[tool]} ${turn} end`;
}

/** Whatever a transcript has twice or has lost. */
async function findWrongTurns(lane: Lane, marks: readonly Mark[]): Promise<readonly string[]> {
  const entries = await readTranscripts(lane);
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const ended = endedTurns(entries);
  const results = resultsIn(messages);
  return [
    ...doubles(entries.map(({ id }) => id)),
    ...doubles(
      messages
        .filter(({ role }) => role === "user")
        .map(textOf)
        .filter((text) => text.startsWith("Turn ")),
    ),
    ...doubles(callsIn(messages)),
    ...doubles(results),
    ...results.filter((id) => !callsIn(messages).includes(id)).map((id) => `a result without a call: ${id}`),
    ...marks.flatMap((mark) => {
      if (mark.kind === "effect" && !results.includes(mark.callId)) return [`a result is lost: ${mark.callId}`];
      return mark.kind === "turn_over" && !ended.has(`turn-${mark.turn}`) ? [`an end is lost: ${mark.turn}`] : [];
    }),
  ];
}

/** Keys of turns whose end is written. */
function endedTurns(entries: readonly TranscriptEntry[]): ReadonlySet<string | undefined> {
  const ends = new Set(entries.flatMap((entry) => (entry.type === "run_ended" && entry.outcome ? [entry.runId] : [])));
  const starts = entries.flatMap((entry) => (entry.type === "run_started" ? [entry] : []));
  return new Set(starts.filter(({ runId }) => ends.has(runId)).map(({ settings }) => settings?.dedupeKey));
}

/** Spent is at least what was told as paid, and at most that and the worst of every call that was cut off. */
async function checkMoney({ folder }: Lane, marks: readonly Mark[], where: string): Promise<void> {
  const sums = (kind: Mark["kind"]): ReadonlyMap<string, number> =>
    new Map(marks.flatMap((mark) => ("microUsd" in mark && mark.kind === kind ? [[mark.key, mark.microUsd]] : [])));
  const [asked, paid] = [sums("reserving"), sums("settled")];
  const cutOff = [...asked].filter(([key]) => !paid.has(key)).map(([, microUsd]) => microUsd);
  const ledger = openLedger(folder, { now: () => timeOfTurn(lastTurn(marks)) });
  const { spentMicroUsd, reservedMicroUsd } = await ledger.state("day");
  await ledger.close();
  expect(reservedMicroUsd, where).toBe(0);
  expect(spentMicroUsd, where).toBeGreaterThanOrEqual(sum([...paid.values()]));
  expect(spentMicroUsd, where).toBeLessThanOrEqual(sum([...paid.values(), ...cutOff]));
}

/** Every due time has one run, and nobody worked on one twice. */
async function checkHeartbeats({ folder }: Lane, marks: readonly Mark[], where: string): Promise<void> {
  const store = createFileJobStore({ path: join(folder, "jobs.jsonl"), owner: "check" });
  const dueMs = (await store.runs({ jobId: "heartbeat" })).map(({ dueAt }) => Date.parse(dueAt));
  await store.close();
  const first = dueMs[0] ?? 0;
  expect(dueMs, where).toEqual(dueMs.map((_, at) => first + at * HEARTBEAT_MS));
  expect(doubles(marks.flatMap((mark) => (mark.kind === "job_run" ? [mark.key] : []))), where).toEqual([]);
}

/** Holds once the day was ended in good order: nothing is left open. */
async function checkEnd(lane: Lane, turns: number): Promise<void> {
  const entries = await readTranscripts(lane);
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const ended = endedTurns(entries);
  const missing = Array.from({ length: turns }, (_, at) => `turn-${at + 1}`).filter((key) => !ended.has(key));
  expect(missing).toEqual([]);
  expect(callsIn(messages).toSorted()).toEqual(resultsIn(messages).toSorted());
  const path = join(lane.folder, "active_state.json");
  const state = createActiveState({ files: nodeFiles, path, now: () => 0 });
  const watches = await state.section("watches", storedWatchSchema).load();
  const used = new Set(watches.flatMap(({ pipeline_ids }) => Object.values(pipeline_ids)));
  expect((await state.load()).pipelines.map(({ id }) => id)).toEqual([...used]);
}

async function readTranscripts({ folder }: Lane): Promise<readonly TranscriptEntry[]> {
  const store: SessionStore = createFileSessionStore({ folder: join(folder, "sessions"), owner: "check" });
  const sessions = await store.list();
  return (await Promise.all(sessions.map(({ id }) => store.read(id)))).flat();
}

function callsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : [])));
}

function resultsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : [])));
}

function textOf({ parts }: Message): string {
  return parts.find((part) => part.type === "text")?.text ?? "";
}

async function readMarks({ marks }: Lane): Promise<readonly Mark[]> {
  const text = await readFile(marks, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Mark);
}

/** The turn that was begun last; the first where none was. */
function lastTurn(marks: readonly Mark[]): number {
  return marks.findLast((mark) => mark.kind === "turn")?.turn ?? 1;
}

function countOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function doubles(texts: readonly string[]): readonly string[] {
  return [...countOf(texts)].filter(([, count]) => count > 1).map(([text]) => `twice: ${text}`);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** Numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
