import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFileJobStore } from "@vision-agent/agent-core/jobs";
import { createFileArtifactStore, createFileSessionStore } from "@vision-agent/agent-core/node";
import { JPEG_HEADER_640X480, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import type { ForgetReceipt } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { WORKSPACE_STORES } from "./store/workspace-stores.data.ts";
import { openScenarioApp, type ScenarioApp, until } from "./testing/scenario-app.ts";
import { call, say, toScript } from "./testing/scripted-turns.ts";

/** In no file of a fresh workspace. */
const SEEN = "Zebrafinch-7741";
const KEPT = "Kingfisher-2093";
const DAY = "2026-05-20";
const AT = `${DAY}T12:00:00.000Z`;

let app: ScenarioApp | undefined;
afterEach(async () => {
  await app?.stop();
  app = undefined;
});

describe("forgetting", () => {
  it("leaves no byte of a camera in the workspace, and all of the others", async () => {
    const home = await open();
    await until("index", async () => (await bytesWith(home.folder, SEEN)).some((path) => path.startsWith(".index")));
    const before = await bytesWith(home.folder, SEEN);
    expect(new Set(before.map((path) => path.split("/")[0]))).toEqual(
      new Set([
        ".index",
        "artifacts",
        "changes.jsonl",
        "events",
        "jobs.jsonl",
        "memory",
        "recordings",
        "sessions",
        "undo.jsonl",
      ]),
    );

    const preview = await home.send<ForgetReceipt>("POST", "/api/forget", { camera: "Door", preview: true });
    expect(countsOf(preview)).toEqual({
      conversations: 1,
      notes: 2,
      alerts: 1,
      changes: 1,
      "changes to undo": 2,
      departures: 1,
      "task answers": 1,
      recordings: 1,
      pictures: 2,
      "seconds of the trace": 0,
      events: 2,
    });
    expect(JSON.stringify(preview)).toContain(SEEN);
    expect(await bytesWith(home.folder, SEEN)).toEqual(expect.arrayContaining([...before]));

    const receipt = await home.send<ForgetReceipt>("POST", "/api/forget", { camera: "Door", preview: false });
    expect(countsOf(receipt)).toEqual(countsOf(preview));
    expect(JSON.stringify(receipt)).not.toContain(SEEN);
    expect(await bytesWith(home.folder, SEEN)).toEqual([]);
    expect(await home.events({ camera: "door" })).toEqual([]);
    expect((await home.events({ camera: "yard" })).map(({ text }) => text)).toEqual([`${KEPT} came.`]);
    const again = await home.send<ForgetReceipt>("POST", "/api/forget", { camera: "door", preview: true });
    expect(again.removed.filter(({ count }) => count > 0)).toEqual([]);
    expect(new Set((await bytesWith(home.folder, KEPT)).map((path) => path.split("/")[0]))).toEqual(
      new Set([".index", "artifacts", "events", "memory", "recordings", "sessions"]),
    );
    const unknown = (await readdir(home.folder)).filter(
      (name) => !Object.hasOwn(WORKSPACE_STORES, name.replace(/\.lease$/, "")),
    );
    expect(unknown, "missing in workspace-stores.data.ts").toEqual([]);
  }, 60_000);

  it("takes a time, an event or a visit alone, and says what it needs", async () => {
    const home = await open();
    const counts = async (body: object) =>
      countsOf(await home.send<ForgetReceipt>("POST", "/api/forget", { ...body, preview: true }));
    expect(await counts({ event: "event_1" })).toMatchObject({ events: 1, pictures: 1, alerts: 1, notes: 0 });
    expect(await counts({ visit: "event_1" })).toMatchObject({ events: 2, pictures: 1, notes: 2 });
    expect(await counts({ to: `${DAY}T00:00:00Z` })).toMatchObject({ events: 0, pictures: 0, notes: 0 });
    expect(await counts({ from: AT })).toMatchObject({ events: 3 });
    const refused = (body: object) => home.send("POST", "/api/forget", { ...body, preview: true });
    await expect(refused({})).rejects.toThrow("Say what to forget: a camera, a time, an event or a visit.");
    await expect(refused({ event: "event_9" })).rejects.toThrow("There is no event event_9.");
    await expect(refused({ from: AT, to: AT })).rejects.toThrow("ends before it begins");
    await expect(refused({ camera: "door", event: "event_1" })).rejects.toThrow("alone");
  }, 60_000);
});

describe("forgetting in the chat", () => {
  it("asks at every level of autonomy, with what would go, and also cleans the conversation it is asked in", async () => {
    const model = await startAnthropicLoopback({
      script: toScript([
        () => call(["capture_frame", { camera: "door" }]),
        () => say(`A ${SEEN} with a hat.`),
        () => call(["forget", { camera: "door" }]),
        ({ results }) => say(results.map(({ text }) => text).join()),
      ]),
    });
    try {
      app = await openScenarioApp({
        cameras: { door: "sim://street?width=320&height=180" },
        config: {
          llm: { provider: "anthropic", api_key: model.apiKey, base_url: model.url },
          agent: { autonomy: "autonomous" },
        },
      });
      await app.say("What do you see?");
      expect((await app.say("Forget what the door saw.")).status).toBe("paused");
      const [pause] = await app.pauses();
      expect(pause?.prompt).toBe("Remove 1 conversation, 1 picture for good (door)?");
      expect(await bytesWith(app.folder, SEEN)).not.toEqual([]);
      expect((await app.agree()).text).toContain("Removed (door): 1 conversation, 1 picture.");
      const { folder } = app;
      await until("clean conversation", async () => (await bytesWith(folder, SEEN)).length === 0);
      await until("end of what waits", async () => !(await readdir(folder)).includes("forget.json"));
      expect((await app.steps()).map(({ tool }) => tool)).toEqual(["capture_frame", "forget"]);
    } finally {
      await app?.stop();
      app = undefined;
      await model.close();
    }
  }, 60_000);
});

function countsOf({ removed }: ForgetReceipt) {
  return Object.fromEntries(removed.map(({ what, count }) => [what, count]));
}

async function open(): Promise<ScenarioApp> {
  app = await openScenarioApp({
    cameras: { yard: "sim://street", door: "sim://street" },
    config: { events: { keep_days: 3650 } },
    prepare,
  });
  return app;
}

/** What a few days with two cameras leave behind. */
async function prepare(workspace: string): Promise<void> {
  const door = await putPicture(workspace, "door", SEEN);
  const looked = await putPicture(workspace, "door", `${SEEN}, looked at`);
  const yard = await putPicture(workspace, "yard", KEPT);
  await mkdir(join(workspace, "events"), { recursive: true });
  await mkdir(join(workspace, "memory"), { recursive: true });
  await mkdir(join(workspace, "egress"), { recursive: true });
  const event = { timestamp: AT, pipeline_id: "p", frame_number: 1, tracker_id: 7, class_name: "person" };
  await writeLines(workspace, `events/${DAY}.jsonl`, [
    { ...event, id: "event_1", kind: "appeared", camera: "door", text: `${SEEN} came.`, picture: door },
    { ...event, id: "event_2", kind: "left", camera: "door", text: `${SEEN} left.`, timestamp: `${DAY}T12:05:00.000Z` },
    { ...event, id: "event_3", kind: "appeared", camera: "yard", text: `${KEPT} came.`, picture: yard },
  ]);
  const alert = { severity: "info", timestamp: AT, camera: "door", text: `${SEEN} is here.`, held_back: 0 };
  await writeLines(workspace, "events/alerts.jsonl", [{ ...alert, id: "alert_1", event_id: "event_1" }]);
  await writeFile(
    join(workspace, "memory", `${DAY}.md`),
    `# ${DAY}\n\n- 12:01 [door] ${SEEN} wears a hat.\n  And a coat.\n- 12:01 [yard] ${KEPT} too.\n- 12:00 [door] Summary with ${SEEN}. <!-- {"summary":"hour"} -->\n`,
  );
  const change = { kind: "remembered", what: "note", id: "n", name: SEEN, camera: "door", text: SEEN, link: "/notes" };
  const call = { run_id: "r", session_id: "s", call_id: "c", tool: "remember" };
  await writeLines(workspace, "changes.jsonl", [{ ...change, at: AT, ...call }]);
  const sent = { ...change, kind: "sent", what: "alert" };
  const step = { at: AT, by: "agent" };
  await writeLines(workspace, "undo.jsonl", [
    { ...step, id: "u1", items: [{ effect: change, after: { text: SEEN } }] },
    { ...step, id: "u2", items: [{ effect: sent }], blocked: "That cannot be undone." },
  ]);
  const left = { at: AT, what: "picture", to: "api.example.com", kind: "model", why: "shown", bytes: 1 };
  await writeLines(workspace, "egress/2026-05.jsonl", [{ ...left, camera: "door", artifact: door, sha256: "0" }]);
  // Old recordings would go by themselves.
  const second = Math.round(Date.now() / 1000) - 600;
  for (const [camera, words] of Object.entries({ door: SEEN, yard: KEPT })) {
    await mkdir(join(workspace, "recordings", camera), { recursive: true });
    await writeFile(join(workspace, "recordings", camera, `${second}.mkv`), words);
  }
  await prepareConversations(workspace, looked);
  await prepareTask(workspace, looked);
}

async function putPicture(workspace: string, camera: string, words: string): Promise<string> {
  const artifacts = createFileArtifactStore({ folder: join(workspace, "artifacts") });
  const bytes = Buffer.concat([JPEG_HEADER_640X480, Buffer.from(words)]);
  const about = { mimeType: "image/jpeg", namespace: "event_picture", sources: [`camera:${camera}`] };
  return (await artifacts.put(bytes, about)).id;
}

async function prepareConversations(workspace: string, picture: string): Promise<void> {
  const sessions = createFileSessionStore({ folder: join(workspace, "sessions"), owner: "test" });
  for (const [id, camera, words] of [
    ["chat_1", "door", SEEN],
    ["chat_2", "yard", KEPT],
  ] as const) {
    const session = await sessions.open(id);
    const line = { v: 1, ts: AT, runId: "run_1" } as const;
    const message = (role: "user" | "assistant" | "tool_result", parts: readonly object[]) =>
      ({
        ...line,
        id: `${role}_${parts.length}`,
        type: "message",
        message: { id: role, role, parts, ts: AT, origin: "human" },
      }) as never;
    await session.append({ ...line, id: "1", type: "run_started", task: "Who is there?" });
    await session.append(message("user", [{ type: "text", text: "Who is there?" }]));
    const call = { id: "c1", toolName: "capture_frame", arguments: { camera }, state: "complete" };
    await session.append(message("assistant", [{ type: "tool_call", call }]));
    const content = [
      { type: "text", text: `${camera}: ${words}` },
      ...(camera === "door" ? [{ type: "image", artifactId: picture, mimeType: "image/jpeg", alt: words }] : []),
    ];
    const data = { camera, seen: { subject: camera, notes: [words] } };
    await session.append(
      message("tool_result", [
        { type: "tool_result", callId: "c1", toolName: "capture_frame", outcome: "ok", content, data },
      ]),
    );
    const intent = {
      callId: "c2",
      toolName: "remember",
      arguments: { content: words },
      idempotencyKey: "k",
      attempt: 1,
    };
    await session.append({ ...line, id: "5", type: "tool_intent", intent });
    await session.append(
      message("assistant", [
        { type: "reasoning", text: words },
        { type: "text", text: `I see ${words}.` },
      ]),
    );
    const outcome = { status: "finished", by: "model", text: `I see ${words}.` } as never;
    await session.append({ ...line, id: "7", type: "run_ended", status: "finished", reason: "complete", outcome });
    await session.close();
  }
}

async function prepareTask(workspace: string, picture: string): Promise<void> {
  const store = createFileJobStore({ path: join(workspace, "jobs.jsonl"), owner: "test" });
  const spec = { id: "task_1", kind: "action", trigger: { type: "at", time: AT } } as never;
  await store.putJob({ spec, coveredUntilMs: Date.parse(AT) } as never);
  const run = { id: "run_1", jobId: "task_1", state: "completed", dueAt: AT, startedAt: AT, attempt: 1, revision: 1 };
  await store.addRuns("task_1", [{ ...run, output: { text: `I saw ${SEEN}.`, artifacts: [picture] } } as never]);
  await store.close();
}

async function writeLines(workspace: string, path: string, values: readonly object[]): Promise<void> {
  await writeFile(join(workspace, path), values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

/** Paths of all files that hold these bytes. */
async function bytesWith(folder: string, words: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(
    paths.map(async (path) => [path, (await readFile(path)).toString("latin1")] as const),
  );
  return texts.flatMap(([path, text]) =>
    text.toLowerCase().includes(words.toLowerCase()) ? [path.slice(folder.length + 1)] : [],
  );
}
