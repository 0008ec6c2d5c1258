import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunOutcome, WatchReport } from "@vision-agent/protocol";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findRunningApp } from "./find-running-app.ts";
import { type ApiClient, createApiClient } from "./interfaces/cli/api-client.ts";
import type { AppFlags, RunningApp } from "./interfaces/cli/app-flags.ts";
import { startApp } from "./start-app.ts";

describe("an app with the real engine", () => {
  let folder: string;
  let app: RunningApp | undefined;
  const notices: string[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "vision-agent-app-"));
    notices.length = 0;
  });
  afterEach(async () => {
    await app?.stop();
    app = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  const start = (over: Partial<AppFlags> = {}) =>
    startApp({
      flags: { port: "0", workspace: folder, cameras: [], demo: false, ...over },
      env: {},
      pid: process.pid,
      version: "0.0.0-test",
      onNotice: (message) => notices.push(message),
    });

  it("can undo a change that a crash cut off before its step was written", async () => {
    const source = { name: "street", source: "sim://street", location: "", notes: "as it was" };
    const found = { camera: { street: source }, watch: {}, pipeline: {}, place: {}, task: {}, note: {} };
    const cut = { id: "undo_1", at: new Date().toISOString(), by: "anna", found };
    await writeFile(
      join(folder, "CAMERAS.md"),
      "| Name | URL | Notes |\n|---|---|---|\n| street | sim://street | wet |\n",
    );
    await writeFile(join(folder, "undo-open.json"), JSON.stringify([cut]));
    app = await start();
    const client = createApiClient(app);
    const { steps } = await client.get<{ readonly steps: readonly object[] }>("/api/undo");
    expect(steps).toMatchObject([{ id: "undo_1", lines: ["Changed the camera street: notes as it was → wet."] }]);
    await client.send("POST", "/api/undo", {});
    expect(await client.get("/api/cameras/street")).toMatchObject({ notes: "as it was" });
  });

  it("says of watches that nothing is watched where only what is stored is asked for", async () => {
    app = await start();
    const condition = { kind: "appears" };
    const body = { words: "somebody", cameras: ["street"], classes: ["person"], condition };
    await createApiClient(app).send("POST", "/api/watches", body);
    await app.stop();
    app = await start({ asleep: true });
    const [watch] = await createApiClient(app).get<readonly WatchReport[]>("/api/watches");
    expect(watch?.state).toMatchObject({ kind: "blind", text: expect.stringContaining("Vision Agent is not running") });
  });

  it("S000-11.4.1 looks, counts, tells and stops by plain words", async () => {
    app = await start();
    const client = createApiClient(app);
    const session = await client.createSession();
    const look = await ask(client, session, "What do you see on street?");
    expect(look.text).toMatch(/^On street I see (\d+ .+|nothing)/);
    expect(look.images).toHaveLength(1);
    const count = await ask(client, session, "count people crossing the middle of the street camera");
    expect(count.text).toContain("I am counting people");
    expect(await client.pipelines()).toMatchObject([
      {
        name: "street-person-count",
        video_reference: "street",
        shapes: [
          {
            kind: "line",
            points: [
              [480, 0],
              [480, 540],
            ],
          },
        ],
      },
    ]);
    const watch = await ask(client, session, "watch warehouse for people");
    expect(watch.text).toContain("I will tell you when a person appears on warehouse");
    expect(await client.get("/api/watches")).toMatchObject([{ cameras: ["warehouse"], classes: ["person"] }]);
    expect(await ask(client, session, "stop everything")).toMatchObject({
      status: "paused",
      reason:
        'May I:\n- remove the watch "watch warehouse for people"?\n- stop all pipelines (street-person-count, warehouse-watch)? They feed the watch "watch warehouse for people".',
    });
    const stopped = await ask(client, session, "yes");
    expect(stopped.text).toMatch(/^Removed .*Stopped .*street-person-count.* No pipeline is running\.$/);
    expect(await client.get("/api/watches")).toEqual([]);
    expect(await client.pipelines()).toEqual([]);
    expect(notices).toEqual([]);
  });

  it("VA-12 shows pictures of results as JPEG of at most 640 pixels", async () => {
    app = await start({ cameras: ["street=sim://street?width=1280&height=720"] });
    const client = createApiClient(app);
    const { images } = await ask(client, await client.createSession(), "What do you see?");
    const response = await fetch(`${app.address}/api/artifacts/${images[0]}`, {
      headers: { authorization: `Bearer ${app.token}` },
    });
    const { format, width, height } = await sharp(await response.arrayBuffer()).metadata();
    expect({ format, width, height }).toEqual({ format: "jpeg", width: 640, height: 360 });
  });

  it("is found by other commands of the same workspace while it runs", async () => {
    app = await start();
    expect(await findRunningApp({ workspace: folder }, {})).toEqual({ address: app.address, token: app.token });
    await app.stop();
    expect(await findRunningApp({ workspace: folder }, {})).toBeUndefined();
  });

  it("starts the demo once, and runs again what was running", async () => {
    app = await start({ demo: true });
    expect(app.demo).toContain("street-count");
    const first = await pipelineIds(app);
    await app.stop();
    app = await start({ demo: true });
    expect(app.demo).toBeUndefined();
    expect(await pipelineIds(app)).toEqual(first);
  });

  it("takes the cameras of the command line in place of those of the workspace", async () => {
    app = await start({ cameras: ["yard=sim://warehouse"] });
    expect(app.cameras).toEqual(["yard"]);
    await app.stop();
    await expect(start({ cameras: ["yard=sim://mars"] })).rejects.toThrow(/"mars".*street/);
    await expect(start({ cameras: ["yard"] })).rejects.toThrow("--camera");
  });
});

async function ask(client: ApiClient, session: string, text: string): Promise<RunOutcome> {
  for await (const event of client.say(session, { text })) if (event.type === "run_ended") return event.outcome;
  throw new Error("The run did not end.");
}

async function pipelineIds(app: RunningApp): Promise<readonly string[]> {
  const client = createApiClient(app);
  for (let tries = 0; tries < 200; tries += 1) {
    const pipelines = await client.pipelines();
    if (pipelines.length > 0) return pipelines.map(({ pipeline_id }) => pipeline_id);
    await new Promise((wake) => setTimeout(wake, 50));
  }
  throw new Error("Nothing runs.");
}
