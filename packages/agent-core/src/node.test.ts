import { spawnSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toMessages } from "./context.ts";
import type { SessionStore, TranscriptEntry } from "./index.ts";
import { createFileArtifactStore, createFileSessionStore } from "./node.ts";
import { artifactStoreContract, PNG_1X1, sessionStoreContract } from "./testing.ts";

let root = "";
let made = 0;
const freshFolder = (): string => join(root, `${++made}`, "deep");
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "agent-core-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("createFileArtifactStore", () => {
  const make = async () => createFileArtifactStore({ folder: freshFolder() });
  for (const { name, run } of artifactStoreContract(make)) it(name, run);

  it("finds everything again after a restart, and leaves no half-written file", async () => {
    const folder = freshFolder();
    const { id } = await createFileArtifactStore({ folder }).put(PNG_1X1, { mimeType: "image/png", namespace: "x" });
    expect(await createFileArtifactStore({ folder }).get(id)).toEqual(Buffer.from(PNG_1X1));
    const files = (await filesIn(folder)).map((path) => basename(path));
    expect(files.sort()).toEqual([id, `${id}.json`]);
  });

  it("mends an artifact whose bytes were lost when the same bytes come again", async () => {
    const folder = freshFolder();
    const store = createFileArtifactStore({ folder });
    const { id } = await store.put(PNG_1X1, { mimeType: "image/png", namespace: "x" });
    await rm((await filesIn(folder)).find((path) => basename(path) === id) ?? "");
    expect(await store.get(id)).toBeUndefined();
    await store.put(PNG_1X1, { mimeType: "image/png", namespace: "x" });
    expect(await store.get(id)).toBeDefined();
  });
});

describe("createFileSessionStore", () => {
  const make = async () => createFileSessionStore({ folder: freshFolder(), owner: "test" });
  for (const { name, run } of sessionStoreContract(make)) it(`VA-19 ${name}`, run);

  it("VA-19 reads no more transcripts than a list is asked for", async () => {
    const { store, folder } = await withFile("");
    const session = await store.open("new");
    await session.append(line("one"));
    await session.close();
    // Whoever reads this fails.
    await mkdir(join(folder, "old.jsonl"));
    await utimes(join(folder, "old.jsonl"), 1, 1);
    expect((await store.list({ limit: 1 })).map(({ id }) => id)).toEqual(["new"]);
    await expect(store.list()).rejects.toThrow("EISDIR");
  });

  it("VA-19 writes nothing more to a transcript that somebody deleted, and says so", async () => {
    const { store, folder, path } = await withFile("");
    for (const gone of [path, folder]) {
      const session = await store.open("s1");
      await session.append(line("one"));
      await rm(gone, { recursive: true });
      await expect(session.append(line("two"))).rejects.toMatchObject({
        code: "session_lost",
        message: expect.stringContaining("was deleted"),
      });
      expect(session.entries()).toHaveLength(1);
      await session.close();
    }
  });

  it("VA-19 loads the lines of the plan", async () => {
    const { store } = await withFile(
      `{"id":"msg_001","type":"user","content":"Watch the gate","ts":"2026-02-11T10:00:00Z"}
{"id":"msg_002","type":"assistant","content":[{"type":"thinking","text":"User wants"},{"type":"tool_use","id":"tu_01","name":"start","input":{"at":1}}],"ts":"2026-02-11T10:00:02Z"}
{"id":"msg_003","type":"tool_result","tool_use_id":"tu_01","content":"Started: abc","ts":"2026-02-11T10:00:05Z"}
{"id":"msg_004","type":"assistant","content":[{"type":"text","text":"I've started"}],"ts":"2026-02-11T10:00:06Z"}`,
    );
    const session = await store.open("s1");
    await session.append(line("next"));
    await session.close();
    const messages = toMessages(await store.read("s1"));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool_result", "assistant", "user"]);
    expect(messages[2]?.parts).toMatchObject([{ callId: "tu_01", toolName: "start", outcome: "ok" }]);
    expect(await store.list()).toMatchObject([{ id: "s1", title: "Watch the gate" }]);
  });

  it.each([
    ["half a line", '{"v":1,"id":"l9","ty'],
    ["zero bytes", "\0".repeat(64)],
    ["half a character", Buffer.from('{"v":1,"id":"ü').subarray(0, -1)],
  ])("VA-19 moves a torn end aside: %s", async (_, tail) => {
    const { store, path } = await withFile(`${JSON.stringify(line("kept"))}\n`);
    await appendFile(path, tail);
    const session = await store.open("s1");
    expect(session.damage).toEqual({ skippedLines: 0, quarantinedBytes: Buffer.from(tail).length });
    await session.append(line("after"));
    await session.close();
    expect(texts(await store.read("s1"))).toEqual(["kept", "after"]);
    expect(await readFile(`${path}.quarantine`)).toEqual(Buffer.from(tail));
  });

  it("VA-19 skips and counts lines in the middle that cannot be read", async () => {
    const { store } = await withFile(
      `${JSON.stringify(line("a"))}\n{oops}\n\0\0\n"text"\n${JSON.stringify(line("b"))}\n`,
    );
    const session = await store.open("s1");
    expect(session.damage).toEqual({ skippedLines: 3, quarantinedBytes: 0 });
    expect(texts(session.entries())).toEqual(["a", "b"]);
    await session.close();
  });

  it("complaint 9: reads the second of two lines that ran into each other, and counts the first as lost", async () => {
    const half = JSON.stringify(line("lost")).slice(0, 40);
    const { store } = await withFile(`${JSON.stringify(line("a"))}\n${half}${JSON.stringify(line("b"))}\n`);
    const session = await store.open("s1");
    expect(session.damage).toEqual({ skippedLines: 1, quarantinedBytes: 0 });
    expect(texts(session.entries())).toEqual(["a", "b"]);
    await session.close();
  });

  it("complaint 9: whatever stands in a file, it opens, keeps every sound line and takes the next", async () => {
    const sound = fc.string({ maxLength: 20 }).map((text) => `${JSON.stringify(line(text))}\n`);
    const damage = fc.oneof(
      fc.constant("\0".repeat(9)),
      fc.string({ maxLength: 30 }),
      fc.constant('{"v":1,"id":"x","ts":"'),
    );
    const file = fc.array(
      fc.oneof(
        sound,
        damage.map((text) => `${text.replaceAll("\n", " ")}\n`),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(file, damage, async (lines, tail) => {
        const { store } = await withFile(lines.join("") + tail);
        const expected = lines.filter((text) => text.includes('"type":"message"')).length;
        const session = await store.open("s1");
        expect(session.entries().length).toBeGreaterThanOrEqual(expected);
        const before = session.entries().length;
        await session.append(line("next"));
        await session.close();
        expect(await store.read("s1")).toHaveLength(before + 1);
      }),
      { numRuns: 40, seed: 9 },
    );
  });

  it("signs pauses with a secret that other processes can read and nobody else", async () => {
    const folder = freshFolder();
    const stores = [1, 2, 3].map(() => createFileSessionStore({ folder, owner: "test" }));
    const secrets = await Promise.all(stores.map((store) => store.secret()));
    expect(new Set(secrets.map((secret) => Buffer.from(secret).toString("hex"))).size).toBe(1);
    expect((await stat(join(folder, "pauses.secret"))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["pauses.secret"]);
  });

  it("VA-19 loses at most the last line wherever the file is cut", async () => {
    const whole = ["one", "two", "drei ü"].map((text) => `${JSON.stringify(line(text))}\n`).join("");
    const bytes = Buffer.from(whole);
    for (let cut = 0; cut <= bytes.length; cut += 7) {
      const { store } = await withFile(bytes.subarray(0, cut));
      const complete = bytes.subarray(0, cut).toString().split("\n").length - 1;
      const session = await store.open("s1");
      const kept = texts(session.entries());
      expect(kept.length).toBeGreaterThanOrEqual(complete);
      expect(kept).toEqual(["one", "two", "drei ü"].slice(0, kept.length));
      await session.append(line("next"));
      await session.close();
      expect(texts(await store.read("s1"))).toEqual([...kept, "next"]);
    }
  });

  it("takes over from a writer that died, and from one that had our process id before a restart", async () => {
    const pid = spawnSync(process.execPath, ["-e", ""]).pid;
    for (const gone of [
      { pid },
      { pid: process.pid, started: "before the restart" },
      { pid: process.ppid, started: "another process had this id" },
      "torn",
    ]) {
      const { store, folder } = await withFile("");
      const lease = typeof gone === "string" ? gone : { ...(await ownLease(store, folder)), id: "x", ...gone };
      await writeFile(join(folder, "s1.lease"), JSON.stringify(lease));
      const session = await store.open("s1");
      await expect(store.open("s1")).rejects.toMatchObject({ code: "session_busy" });
      await session.close();
      expect((await readdir(folder)).filter((name) => name.includes("lease"))).toEqual([]);
    }
  });

  it("respects a writer that lives in another process", async () => {
    const { store, folder } = await withFile("");
    const stat = await readFile(`/proc/${process.ppid}/stat`, "utf8").catch(() => "");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    const own = await ownLease(store, folder);
    const lease = { ...own, id: "theirs", pid: process.ppid, started, owner: "neighbour" };
    await writeFile(join(folder, "s1.lease"), JSON.stringify(lease));
    await expect(store.open("s1")).rejects.toThrow(/neighbour/);
  });
});

async function withFile(
  content: string | Uint8Array,
): Promise<{ readonly store: SessionStore; readonly folder: string; readonly path: string }> {
  const folder = freshFolder();
  const path = join(folder, "s1.jsonl");
  await mkdir(folder, { recursive: true });
  await writeFile(path, content);
  return { store: createFileSessionStore({ folder, owner: "test" }), folder, path };
}

/** What this process writes into a lease. */
async function ownLease(store: SessionStore, folder: string): Promise<object> {
  const session = await store.open("s1");
  const record = JSON.parse(await readFile(join(folder, "s1.lease"), "utf8"));
  await session.close();
  return record;
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const TS = "2026-01-01T00:00:00.000Z";

function line(text: string): TranscriptEntry {
  const message = { id: "m", role: "user", parts: [{ type: "text", text }], ts: TS, origin: "human" } as const;
  return { v: 1, id: "l", ts: TS, type: "message", message };
}

function texts(entries: readonly TranscriptEntry[]): readonly string[] {
  return toMessages(entries).flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
}
