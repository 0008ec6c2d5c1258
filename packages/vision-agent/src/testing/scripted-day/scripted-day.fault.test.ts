import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleDay } from "./bundle-day.ts";
import { checkDay, checkEnd, type Lane, lastTurn, readMarks } from "./day-checks.ts";
import type { DayRun, Death } from "./day-plan.ts";

const PARTS = 5;
const DAYS_SIDE_BY_SIDE = 2;
const KILLS_A_DAY = 20;
/** Forty processes that load everything, on a machine that others use as well. */
const PART_TIMEOUT_MS = 300_000;
/** Half a dozen turns. */
const MOST_MARKS = 120;
/** Of the event loop: enough to be anywhere between two marks, or in the midst of opening everything. */
const MOST_TICKS = 60;
/** Of one kind, again half a dozen turns. */
const MOST_WORST = 16;
const MOST_WORST_TICKS = 3;
/** The last that begins on the same day. */
const LAST_TURN = 700;

describe(`a day that is killed ${PARTS * DAYS_SIDE_BY_SIDE * KILLS_A_DAY} times`, () => {
  let root = "";
  let script = "";
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "scripted-day-"));
    script = await bundleDay(root);
  });
  afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

  const parts = Array.from({ length: PARTS }, (_, at) => at + 1);
  it.each(parts)(
    "VA-19 VA-20 S000-4 loses nothing that was told or asked, does nothing twice, and its index is that of a rebuild (part %i)",
    { timeout: PART_TIMEOUT_MS },
    async (part) => {
      const seeds = Array.from({ length: DAYS_SIDE_BY_SIDE }, (_, at) => part * DAYS_SIDE_BY_SIDE + at);
      await Promise.all(seeds.map((seed) => killAndCheck(script, seed)));
    },
  );
});

async function killAndCheck(script: string, seed: number): Promise<void> {
  const folder = join(dirname(script), `day-${seed}`);
  const lane: Lane = { folder, marks: `${folder}.marks` };
  const runDay = (options: DayRun) => runScript(script, lane, options);
  const random = createRandom(seed);
  for (let kill = 1; kill <= KILLS_A_DAY; kill++) {
    const first = lastTurn(await readMarks(lane));
    expect(await runDay({ first, last: LAST_TURN, death: chooseDeath(random) })).toEqual(["SIGKILL", ""]);
    await checkDay(lane, `day ${seed}, kill ${kill}`);
    await tearLogs(lane);
  }
  const turn = lastTurn(await readMarks(lane));
  expect(turn, `day ${seed} got so far`).toBeGreaterThan(KILLS_A_DAY);
  expect(await runDay({ first: turn, last: turn + 2 })).toEqual([null, ""]);
  await checkDay(lane, `day ${seed}, end`);
  await checkEnd(lane, turn + 2);
}

/** Anywhere at all, or where it hurts most: something was just done and not written down, a file is half written. */
function chooseDeath(random: () => number): Death {
  const upTo = (most: number): number => Math.floor(random() * most);
  if (random() < 0.5) return { marks: upTo(MOST_MARKS), ticks: upTo(MOST_TICKS) };
  const kind = random() < 0.7 ? "done" : "writing";
  return { kind, marks: 1 + upTo(MOST_WORST), ticks: upTo(MOST_WORST_TICKS) };
}

/** One process of the day, to its end: how it ended, and what it complained of. */
async function runScript(
  script: string,
  { folder, marks }: Lane,
  options: DayRun,
): Promise<readonly [signal: unknown, said: string]> {
  const child = spawn(process.execPath, [script, folder, marks, JSON.stringify(options)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(script), "compile-cache") },
  });
  let said = "";
  child.stderr.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  const [, signal] = await once(child, "close");
  return [signal, said.replace(/.*ExperimentalWarning[^\n]*\n[^\n]*\n?/g, "")];
}

/** Half an entry at the end of every log, as a power cut leaves it: whoever writes next must not write behind it. */
async function tearLogs({ folder }: Lane): Promise<void> {
  for (const path of globSync(["**/*.jsonl", "memory/*.md", "USER.md"], { cwd: folder })) {
    const text = await readFile(join(folder, path), "utf8");
    const last = text.split("\n").at(-2) ?? "";
    const isEntry = text.endsWith("\n") && /^(?:\{|- )/.test(last);
    if (isEntry) await appendFile(join(folder, path), last.slice(0, last.length / 2));
  }
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
