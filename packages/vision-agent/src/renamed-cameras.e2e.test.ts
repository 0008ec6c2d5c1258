import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Alert, WatchReport } from "@vision-agent/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiClient, createApiClient } from "./interfaces/cli/api-client.ts";
import type { RunningApp } from "./interfaces/cli/app-flags.ts";
import { startApp } from "./start-app.ts";

describe("a camera that gets another name while the app runs", () => {
  let folder: string;
  let app: RunningApp | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "vision-agent-renamed-"));
  });
  afterEach(async () => {
    await app?.stop();
    app = undefined;
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (): Promise<ApiClient> => {
    app = await startApp({
      flags: { port: "0", workspace: folder, cameras: [], demo: false },
      env: {},
      pid: process.pid,
      version: "0.0.0-test",
      onNotice: () => undefined,
    });
    return createApiClient(app);
  };

  it("keeps its alerts, rules, viewers and recording, there and back", async () => {
    await writeFile(join(folder, "CAMERAS.md"), "| Name | URL |\n|---|---|\n| street | sim://street |\n");
    const rule = { camera: "street", destination: "example.org", images: "never", at: "2026-01-01T10:00:00.000Z" };
    await writeFile(join(folder, "egress.json"), JSON.stringify({ version: 1, rules: [rule] }));
    const client = await start();
    const condition = { kind: "appears" };
    const body = { words: "somebody", cameras: ["street"], classes: ["person"], condition };
    const { id } = await client.send<WatchReport>("POST", "/api/watches", body);
    await client.send("POST", `/api/watches/${id}/test`, {});
    await client.send("PUT", "/api/cameras/street/recording", { on: true });
    const people = { name: "guest", password: "a long password", role: "viewer", cameras: ["street"] };
    await client.send("POST", "/api/accounts", people);
    const look = async (camera: string) => ({
      alerts: (await client.get<readonly Alert[]>("/api/alerts")).filter(({ test }) => test).map((one) => one.camera),
      recording: await client.get(`/api/cameras/${camera}/recording`),
      watch: (await client.get<WatchReport>(`/api/watches/${id}`)).cameras,
      rules: JSON.parse(await readFile(join(folder, "egress.json"), "utf8")).rules,
      viewers: await client.get("/api/accounts"),
    });
    const expected = (camera: string) => ({
      alerts: [camera],
      recording: { camera, on: true },
      watch: [camera],
      rules: [{ camera, images: "never" }],
      viewers: expect.arrayContaining([expect.objectContaining({ name: "guest", cameras: [camera] })]),
    });
    await client.send("PATCH", "/api/cameras/street", { name: "road" });
    expect(await look("road")).toMatchObject(expected("road"));
    await client.send("POST", "/api/undo", {});
    expect(await look("street")).toMatchObject(expected("street"));
  });

  it("that a kill cut off after its row was written is renamed at the next start", async () => {
    await writeFile(join(folder, "CAMERAS.md"), "| Name | URL |\n|---|---|\n| street | sim://street |\n");
    const condition = { kind: "appears" };
    const body = { words: "somebody", cameras: ["street"], classes: ["person"], condition };
    const { id } = await (await start()).send<WatchReport>("POST", "/api/watches", body);
    await app?.stop();
    await writeFile(join(folder, "CAMERAS.md"), "| Name | URL |\n|---|---|\n| road | sim://street |\n");
    const cut = { from: "street", to: "road", began_at: new Date().toISOString() };
    await writeFile(join(folder, "camera-names.json"), JSON.stringify({ version: 1, renames: [cut] }));
    const client = await start();
    expect(await client.get(`/api/watches/${id}`)).toMatchObject({
      cameras: ["road"],
      pipelines: [{ camera: "road" }],
    });
    await expect
      .poll(async () => (await client.pipelines()).map((one) => [one.video_reference, one.status]), { timeout: 20_000 })
      .toEqual([["road", "running"]]);
    expect(JSON.parse(await readFile(join(folder, "camera-names.json"), "utf8")).renames[0].ended_at).toBeDefined();
  });
});
