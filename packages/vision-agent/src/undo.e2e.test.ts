import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunOutcome, WatchReport } from "@vision-agent/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiClient, createApiClient } from "./interfaces/cli/api-client.ts";
import type { RunningApp } from "./interfaces/cli/app-flags.ts";
import { startApp } from "./start-app.ts";

const THINGS = [
  ["person", "appears"],
  ["car", "appears"],
  ["person", "leaves"],
  ["car", "leaves"],
] as const;

describe("undo in a conversation", () => {
  let folder: string;
  let app: RunningApp | undefined;
  let client: ApiClient;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "vision-agent-undo-"));
    await writeFile(join(folder, "CAMERAS.md"), "| Name | URL |\n|---|---|\n| street | sim://street |\n");
    app = await startApp({
      flags: { port: "0", workspace: folder, cameras: [], demo: false },
      env: {},
      pid: process.pid,
      version: "0.0.0-test",
      onNotice: () => undefined,
    });
    client = createApiClient(app);
    for (const [thing, kind] of THINGS) {
      const about = { words: `a ${thing} ${kind}`, cameras: ["street"], classes: [thing], condition: { kind } };
      await client.send("POST", "/api/watches", about);
    }
  });
  afterEach(async () => {
    await app?.stop();
    app = undefined;
    await rm(folder, { recursive: true, force: true });
  });
  const watches = () => client.get<readonly WatchReport[]>("/api/watches");
  const say = async (session: string, text: string): Promise<string> => {
    const { text: answer } = await client.send<RunOutcome>("POST", `/api/sessions/${session}/messages`, { text });
    return answer ?? "";
  };

  it("takes back everything that one sentence muted, and does it again", async () => {
    const session = await client.createSession();
    await say(session, "mute everything for 2 hours");
    const muted = async () => (await watches()).filter(({ muted_until }) => muted_until !== undefined).length;
    expect(await muted()).toBe(4);
    const answer = await say(session, "undo that");
    expect(answer).toContain("Muted 4 watches.");
    expect(await muted()).toBe(0);
    await say(session, "redo that");
    expect(await muted()).toBe(4);
  });

  it("brings back everything that one sentence removed, over the questions about it", async () => {
    const before = (await watches()).map(({ id }) => id);
    const session = await client.createSession();
    let answer = await say(session, "stop watching everything");
    for (let asked = 0; asked < 10 && (await watches()).length > 0; asked += 1) answer = await say(session, "yes");
    expect([answer, await watches()]).toEqual([answer, []]);
    await say(session, "undo");
    expect((await watches()).map(({ id }) => id).toSorted()).toEqual(before.toSorted());
  });
});
