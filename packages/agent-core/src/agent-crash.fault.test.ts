import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAgentExecutor, type Message, type TranscriptEntry } from "./index.ts";
import { CRASH_PRINCIPAL, CRASH_SESSION, createCrashAgent, effectsPath, writtenPath } from "./testing/crash-run.ts";

const CHILD = join(import.meta.dirname, "testing", "crash-run.ts");
/** Children at a time. */
const SIDE_BY_SIDE = 2;

describe("a run of forty steps, killed at every line", () => {
  let root = "";
  let lines = 0;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "agent-crash-"));
    const folder = await runChild(root, Number.POSITIVE_INFINITY);
    lines = (await readLines(writtenPath(folder))).length;
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it("is long enough to mean something", () => {
    expect(lines).toBeGreaterThan(130);
  });

  for (const part of [0, 1, 2, 3]) {
    it(`invariant 1: loses no line, repeats no effect, forgets no pause, and the session goes on (part ${part + 1} of 4)`, async () => {
      const points = Array.from({ length: lines }, (_, index) => index + 1).filter((at) => at % 4 === part);
      for (let first = 0; first < points.length; first += SIDE_BY_SIDE) {
        await Promise.all(points.slice(first, first + SIDE_BY_SIDE).map((at) => crashAt(root, at)));
      }
    });
  }
});

async function crashAt(root: string, at: number): Promise<void> {
  const folder = await runChild(root, at);
  const { options, llm } = createCrashAgent(folder, () => ({ text: "Going on." }));
  const executor = createAgentExecutor(options);

  const waiting = unanswered(await options.sessions.read(CRASH_SESSION));
  await executor.recover();
  const entries = await options.sessions.read(CRASH_SESSION);
  const kept = new Set(entries.map(({ id }) => id));
  expect(
    (await readLines(writtenPath(folder))).filter((id) => !kept.has(id)),
    `lines lost at ${at}`,
  ).toEqual([]);
  const listed = (await executor.listPaused()).map(({ id }) => id);
  expect(listed, `pauses at ${at}`).toEqual(waiting);

  const input = { sessionId: CRASH_SESSION, text: "Are you there?", principal: CRASH_PRINCIPAL };
  expect(await executor.execute(input).outcome, `next run after ${at}`).toMatchObject({ status: "finished" });
  expect(unpaired(llm.requests[0]?.messages ?? []), `pairs after ${at}`).toEqual([]);
  expect(repeated(await readLines(effectsPath(folder))), `effects after ${at}`).toEqual([]);
  await rm(folder, { recursive: true, force: true });
}

/** Runs until it kills itself, or to its end. */
async function runChild(root: string, at: number): Promise<string> {
  const folder = join(root, `${at}`);
  await mkdir(folder, { recursive: true });
  const child = spawn(process.execPath, [CHILD, folder, `${at}`, at % 2 === 0 ? "torn" : "clean"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let problems = "";
  child.stderr.on("data", (data: Buffer) => {
    problems += data.toString();
  });
  const signal = await new Promise((done) => child.on("close", (_, name) => done(name)));
  expect([signal, problems.replace(/.*ExperimentalWarning[^\n]*\n[^\n]*\n?/g, "")]).toEqual([
    Number.isFinite(at) ? "SIGKILL" : null,
    "",
  ]);
  return folder;
}

function unanswered(entries: readonly TranscriptEntry[]): readonly string[] {
  const answered = new Set(entries.flatMap((entry) => (entry.type === "resume" ? [entry.pauseId] : [])));
  return entries.flatMap((entry) => (entry.type === "pause" && !answered.has(entry.pause.id) ? [entry.pause.id] : []));
}

/** Calls of tools that may not be repeated, made twice; keys of those that may, used for two calls. */
function repeated(effects: readonly string[]): readonly string[] {
  const once = effects
    .filter((effect) => /^(act|unlock) /.test(effect))
    .map((effect) => effect.split(" ", 2).join(" "));
  const keys = effects
    .filter((effect) => effect.startsWith("put "))
    .map((effect) => effect.split(" ").slice(1).join(" "));
  const keyOfCall = new Map(keys.map((pair) => [pair.split(" ")[0], pair]));
  return [
    ...once.filter((effect, index) => once.indexOf(effect) !== index),
    ...keys.filter((pair) => keyOfCall.get(pair.split(" ")[0]) !== pair),
  ];
}

function unpaired(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((sent, index) => {
    const asked = sent.parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []));
    const next = messages.slice(index + 1, index + 1 + asked.length).flatMap(({ parts }) => parts);
    const answered = next.flatMap((part) => (part.type === "tool_result" ? [part.callId] : []));
    return asked.join() === answered.join() ? [] : [sent.id];
  });
}

async function readLines(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
