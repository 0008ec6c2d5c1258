import assert from "node:assert/strict";
import type { SessionStore, TranscriptEntry } from "../session/session-store.ts";
import { AgentError } from "../types/errors.ts";
import { NO_USAGE } from "../types/message.ts";
import type { ContractCase } from "./contract.ts";

/** What every session store keeps. `make` gives a fresh, empty one. */
export function sessionStoreContract(make: () => Promise<SessionStore>): readonly ContractCase[] {
  const withStore = (name: string, check: (store: SessionStore) => Promise<void>): ContractCase => ({
    name,
    run: async () => check(await make()),
  });
  return [
    withStore("gives back what was appended, in order", async (store) => {
      const session = await store.open("s1");
      await Promise.all([1, 2, 3].map((number) => session.append(userLine(number))));
      assert.deepEqual(session.entries(), [1, 2, 3].map(userLine));
      await session.close();
      const again = await store.open("s1");
      assert.deepEqual(again.entries(), [1, 2, 3].map(userLine));
      assert.deepEqual(again.damage, { skippedLines: 0, quarantinedBytes: 0 });
      await again.close();
    }),
    withStore("lets one writer in at a time", async (store) => {
      const first = await store.open("s1");
      await assert.rejects(store.open("s1"), hasCode("session_busy"));
      const other = await store.open("s2");
      await other.close();
      await first.close();
      await first.close();
      await (await store.open("s1")).close();
    }),
    withStore("gives a session to exactly one of many who ask at once", async (store) => {
      const asked = await Promise.allSettled([1, 2, 3, 4, 5].map(() => store.open("s1")));
      const opened = asked.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      assert.equal(opened.length, 1);
      await opened[0]?.close();
    }),
    withStore("can be read while it is written to", async (store) => {
      const session = await store.open("s1");
      await session.append(userLine(1));
      assert.deepEqual(await store.read("s1"), [userLine(1)]);
      await session.close();
      assert.deepEqual(await store.read("nobody"), []);
    }),
    withStore("writes a session anew, unless a run holds it, and says whether anything changed", async (store) => {
      const session = await store.open("s1");
      for (const number of [1, 2, 3]) await session.append(userLine(number));
      await assert.rejects(
        store.rewrite("s1", () => []),
        hasCode("session_busy"),
      );
      await session.close();
      assert.equal(await store.rewrite("s1", (entries) => entries), false);
      assert.equal(await store.rewrite("s1", (entries) => entries.slice(1)), true);
      assert.equal(await store.rewrite("nobody", () => [userLine(1)]), false);
      assert.deepEqual(await store.read("s1"), [2, 3].map(userLine));
      const again = await store.open("s1");
      await again.append(userLine(4));
      await again.close();
      assert.deepEqual(await store.read("s1"), [2, 3, 4].map(userLine));
    }),
    withStore("knows a session once it was written to", async (store) => {
      const session = await store.open("s1");
      assert.equal(await store.has("s1"), false);
      assert.deepEqual(await store.list(), []);
      await session.append(userLine(1));
      assert.equal(await store.has("s1"), true);
      await session.close();
    }),
    withStore("deletes a session that nobody writes to", async (store) => {
      const session = await store.open("s1");
      await session.append(userLine(1));
      await assert.rejects(store.delete("s1"), hasCode("session_busy"));
      await session.close();
      assert.equal(await store.delete("s1"), true);
      assert.equal(await store.delete("s1"), false);
      assert.deepEqual([await store.has("s1"), await store.read("s1"), await store.list()], [false, [], []]);
      const again = await store.open("s1");
      assert.deepEqual(again.entries(), []);
      await again.close();
    }),
    withStore("lists titles from the first words of the person", async (store) => {
      const session = await store.open("s1");
      await session.append({ v: 1, id: "l0", ts: TS, type: "session", meta: {} });
      await session.append(userLine(1));
      await session.append(userLine(2));
      await session.close();
      assert.deepEqual(
        (await store.list()).map(({ id, title }) => ({ id, title })),
        [{ id: "s1", title: "words 1" }],
      );
    }),
    withStore("lists the most recently written session first", async (store) => {
      for (const id of ["s2", "s1", "s3", "s2"]) {
        const session = await store.open(id);
        await session.append(userLine(1));
        await session.close();
        // Stores may go by times of a millisecond.
        await new Promise((done) => setTimeout(done, 10));
      }
      const ids = (await store.list()).map(({ id }) => id);
      assert.deepEqual(ids, ["s2", "s3", "s1"], `list() gives the most recently written first, but gave ${ids}`);
      const newest = (await store.list({ limit: 2 })).map(({ id }) => id);
      assert.deepEqual(newest, ["s2", "s3"], `list({ limit: 2 }) gives the newest two, but gave ${newest}`);
    }),
    withStore("refuses ids that could be paths", async (store) => {
      for (const id of ["", "../x", "a/b", ".a", "_a", "a b", "a=b", "a~b", "x".repeat(129), "a\0b"]) {
        await assert.rejects(store.open(id), hasCode("bad_session_id"));
        assert.equal(await store.has(id), false);
      }
    }),
    withStore("keeps sessions apart whose ids differ in one sign", async (store) => {
      const ids = [
        "a",
        "a.b",
        "a:b",
        "a@b",
        "a_b",
        "a-b",
        "a.lease",
        "a.jsonl",
        "a.jsonl.quarantine",
        `x${":".repeat(127)}`,
      ];
      const sessions = await Promise.all(ids.map((id) => store.open(id)));
      for (const [index, session] of sessions.entries()) await session.append(userLine(index));
      for (const session of sessions) await session.close();
      for (const [index, id] of ids.entries()) assert.deepEqual(await store.read(id), [userLine(index)]);
      assert.deepEqual((await store.list()).map(({ id }) => id).sort(), ids.sort());
    }),
    withStore("keeps a line that was not synced, before and after closing", async (store) => {
      const session = await store.open("s1");
      await session.append(userLine(1), { sync: false });
      assert.deepEqual(await store.read("s1"), [userLine(1)]);
      await session.append(userLine(2));
      await session.append(userLine(3), { sync: false });
      await session.close();
      assert.deepEqual(await store.read("s1"), [1, 2, 3].map(userLine));
    }),
    withStore("gives back every kind of line as it was", async (store) => {
      const session = await store.open("s1");
      for (const line of EVERY_KIND) await session.append(line);
      await session.close();
      assert.deepEqual(await store.read("s1"), EVERY_KIND);
      const again = await store.open("s1");
      assert.deepEqual(again.entries(), EVERY_KIND);
      assert.deepEqual(again.damage, { skippedLines: 0, quarantinedBytes: 0 });
      await again.close();
    }),
    withStore("has one secret for all who ask", async (store) => {
      const secrets = await Promise.all([1, 2, 3].map(() => store.secret()));
      assert.equal(secrets[0]?.byteLength, 32);
      for (const secret of secrets) assert.deepEqual(Buffer.from(secret), Buffer.from(secrets[0] ?? []));
    }),
    withStore("takes nothing after it was closed", async (store) => {
      const session = await store.open("s1");
      await session.close();
      await assert.rejects(session.append(userLine(1)), hasCode("session_closed"));
    }),
  ];
}

const TS = "2026-01-01T00:00:00.000Z";

const LINE = { v: 1, ts: TS, runId: "run_1" } as const;
const ADA = { userId: "ada", roles: ["owner"] } as const;

/** One line of each type. */
const EVERY_KIND: readonly TranscriptEntry[] = [
  { ...LINE, id: "k1", type: "session", meta: { made_by: "test" } },
  { ...LINE, id: "k2", type: "run_started", task: "Look", settings: { principal: ADA, dedupeKey: "d", stop: {} } },
  {
    ...LINE,
    id: "k3",
    type: "message",
    stopReason: "tool_use",
    message: {
      id: "m1",
      role: "assistant",
      ts: TS,
      origin: "model",
      model: "m",
      parts: [
        { type: "reasoning", text: "Hm", opaque: { provider: "p", data: { signature: "s" } } },
        { type: "tool_call", call: { id: "c1", toolName: "look", arguments: { at: "gate" }, state: "complete" } },
      ],
    },
  },
  {
    ...LINE,
    id: "k4",
    type: "tool_intent",
    intent: { callId: "c1", toolName: "look", arguments: { at: "gate" }, idempotencyKey: "key", attempt: 1 },
  },
  { ...LINE, id: "k5", type: "env", version: 1, patches: [{ op: "set", path: "/a", value: 1 }], cause: "call:c1" },
  { ...LINE, id: "k6", type: "view", epoch: 1, edits: [{ op: "hide", messageIds: ["m0"] }] },
  {
    ...LINE,
    id: "k7",
    type: "compaction",
    summary: { id: "m2", role: "user", parts: [{ type: "text", text: "Before: …" }], ts: TS, origin: "core" },
    firstKeptId: "m1",
    tokensBefore: 10,
    tokensAfter: 5,
  },
  {
    ...LINE,
    id: "k8",
    type: "pause",
    pause: {
      kind: "ask_user",
      prompt: "Which?",
      id: "s1~pause_1",
      runId: "run_1",
      sessionId: "s1",
      userId: "ada",
      turn: 1,
      createdAt: TS,
      calls: [{ callId: "c1", toolName: "look", argsSha256: "0", preview: "{}" }],
      token: "t",
      remaining: { iterations: 3, wallMs: 1_000 },
    },
  },
  { ...LINE, id: "k9", type: "resume", pauseId: "s1~pause_1", resolution: { kind: "abandon" }, by: ADA },
  { ...LINE, id: "k10", type: "usage", usage: NO_USAGE, costMicroUsd: 7 },
  { ...LINE, id: "k11", type: "run_ended", status: "cancelled", reason: "enough" },
];

function userLine(number: number): TranscriptEntry {
  const message = {
    id: `m${number}`,
    role: "user",
    parts: [{ type: "text", text: `words ${number}` }],
    ts: TS,
    origin: "human",
  } as const;
  return { v: 1, id: `l${number}`, ts: TS, type: "message", message };
}

function hasCode(code: string): (thrown: unknown) => boolean {
  return (thrown) => {
    if (thrown instanceof AgentError && thrown.code === code) return true;
    const got = thrown instanceof AgentError ? `an AgentError with the code "${thrown.code}"` : String(thrown);
    throw new assert.AssertionError({ message: `Expected an AgentError with the code "${code}", but got ${got}` });
  };
}
