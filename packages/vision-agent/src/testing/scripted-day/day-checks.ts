// what a killed day left on disk + what it had told → whatever is lost, torn or there twice
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Message, type SessionStore, systemClock, type TranscriptEntry } from "@vision-agent/agent-core";
import { createFileJobStore } from "@vision-agent/agent-core/jobs";
import { createFileSessionStore } from "@vision-agent/agent-core/node";
import { alertSchema, changeSchema } from "@vision-agent/protocol";
// biome-ignore lint/correctness/noUndeclaredDependencies: a test alone imports this, and vitest belongs to the whole app
import { expect } from "vitest";
import { openMarkdownMemory } from "../../memory/open-markdown-memory.ts";
import { createActiveState } from "../../pipelines/active-state.ts";
import { openBoundedLog } from "../../store/bounded-log.ts";
import { effectsIn } from "../../tools/change-ledger.ts";
import { storedWatchSchema } from "../../watches/camera-assignments.ts";
import { nodeFiles } from "../../workspace/node-files.ts";
import { isAgreed, type Mark, openLedger, timeOfTurn, wordsOf } from "./day-plan.ts";

const HEARTBEAT_MS = 15 * 60_000;
/** Every answer of the script, by the prices of the day. */
const CALL_MICRO_USD = 35;

/** Where one day is lived. */
export interface Lane {
  readonly folder: string;
  readonly marks: string;
}

/** Holds wherever the day was hit. */
export async function checkDay(lane: Lane, where: string): Promise<void> {
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
  const entries = await readTranscripts(lane);
  expect(findWrongEffects(marks, left), where).toEqual([]);
  expect(findWrongAlerts(marks), where).toEqual([]);
  expect(findWrongTurns(entries, marks), where).toEqual([]);
  expect(findWrongPauses(entries, marks, left), where).toEqual([]);
  expect(await findWrongChanges(lane, entries), where).toEqual([]);
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
  const alerts = await openBoundedLog({ files: nodeFiles, path, schema: alertSchema, maxEntries: 10_000 });
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
export function findWrongEffects(marks: readonly Mark[], left: readonly string[]): readonly string[] {
  const counts = countOf(left.filter(isOfTheDay));
  const done = marks.flatMap((mark) => (mark.kind === "done" ? [wordsOf(mark.callId)] : []));
  // A task is scheduled under the key of its call: once more changes nothing.
  const doubled = [...doubles(left.filter(isOfTheDay)), ...doubles(done.filter((words) => !words.startsWith("task ")))];
  const watchesOf = (kind: Mark["kind"]): ReadonlySet<string> =>
    new Set(marks.flatMap((mark) => ("words" in mark && mark.kind === kind ? [mark.words] : [])));
  const [leaving, gone] = [watchesOf("removing"), watchesOf("removed")];
  const told = marks.flatMap((mark) => (mark.kind === "effect" ? [wordsOf(mark.callId)] : []));
  const lost = told.filter((words) => !counts.has(words) && !leaving.has(words)).map((words) => `lost: ${words}`);
  const back = [...gone].filter((words) => counts.has(words)).map((words) => `back: ${words}`);
  return [...doubled, ...lost, ...back];
}

/** Whatever a transcript has twice or has lost. */
function findWrongTurns(entries: readonly TranscriptEntry[], marks: readonly Mark[]): readonly string[] {
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

/** Questions that were lost or answered twice, and watches that nobody agreed to. */
export function findWrongPauses(
  entries: readonly TranscriptEntry[],
  marks: readonly Mark[],
  left: readonly string[],
): readonly string[] {
  const idsOf = (kind: Mark["kind"]): readonly string[] =>
    marks.flatMap((mark) => ("pauseId" in mark && mark.kind === kind ? [mark.pauseId] : []));
  const pauses = entries.flatMap((entry) => (entry.type === "pause" ? [entry.pause] : []));
  const answered = entries.flatMap((entry) => (entry.type === "resume" ? [entry.pauseId] : []));
  const agreed = pauses.filter(({ id }) => answered.includes(id)).flatMap(({ calls }) => calls);
  const allowed = new Set(agreed.map(({ callId }) => wordsOf(callId)).filter((words) => isAgreed(turnIn(words))));
  const answering = idsOf("answering");
  return [
    ...doubles(answered),
    ...idsOf("asked")
      .filter((id) => !pauses.some((pause) => pause.id === id))
      .map((id) => `a question is lost: ${id}`),
    ...answered.filter((id) => !answering.includes(id)).map((id) => `nobody answered: ${id}`),
    ...idsOf("answered")
      .filter((id) => !answered.includes(id))
      .map((id) => `an answer is lost: ${id}`),
    ...left.filter((words) => /^watch \d+ end$/.test(words) && !allowed.has(words)).map((words) => `unasked: ${words}`),
  ];
}

/** Whole words of the plan, not those of a watch that fired. */
function isOfTheDay(words: string): boolean {
  return /^\w+ \d+ end$/.test(words);
}

function turnIn(words: string): number {
  return Number(/\d+/.exec(words)?.[0]);
}

/** Alerts that reached the person twice, and told ones that did not. */
export function findWrongAlerts(marks: readonly Mark[]): readonly string[] {
  const sent = marks.flatMap((mark) => (mark.kind === "sent" ? [mark] : []));
  const own = sent.map(({ text }) => text).filter(isOfTheDay);
  const told = marks.flatMap((mark) => (mark.kind === "effect" ? [wordsOf(mark.callId)] : []));
  return [
    ...doubles(sent.map(({ alertId }) => alertId)),
    ...doubles(own),
    ...told.filter((words) => words.startsWith("alert ") && !own.includes(words)).map((words) => `not sent: ${words}`),
  ];
}

/** Keys of turns whose end is written. */
function endedTurns(entries: readonly TranscriptEntry[]): ReadonlySet<string | undefined> {
  const ends = new Set(
    entries.flatMap((entry) =>
      entry.type === "run_ended" && entry.outcome?.status === "finished" ? [entry.runId] : [],
    ),
  );
  const starts = entries.flatMap((entry) => (entry.type === "run_started" ? [entry] : []));
  return new Set(starts.filter(({ runId }) => ends.has(runId)).map(({ settings }) => settings?.dedupeKey));
}

/** Spent is at least what the provider bills, and at most what was told as paid and the worst of every call that was cut off. */
async function checkMoney({ folder }: Lane, marks: readonly Mark[], where: string): Promise<void> {
  const sums = (kind: Mark["kind"]): ReadonlyMap<string, number> =>
    new Map(marks.flatMap((mark) => ("microUsd" in mark && mark.kind === kind ? [[mark.key, mark.microUsd]] : [])));
  const [asked, paid] = [sums("reserving"), sums("settled")];
  const cutOff = [...asked].filter(([key]) => !paid.has(key)).map(([, microUsd]) => microUsd);
  const ledger = openLedger(folder, { ...systemClock, now: () => timeOfTurn(lastTurn(marks)) });
  const { spentMicroUsd, reservedMicroUsd } = await ledger.state("day");
  await ledger.close();
  expect(reservedMicroUsd, where).toBe(0);
  const billed = marks.filter(({ kind }) => kind === "model_asked").length * CALL_MICRO_USD;
  expect(spentMicroUsd, where).toBeGreaterThanOrEqual(Math.max(billed, sum([...paid.values()])));
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
export async function checkEnd(lane: Lane, turns: number): Promise<void> {
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

/** Effects of results in the transcripts that the ledger of changes has lost, or has twice. */
async function findWrongChanges({ folder }: Lane, entries: readonly TranscriptEntry[]): Promise<readonly string[]> {
  const path = join(folder, "changes.jsonl");
  const log = await openBoundedLog({ files: nodeFiles, path, schema: changeSchema, maxEntries: 10_000 });
  const written = log.entries().map(({ call_id, kind, id }) => `${call_id} ${kind} ${id}`);
  const told = entries.flatMap((entry) =>
    entry.type === "message" ? entry.message.parts.flatMap((part) => (part.type === "tool_result" ? [part] : [])) : [],
  );
  const lost = told
    .flatMap(({ callId, data }) => effectsIn(data).map(({ kind, id }) => `${callId} ${kind} ${id}`))
    .filter((change) => !written.includes(change));
  return [...doubles(written), ...lost.map((change) => `lost: ${change}`)];
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

export async function readMarks({ marks }: Lane): Promise<readonly Mark[]> {
  const text = await readFile(marks, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Mark);
}

/** The turn that was begun last; the first where none was. */
export function lastTurn(marks: readonly Mark[]): number {
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
