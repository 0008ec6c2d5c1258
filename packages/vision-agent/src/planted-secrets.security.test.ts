import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnthropicLoopback, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunningApp } from "./interfaces/cli/app-flags.ts";
import { startApp } from "./start-app.ts";
import { askApp, followEvents, watchCommands } from "./testing/leak-watch.ts";
import { SECRET_ADDRESSES } from "./testing/secret-addresses.data.ts";

/** Nobody listens there. */
const HOST = "127.0.0.1:9";
const WAYS = ["file", "rest", "chat", "environment"] as const;
type Way = (typeof WAYS)[number];
const secretOf = (way: Way, at: number): string => `pl4nted-${way}-${at}-7f3a`;
const addressesBy = (way: Way): readonly string[] =>
  SECRET_ADDRESSES.map(({ write }, at) => write(secretOf(way, at), HOST));
const ALL = WAYS.flatMap((way) => SECRET_ADDRESSES.map((_, at) => secretOf(way, at)));
const PLACES = [
  ...["sessions", "cameras", "pipelines", "backends", "events", "alerts", "watches", "pauses", "jobs", "changes"],
  ...["usage", "config", "memory", "egress", "cameras/cam0", "cameras/added3", "cameras/nobody"],
].map((name) => `/api/${name}`);

let folder = "";
const notices: string[] = [];

function start(env: Readonly<Record<string, string>> = {}): Promise<RunningApp> {
  return startApp({
    flags: { port: "0", workspace: folder, cameras: [], demo: false },
    env,
    pid: process.pid,
    version: "0.0.0-test",
    onNotice: (message) => notices.push(message),
  });
}

function toTable(addresses: readonly string[]): string {
  const rows = addresses.map((address, at) => `| cam${at} | ${address} |\n`);
  return `# Cameras\n\n| Name | URL |\n|---|---|\n| street | sim://street |\n${rows.join("")}`;
}

const leaksIn = (text: string): readonly string[] => ALL.filter((secret) => text.includes(secret));

describe("passwords in ten forms of address, by file, REST, chat and environment", () => {
  let loopback: AnthropicLoopback;
  let app: RunningApp;
  /** Everything that left the app, by where it was seen. */
  const told: (readonly [where: string, text: string])[] = [];
  const commands = new Set<string>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vision-agent-planted-"));
    await writeFile(join(folder, "CAMERAS.md"), toTable(addressesBy("file")));
    // A model that repeats whatever it has read, and what it knows from elsewhere.
    loopback = await startAnthropicLoopback({
      apiKey: "sk-ant-pl4nted-key-55d0",
      script: ({ messages }) => ({
        blocks: [{ type: "text", text: `${JSON.stringify(messages.at(-1))} ${ALL.join(" ")}` }],
      }),
    });
    const passwords = SECRET_ADDRESSES.map((_, at) => [`NVR_${at}_PASSWORD`, secretOf("environment", at)]);
    app = await start({
      ANTHROPIC_API_KEY: "sk-ant-pl4nted-key-55d0",
      ANTHROPIC_BASE_URL: loopback.url,
      ...Object.fromEntries(passwords),
    });
    const stop = new AbortController();
    const watching = watchCommands(commands, stop.signal);
    const stream = followEvents(app, stop.signal, (text) => told.push(["/api/stream", text]));
    await Promise.all(addressesBy("rest").map((source, at) => sendAddress(app, source, at)));
    const { id } = JSON.parse((await askApp(app, "/api/sessions", {})).text) as { id: string };
    const words = [`Look at ${addressesBy("chat").join(" , ")}`, `It was ${addressesBy("environment").join(" or ")}.`];
    for (const text of words) {
      const place = `/api/sessions/${id}/messages`;
      told.push([place, (await askApp(app, place, { text }, "text/event-stream")).text]);
      told.push([place, (await askApp(app, place, { text: `Again: ${text}` })).text]);
    }
    for (const place of [...PLACES, `/api/sessions/${id}`, "/metrics"])
      told.push([place, (await askApp(app, place)).text]);
    stop.abort();
    await Promise.all([watching, stream]);
    await app.stop();
  });
  afterAll(async () => {
    await app?.stop();
    await loopback?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function sendAddress(to: RunningApp, source: string, at: number): Promise<void> {
    told.push(["POST /api/infer", (await askApp(to, "/api/infer", { image: source })).text]);
    told.push(["POST /api/cameras/probe", (await askApp(to, "/api/cameras/probe", { source })).text]);
    told.push(["POST /api/cameras", (await askApp(to, "/api/cameras", { name: `added${at}`, source })).text]);
    told.push(["GET /api/why", (await askApp(to, `/api/why?camera=${encodeURIComponent(source)}`)).text]);
  }

  it("VI-13 S000-4 are in no notice, answer, error, stream or metric", () => {
    expect(told.length).toBeGreaterThan(60);
    const all = [...told, ...notices.map((notice) => ["a notice", notice] as const)];
    expect(all.flatMap(([where, text]) => leaksIn(text).map((leak) => `${leak} in ${where}`))).toEqual([]);
    const spoken = told.filter(([where]) => where.endsWith("/messages")).map(([, text]) => text);
    expect(spoken.join()).toMatch(/<secret/);
  });

  it("VI-13 are in nothing that the provider was sent", () => {
    expect(loopback.requests.length).toBeGreaterThanOrEqual(4);
    expect(leaksIn(JSON.stringify(loopback.requests))).toEqual([]);
  });

  it("VI-13 are in no file but those that are there to keep them", async () => {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    const kept = ["CAMERAS.md", "credentials.json"].map((name) => join(folder, name));
    const leaks: string[] = [];
    for (const path of paths.filter((one) => !kept.includes(one))) {
      const text = (await readFile(path)).toString("latin1");
      leaks.push(...leaksIn(text).map((leak) => `${leak} in ${path.slice(folder.length)}`));
    }
    expect(leaks).toEqual([]);
    expect(paths.some((path) => path.endsWith(".log"))).toBe(true);
    const stored = await readFile(join(folder, "credentials.json"), "utf8");
    // The last password of an address counts.
    const last = SECRET_ADDRESSES.map((_, at) => secretOf("environment", at));
    expect(leaksIn(stored)).toEqual(expect.arrayContaining(last));
  });

  it.skipIf(process.platform !== "linux")("VI-13 are on the command line of no process", () => {
    expect(commands.size).toBeGreaterThan(0);
    expect([...commands].flatMap(leaksIn)).toEqual([]);
  });
});

describe("a server that is sent an address that is too long", () => {
  let app: RunningApp | undefined;
  beforeEach(async () => {
    notices.length = 0;
    folder = await mkdtemp(join(tmpdir(), "vision-agent-planted-"));
    await writeFile(join(folder, "CAMERAS.md"), toTable(addressesBy("file")));
  });
  afterEach(async () => {
    await app?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("refuses it, tells no secret, goes on and starts again", async () => {
    app = await start();
    const source = `rtsp://admin:${"(?".repeat(200_000)}@${HOST}/1`;
    const bodies: readonly (readonly [path: string, body: object])[] = [
      ["/api/infer", { image: source }],
      ["/api/cameras", { name: "long", source }],
      ["/api/cameras/probe", { source }],
      ["/api/watches", { words: source }],
    ];
    for (const [path, body] of bodies) {
      const { status, text } = await askApp(app, path, body);
      expect([400, 422]).toContain(status);
      expect(text.length).toBeLessThan(2_000);
      expect(leaksIn(text)).toEqual([]);
    }
    expect((await askApp(app, "/api/cameras")).status).toBe(200);
    await app.stop();
    app = await start();
    expect((await askApp(app, "/healthz")).status).toBe(200);
  });

  it("starts with stored passwords that are damaged, and puts them aside", async () => {
    const damaged = { version: 1, addresses: [`rtsp://u:${"(".repeat(300_000)}@h/1`, 5, "rtsp://u:kept-pw-1@h/2"] };
    await writeFile(join(folder, "credentials.json"), JSON.stringify(damaged));
    app = await start();
    expect((await askApp(app, "/healthz")).status).toBe(200);
    expect(notices.join("\n")).toContain("2 entries are no addresses with a password");
    expect(notices.join("\n")).not.toContain("kept-pw-1");
    expect(await readFile(join(folder, "credentials.json.broken"), "utf8")).toBe(JSON.stringify(damaged));
  });

  it("answers the same whether a word is a password or not", async () => {
    app = await start();
    const plain = JSON.parse((await askApp(app, "/api/cameras/street")).text) as object;
    for (const [at, word] of ["status", "person", "street", "name"].entries()) {
      const source = `rtsp://admin:${word}@${HOST}/${at}`;
      const { status, text } = await askApp(app, "/api/cameras", { name: `word${at}`, source });
      expect([status, JSON.parse(text)]).toMatchObject([201, { name: `word${at}`, source: `rtsp://${HOST}/${at}` }]);
    }
    expect(JSON.parse((await askApp(app, "/api/cameras/street")).text)).toEqual(plain);
    const { text } = await askApp(app, "/api/cameras/person");
    expect(text).toContain("person");
  });
});
