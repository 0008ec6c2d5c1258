import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgentExecutor, createMemoryArtifactStore, randomIds, systemClock } from "@vision-agent/agent-core";
import { createFileSessionStore } from "@vision-agent/agent-core/node";
import { scriptedModel, testTool } from "@vision-agent/agent-core/testing";
import { afterAll, describe, expect, it } from "vitest";
import { fakeChanges } from "../testing/fake-changes.ts";
import { roomyAdmission } from "../testing/roomy-admission.ts";
import { createConversations } from "./conversations.ts";
import { createPauses } from "./pauses.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe("conversations", () => {
  it("S000-4.1.5 S000-4.4 go on side by side, each in a file of its own with one JSON line a step", async () => {
    const { app, folder } = await open();
    const ids = await Promise.all([app.conversations.create(), app.conversations.create()]);
    await Promise.all(ids.map(({ id }, number) => say(app, id, `hello ${number}`)));
    expect((await readdir(folder)).filter((name) => name.endsWith(".jsonl")).sort()).toEqual(
      ids.map(({ id }) => `${id}.jsonl`).sort(),
    );
    for (const { id } of ids) {
      expect(id).toMatch(/^session_/);
      const lines = (await readFile(join(folder, `${id}.jsonl`), "utf8")).trim().split("\n");
      expect(lines.map((line) => Object.keys(JSON.parse(line))).every((keys) => keys.includes("ts"))).toBe(true);
    }
  });

  it("take one message at a time each", async () => {
    const { app } = await open();
    const { id } = await app.conversations.create();
    const run = await app.conversations.post(id, { text: "hello" });
    await expect(app.conversations.post(id, { text: "again" })).rejects.toMatchObject({ kind: "busy" });
    await run.outcome;
    await expect(app.conversations.post("session_none", { text: "x" })).rejects.toMatchObject({ kind: "not_found" });
  });

  it("S000-4.4.2 are listed and gone on with by id after a restart", async () => {
    const { app, folder } = await open();
    const { id } = await app.conversations.create();
    await say(app, id, "hello");
    await app.close();
    const next = await open(folder);
    expect((await next.app.conversations.list()).map(({ title }) => title)).toEqual(["hello"]);
    await say(next.app, id, "more");
    const { messages } = await next.app.conversations.detail(id);
    expect(messages.map(({ text }) => text)).toEqual(["hello", "I hear: hello", "more", "I hear: more"]);
  });

  it("take one answer to a question, however many come at once", async () => {
    const { app, opened } = await open();
    const { id } = await app.conversations.create();
    await say(app, id, "open the gate");
    const [pause] = await app.pauses.list();
    const answers = await Promise.allSettled(
      [1, 2, 3].map(() => app.pauses.answer(pause?.id ?? "", { decision: "approve" })),
    );
    const taken = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    expect(taken).toHaveLength(1);
    expect(await taken[0]?.outcome).toMatchObject({ status: "finished" });
    expect(opened()).toBe(1);
  });

  it("wait for a person over a restart, and take a yes as the answer once", async () => {
    const { app, folder } = await open();
    const { id } = await app.conversations.create();
    const outcome = await say(app, id, "open the gate");
    expect(outcome.status).toBe("paused");
    await app.close();
    const next = await open(folder);
    const [pause] = await next.app.pauses.list();
    expect(pause).toMatchObject({ session_id: id, prompt: "May I open it?", calls: [{ tool: "open_gate" }] });
    expect(await say(next.app, id, "Yes.")).toMatchObject({ status: "finished", text: "It is open." });
    expect(next.opened()).toBe(1);
    expect(await next.app.pauses.list(id)).toEqual([]);
    await expect(next.app.pauses.answer(pause?.id ?? "", { decision: "approve" })).rejects.toMatchObject({
      kind: "not_found",
    });
  });
});

type App = Awaited<ReturnType<typeof open>>["app"];

async function say({ conversations }: App, id: string, text: string) {
  const run = await conversations.post(id, { text });
  return run.outcome;
}

async function open(before?: string) {
  const folder = before ?? (await mkdtemp(join(tmpdir(), "sessions-")));
  folders.push(folder);
  let opened = 0;
  const gate = testTool(
    "open_gate",
    async () => {
      opened += 1;
      return "open";
    },
    { approval: async () => ({ decision: "ask", prompt: "May I open it?" }) },
  );
  const sessions = createFileSessionStore({ folder, owner: "a test" });
  const artifacts = createMemoryArtifactStore();
  const executor = createAgentExecutor({
    llm: scriptedModel(({ messages }) => {
      const last = messages.at(-1)?.parts.find((part) => part.type === "text" || part.type === "tool_result");
      if (last?.type === "tool_result") return { text: "It is open." };
      if (last?.text.includes("gate")) return { toolCalls: [{ name: "open_gate" }] };
      return { text: `I hear: ${last?.text}` };
    }),
    model: "scripted",
    tools: [gate],
    sessions,
    artifacts,
    prompt: { system: async () => [], state: async () => "" },
    clock: systemClock,
    ids: randomIds,
  });
  const pauses = createPauses({ executor, onEvent: () => undefined });
  const admission = roomyAdmission();
  const common = {
    admission,
    executor,
    sessions,
    artifacts,
    clock: systemClock,
    ids: randomIds,
    pauses,
    changes: fakeChanges(),
  };
  const conversations = createConversations({ ...common, visionMode: "lenient" });
  const app = { conversations, pauses, close: () => executor.close() };
  return { app, folder, opened: () => opened };
}
