import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type AnthropicLoopback,
  type LoopbackReply,
  startAnthropicLoopback,
  type WireRequest,
} from "@vision-agent/agent-core/testing";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunningApp } from "./interfaces/cli/app-flags.ts";
import { startApp } from "./start-app.ts";
import { type LoopbackCameras, startLoopbackCameras } from "./testing/loopback-cameras.ts";
import { CREDENTIALS_FILE } from "./workspace/credential-store.ts";

const SECRETS = {
  environment: "sk-ant-planted-in-environment-7f3a",
  dotEnv: "rf-planted-in-dot-env-91bc",
  unusedKey: "sk-planted-and-unused-18ce",
  configFile: "xoxb-planted-in-config-55d0",
  cameraPassword: "planted/camera@password-c2e8",
  cameraToken: "planted-camera-token-0aa4",
  lateCamera: "planted late password 6d19",
  probedSource: "planted-probe-password-e83b",
  typedPassword: "planted-typed#password-4b7e",
  typedKey: "planted-typed-key-93d5",
  steered: "planted-steered-password-2c0f",
  sentPassword: "planted-sent-password-af61",
} as const;
/** Nobody repeats these: they are in one address each. */
const ONLY_IN_ADDRESSES: readonly string[] = ["probedSource", "typedPassword", "typedKey", "steered", "sentPassword"];
const missing = spawnSync("ffmpeg", ["-version"]).status === 0 ? undefined : "there is no ffmpeg";
if (missing !== undefined) {
  process.stderr.write(`That sources are opened with their passwords is not tested: ${missing}.\n`);
}

/** What a person wrote keeps what they wrote. */
const WRITTEN: Readonly<Record<string, string>> = {
  "config.yaml": `llm:
  provider: anthropic
agent:
  autonomy: autonomous
inference:
  api_key: \${PLANTED_KEY}
interface:
  slack:
    bot_token: ${SECRETS.configFile}
`,
  ".env": `PLANTED_KEY=${SECRETS.dotEnv}\nOPENAI_API_KEY=${SECRETS.unusedKey}\n`,
  "CAMERAS.md": `# Cameras

| Name | URL | Location | Notes |
|------|-----|----------|-------|
| street | sim://street | Demo | the key is ${SECRETS.environment} |
| door | rtsp://admin:${SECRETS.cameraPassword}@127.0.0.1:9/stream | | |
| hall | http://127.0.0.1:9/video?token=${SECRETS.cameraToken} | | |
| yard ${SECRETS.cameraToken} | sim://warehouse | | |
| street | sim://street | | the same name again, ${SECRETS.cameraToken} |
`,
  "USER.md": `# About you\n\nMy camera's password is ${SECRETS.cameraPassword}.\n`,
  "HEARTBEAT.md": `# Checklist\n\n1. ${SECRETS.configFile}\n`,
  "memory/KNOWLEDGE.md": `# Knowledge\n\n- The Slack token is ${SECRETS.configFile}.\n`,
  "skills/planted/SKILL.md": `---\nname: planted\ndescription: Knows ${SECRETS.dotEnv}.\n---\nUse ${SECRETS.environment}.\n`,
};

const PLACES = [
  ...["sessions", "cameras", "pipelines", "backends", "blocks", "events", "alerts", "watches", "pauses", "jobs"],
  ...["usage", "config", "memory", "skills", "skills/planted", "why?camera=street", "openapi.json"],
  ...["cameras/street", "cameras/door", "cameras/late", "cameras/nobody"],
].map((name) => `/api/${name}`);

describe("secrets and pictures that are planted everywhere", () => {
  let folder = "";
  let loopback: AnthropicLoopback;
  let cameras: LoopbackCameras;
  let app: RunningApp;
  let picture: Buffer;
  /** Everything that left the app, by where it was seen. */
  const told: (readonly [where: string, text: string])[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vision-agent-secrets-"));
    picture = await noisePicture();
    for (const [name, text] of Object.entries(WRITTEN)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    cameras = await startLoopbackCameras(await sharp(picture).jpeg().toBuffer());
    loopback = await startAnthropicLoopback({
      apiKey: SECRETS.environment,
      // Each text is streamed in two halves.
      script: (request, number) =>
        number === 1
          ? toolCalls()
          : (callsOnTyped(request) ?? { blocks: [{ type: "text", text: SECRETS.cameraPassword }] }),
      faults: [undefined, undefined, { kind: "status", status: 400, message: everything(picture) }],
    });
    app = await startApp({
      flags: { port: "0", workspace: folder, cameras: [], demo: false },
      env: { ANTHROPIC_API_KEY: SECRETS.environment, ANTHROPIC_BASE_URL: loopback.url },
      pid: process.pid,
      version: "0.0.0-test",
      onNotice: (message) => told.push(["notice", message]),
    });
    const leave = followApp(app, (text) => told.push(["/api/stream", text]));
    const tell = (where: string, text: string): void => void told.push([where, text]);
    await talk(app, picture, tell);
    await giveAddresses(app, cameras, tell);
    if (missing === undefined) {
      // Whoever does not come is told by the test below.
      await vi.waitUntil(() => cameras.visitors.size >= 3, { timeout: 10_000 }).catch(() => undefined);
    }
    for (const place of PLACES) told.push([place, await (await call(app, place)).text()]);
    told.push(["/metrics", await (await call(app, "/metrics")).text()]);
    await leave();
    await app.stop();
  });
  afterAll(async () => {
    await app?.stop();
    await loopback?.close();
    await cameras?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("VI-13 S000-4 are in no notice, event, answer or error", () => {
    const seen = new Set(told.map(([where]) => where));
    expect(["notice", "/api/stream", "POST /api/infer"].filter((where) => !seen.has(where))).toEqual([]);
    const spoken = told.map(([where, text]) => [`the pieces of ${where}`, joinPieces(text)] as const);
    for (const all of [told, spoken]) expect(all.map(([, text]) => text).join()).toMatch(/<secret(:\w+)?>/);
    const leaks = [...told, ...spoken].flatMap(([where, text]) =>
      leaksIn(text, picture).map((leak) => `${leak} in ${where}`),
    );
    expect(leaks).toEqual([]);
  });

  it("VI-13 are in no prompt, but for the picture that the model is to see", () => {
    const prompts = loopback.requests.map((body) => JSON.stringify(body, withoutPictures));
    expect(prompts.length).toBeGreaterThanOrEqual(3);
    // What a person could read is not written with a secret at all.
    expect(prompts[1]).toContain('a secret may not be given to \\"send_alert\\"');
    expect(JSON.stringify(loopback.requests)).toContain('"type":"base64"');
    expect(prompts.flatMap((text, at) => leaksIn(text, picture).map((leak) => `${leak} in request ${at}`))).toEqual([]);
  });

  it("VI-13 are in no file that the app wrote, transcripts included, but for the picture among the artifacts", async () => {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
    const own = paths.filter((path) => WRITTEN[path] === undefined && path !== CREDENTIALS_FILE);
    expect(own.some((path) => /^sessions\/.*\.jsonl$/.test(path))).toBe(true);
    const store = await readFile(join(folder, CREDENTIALS_FILE), "utf8");
    expect(leaksIn(store, picture)).toEqual(["typedPassword", "typedKey", "steered", "sentPassword"]);
    const leaks: string[] = [];
    for (const path of own) {
      const found = leaksIn((await readFile(join(folder, path))).toString("latin1"), picture);
      const allowed = path.startsWith("artifacts/") ? ["bytes of the picture"] : [];
      leaks.push(...found.filter((leak) => !allowed.includes(leak)).map((leak) => `${leak} in ${path}`));
    }
    expect(leaks).toEqual([]);
  });

  it.skipIf(missing !== undefined)("VI-13 open the sources that a person gave them for", async () => {
    expect([...cameras.visitors].sort()).toEqual([
      `/sent viewer:${SECRETS.sentPassword}`,
      `/typed admin:${SECRETS.typedPassword}`,
      `/typed?key=${SECRETS.typedKey}`,
    ]);
    const state = await readFile(join(folder, "active_state.json"), "utf8");
    for (const shown of [`http://${cameras.http}/typed?key=***`, `http://${cameras.http}/sent`]) {
      expect(state).toContain(`"video_reference": "${shown}"`);
    }
  });

  it("are found where nothing takes them out", () => {
    expect(leaksIn(everything(picture), picture)).toEqual([
      ...Object.keys(SECRETS).filter((name) => !ONLY_IN_ADDRESSES.includes(name)),
      "base64 of the picture",
    ]);
  });
});

const KNOWN = Object.entries(SECRETS)
  .flatMap(([name, secret]) => (ONLY_IN_ADDRESSES.includes(name) ? [] : [secret]))
  .join(" ");

/** Everything that is known, as an echo of a request would have it. */
function everything(picture: Buffer): string {
  return `${KNOWN} data:image/png;base64,${picture.toString("base64")}`;
}

function toolCalls(): LoopbackReply {
  const call = (name: string, input: object) => ({ type: "tool_use" as const, name, input });
  return {
    blocks: [
      { type: "text", text: `I was told ${KNOWN}.` },
      call("load_skill", { name: "planted" }),
      call("remember", { content: KNOWN, category: "knowledge" }),
      call("capture_frame", { camera: "door" }),
      call("capture_frame", { camera: "street" }),
      call("start_pipeline", { video_reference: "hall", model_id: "sim/truth", name: `hall ${SECRETS.environment}` }),
      call("send_alert", { text: `The password of the door is ${SECRETS.cameraPassword}.`, camera: "street" }),
      call("create_watch", {
        words: `everybody who knows ${SECRETS.cameraPassword}`,
        cameras: ["street"],
        when: "appears",
      }),
      call("schedule_task", { instructions: `Say ${SECRETS.dotEnv} to ${SECRETS.unusedKey}`, every_minutes: 600 }),
    ],
  };
}

const WORKFLOW = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [{ type: "roboflow_core/convert_grayscale@v1", name: "grey", image: "$inputs.image" }],
  outputs: [{ type: "JsonField", name: "grey", selector: "$steps.grey.image" }],
};

/** A pipeline on each address in a message that asks for it, as the model was shown them. */
function callsOnTyped({ messages }: WireRequest): LoopbackReply | undefined {
  const [, words] = /"(Use my workflow [^"]*)"/.exec(JSON.stringify(messages.at(-1))) ?? [];
  const addresses = words?.match(/\w+:\/\/[^\s,]+/g);
  if (!addresses) return undefined;
  const calls = addresses.map((video_reference) => ({
    type: "tool_use" as const,
    name: "start_pipeline",
    input: { video_reference, workflow_spec: WORKFLOW, max_fps: 2 },
  }));
  return { blocks: calls };
}

function call({ address, token }: RunningApp, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${address}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
}

/** In the conversation, to a run that goes on, and over REST. */
async function giveAddresses(
  app: RunningApp,
  { rtsp, http }: LoopbackCameras,
  tell: (where: string, text: string) => void,
): Promise<void> {
  const post = async (path: string, body: object): Promise<{ readonly id: string }> => {
    const headers = { "content-type": "application/json" };
    const response = await call(app, path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await response.text();
    tell(`POST ${path}`, text);
    return JSON.parse(text) as { id: string };
  };
  const { id } = await post("/api/sessions", {});
  const camera = `rtsp://admin:${SECRETS.typedPassword}@${rtsp}/typed`;
  const another = `http://${http}/typed?key=${SECRETS.typedKey}`;
  await post(`/api/sessions/${id}/messages`, { text: `Use my workflow on ${camera}, and on ${another} at 2 FPS` });
  // A model opens no address that nobody registered without a yes.
  const pauses = (await (await call(app, "/api/pauses")).json()) as readonly { readonly id: string }[];
  for (const pause of pauses) await post(`/api/pauses/${pause.id}`, { decision: "approve" });
  await post("/api/runs/none/steer", { text: `And rtsp://admin:${SECRETS.steered}@${rtsp}/steered.` });
  const sources = [`http://viewer:${SECRETS.sentPassword}@${http}/sent`];
  await post("/api/pipelines", { sources, workflow: WORKFLOW, name: `grey of ${sources[0]}`.slice(0, 64) });
}

/** A picture with its message, a camera that comes later, and requests that fail. */
async function talk(app: RunningApp, picture: Buffer, tell: (where: string, text: string) => void): Promise<void> {
  const post = async (path: string, body: object, accept = "application/json"): Promise<string> => {
    const headers = { "content-type": "application/json", accept };
    const response = await call(app, path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await response.text();
    tell(`POST ${path}`, text);
    return text;
  };
  const late = `rtsp://admin:${encodeURIComponent(SECRETS.lateCamera)}@127.0.0.1:9/late`;
  await post("/api/cameras", { name: "late", source: late });
  const { id: session } = JSON.parse(await post("/api/sessions", {})) as { id: string };
  const bytes = { method: "POST", headers: { "content-type": "image/png" }, body: new Uint8Array(picture) };
  const { id: image } = (await (await call(app, "/api/artifacts", bytes)).json()) as { id: string };
  const text = `What is this? ${everything(picture)}`;
  await post(`/api/sessions/${session}/messages`, { text, images: [image] }, "text/event-stream");
  await post(`/api/sessions/${session}/messages`, { text: "And again?" });
  await post(`/api/sessions/${session}/messages`, { text: "Are you there?" }, "text/event-stream");
  await post(`/api/sessions/${session}/messages?dialect=ui`, { text: "In other words?" }, "text/event-stream");
  await post(`/api/sessions/${session}/messages?dialect=simple`, { text: "Simply?" }, "text/event-stream");
  const watch = { words: `a person with ${SECRETS.cameraToken}`, cameras: ["street"], classes: ["person"] };
  await post("/api/watches", { ...watch, condition: { kind: "appears" } });
  await post("/api/infer", { image: "door" });
  await post("/api/infer", { image: "late" });
  await post("/api/cameras/probe", { source: `rtsp://admin:${SECRETS.probedSource}@127.0.0.1:9/stream` });
  tell("GET session", await (await call(app, `/api/sessions/${session}`)).text());
}

function followApp(app: RunningApp, tell: (text: string) => void): () => Promise<void> {
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    const { body } = await call(app, "/api/stream", { signal: stop.signal });
    for await (const piece of body ?? []) tell(Buffer.from(piece).toString());
  };
  const followed = follow().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return async () => {
    stop.abort();
    await followed;
  };
}

/** The words that were streamed, put together again. */
function joinPieces(stream: string): string {
  const pieces = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, json = ""]) => JSON.parse(json) as StreamPiece);
  return pieces
    .map(({ type, text, delta, inputTextDelta }) => (SPOKEN.has(type) ? text : (delta ?? inputTextDelta)))
    .join("");
}

/** In whichever of the three dialects. */
interface StreamPiece {
  readonly type: string;
  readonly text?: string;
  readonly delta?: string;
  readonly inputTextDelta?: string;
}
const SPOKEN = new Set(["text_delta", "thinking_delta", "token"]);

/** Noise: no part of it can be anything else. */
async function noisePicture(): Promise<Buffer> {
  const raw = Buffer.from(
    Array.from({ length: 64 * 64 * 3 }, (_, at) => (Math.imul(at + 7, 2_654_435_761) >>> 13) & 255),
  );
  return sharp(raw, { raw: { width: 64, height: 64, channels: 3 } })
    .png()
    .toBuffer();
}

function leaksIn(text: string, picture: Buffer): readonly string[] {
  const names = Object.entries(SECRETS).filter(([, secret]) =>
    [secret, encodeURIComponent(secret)].some((form) => text.includes(form)),
  );
  const base64 = picture.toString("base64");
  const slices = Array.from({ length: 20 }, (_, at) => base64.slice(200 + at * 64, 264 + at * 64));
  return [
    ...names.map(([name]) => name),
    ...(slices.some((slice) => text.includes(slice)) ? ["base64 of the picture"] : []),
    ...(text.includes(picture.subarray(200, 264).toString("latin1")) ? ["bytes of the picture"] : []),
  ];
}

function withoutPictures(this: unknown, key: string, value: unknown): unknown {
  const isPicture = key === "data" && (this as { readonly type?: unknown }).type === "base64";
  return isPicture ? "the picture" : value;
}
