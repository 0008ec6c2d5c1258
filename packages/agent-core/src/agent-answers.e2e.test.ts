import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAgentExecutor } from "./index.ts";
import { createAskingAgent } from "./testing/answer-pauses.ts";
import { effectsPath, CRASH_PRINCIPAL as principal } from "./testing/crash-run.ts";

const CHILD = join(import.meta.dirname, "testing", "answer-pauses.ts");

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-answers-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("what waits, answered by other programs", () => {
  it.each([
    ["the approval first", [0, 1], ["paused", "finished"]],
    ["the question first", [1, 0], ["paused", "finished"]],
  ])("an approval and a question of one message, %s: each is done once", async (_, order, statuses) => {
    const { pauses } = await ask([
      { name: "unlock", args: { door: 1 } },
      { name: "ask_user", args: { question: "Sure?" } },
      { name: "unlock", args: { door: 2 } },
    ]);
    const wanted = order.map((index) => pauses[index]?.id ?? "");
    expect(await answerInTurn(wanted)).toEqual(statuses);
    expect(await effects()).toEqual(["unlock", "unlock"]);
    const messages = (await sessions().read("s1")).flatMap((line) =>
      line.type === "message" ? line.message.parts : [],
    );
    const results = messages.flatMap((part) => (part.type === "tool_result" ? [part.outcome] : []));
    expect(results).toEqual(["ok", "ok", "ok"]);
  });

  it.each([
    ["in their order", false],
    ["the other way round", true],
  ])("approvals of two conversations, %s: each is done once", async (_, isReversed) => {
    await ask([{ name: "unlock", args: { door: 1 } }], "s1");
    const { pauses } = await ask([{ name: "unlock", args: { door: 2 } }], "s2");
    const ids = pauses.map(({ id }) => id);
    expect(await answerInTurn(isReversed ? ids.toReversed() : ids)).toEqual(["finished", "finished"]);
    expect(await effects()).toEqual(["unlock", "unlock"]);
  });

  it("the same approval, by two programs at once: it is done once", async () => {
    const { pauses } = await ask([{ name: "unlock", args: { door: 1 } }]);
    const id = pauses[0]?.id ?? "";
    const ends = await Promise.allSettled([answerInChild([id]), answerInChild([id])]);
    const told = ends.flatMap((end) => (end.status === "fulfilled" ? end.value : ["refused"]));
    expect(told.filter((status) => status === "finished")).toHaveLength(1);
    expect(await effects()).toEqual(["unlock"]);
  });
});

const sessions = () => createAskingAgent(folder, []).options.sessions;

/** The program that asks, and is gone afterwards. */
async function ask(toolCalls: readonly { name: string; args: { [key: string]: string | number } }[], sessionId = "s1") {
  const executor = createAgentExecutor(createAskingAgent(folder, [{ toolCalls }]).options);
  expect(await executor.execute({ sessionId, text: "Go", principal }).outcome).toMatchObject({ status: "paused" });
  await executor.close();
  return { pauses: await executor.listPaused() };
}

/** Each in a program of its own. */
async function answerInTurn(ids: readonly string[]): Promise<readonly string[]> {
  const statuses: string[] = [];
  for (const id of ids) statuses.push(...(await answerInChild([id])));
  return statuses;
}

async function answerInChild(ids: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, folder, ...ids]);
  return stdout.split("\n").filter((line) => line !== "");
}

async function effects(): Promise<readonly string[]> {
  const text = await readFile(effectsPath(folder), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ")[0] ?? ""]));
}
