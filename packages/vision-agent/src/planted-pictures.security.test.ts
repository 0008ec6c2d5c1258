import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnthropicLoopback, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import { type FakeServer, startFakeServer } from "@vision-agent/inference-client/testing";
import type { Pause, RunOutcome } from "@vision-agent/protocol";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { watchingWorkflow } from "./pipelines/watching-workflow.ts";
import { engineWorkflowRunner } from "./testing/engine-workflow-runner.ts";
import { askApp, followEvents, watchCommands } from "./testing/leak-watch.ts";
import { type Answer, obeying, oneAnswer, openTalk, type WantedCall } from "./testing/obedient-model.ts";
import { openScenarioApp, type ScenarioApp, until } from "./testing/scenario-app.ts";
import { say } from "./testing/scripted-turns.ts";

/** Where pictures may lie. */
const KEPT = /^\/(?:artifacts|events\/pictures|pictures)\//;
const PLACES = [
  ...["sessions", "cameras", "pipelines", "backends", "events", "alerts", "watches", "pauses", "jobs", "changes"],
  ...["usage", "config", "memory", "egress", "audit"],
].map((name) => `/api/${name}`);

describe("the bytes of pictures, under images: never", () => {
  let app: ScenarioApp;
  let model: AnthropicLoopback;
  let answer: Answer = () => say("Nothing.");
  /** By what they are. */
  const planted = new Map<string, Buffer>();
  /** Everything that left the app, by where it was seen. */
  const told: (readonly [where: string, text: string])[] = [];
  const commands = new Set<string>();

  beforeAll(async () => {
    const upload = await noise(1);
    planted.set("upload", upload);
    model = await startAnthropicLoopback({ script: (request) => answer(request) });
    const llm = { provider: "anthropic", api_key: model.apiKey, base_url: model.url };
    const egress = { images: "never", remote_hosts: [new URL(model.url).host] };
    app = await openScenarioApp({ cameras: { door: "sim://warehouse?fps=2" }, config: { llm, egress } });
    const stop = new AbortController();
    const watching = watchCommands(commands, stop.signal);
    const stream = followEvents(app.reach, stop.signal, (text) => told.push(["/api/stream", text]));
    planted.set("snapshot", await snapshot(app));
    const watch = { words: "a person comes", cameras: ["door"], classes: ["person"], condition: { kind: "appears" } };
    await app.send("POST", "/api/watches", watch);
    await until("event with a picture", async () => (await app.events()).some(({ picture }) => picture !== undefined));
    await talkAbout(await app.upload(upload));
    await sendBytes(upload);
    for (const place of [...PLACES, "/metrics"]) told.push([place, (await askApp(app.reach, place)).text]);
    stop.abort();
    await Promise.all([watching, stream]);
    for (const path of (await filesOf(app)).filter((one) => /\.jpe?g$/.test(one))) {
      planted.set(path, await readFile(join(app.folder, path)));
    }
  }, 120_000);
  afterAll(async () => {
    await app?.stop();
    await model?.close();
  });

  /** The model looks, is shown an upload, and repeats what it is given. */
  async function talkAbout(image: string): Promise<void> {
    const looks: readonly WantedCall[] = [
      ["capture_frame", { camera: "door" }],
      ["ask_about_image", { image, question: "What is this?" }],
      ["run_inference", { image: "door", model_id: "sim/truth" }],
    ];
    answer = (request) => {
      const reply = oneAnswer(looks)(request);
      return reply.blocks.some(({ type }) => type === "tool_use")
        ? reply
        : say(JSON.stringify(request.messages.at(-1)));
    };
    const { id } = JSON.parse((await askApp(app.reach, "/api/sessions", {})).text) as { id: string };
    const place = `/api/sessions/${id}/messages`;
    const said = { text: "Look at this, and at the door.", images: [image] };
    told.push([place, (await askApp(app.reach, place, said, "text/event-stream")).text]);
    told.push([place, (await askApp(app.reach, place, { text: "Again." })).text]);
    told.push([place, (await askApp(app.reach, `/api/sessions/${id}`)).text]);
  }

  /** Where bytes do not belong; the errors must not repeat them. */
  async function sendBytes(bytes: Buffer): Promise<void> {
    const text = bytes.toString("base64");
    const url = `data:image/jpeg;base64,${text}`;
    const bodies: readonly (readonly [path: string, body: object])[] = [
      ["/api/infer", { image: url }],
      ["/api/infer", { image: text.slice(0, 1500) }],
      ["/api/infer", { image: "door", workflow: url }],
      ["/api/cameras", { name: text.slice(0, 60), source: url.slice(0, 1900) }],
      ["/api/cameras/probe", { source: text.slice(0, 1900) }],
      ["/api/pipelines", { sources: [text.slice(0, 1900)], workflow: watchingWorkflow({ modelId: "sim/truth" }) }],
      ["/api/watches", { words: text.slice(0, 400), cameras: [text.slice(0, 400)], classes: [], condition: {} }],
      [`/api/pauses/${text.slice(0, 400).replaceAll("/", "_")}`, { decision: "approve" }],
    ];
    for (const [path, body] of bodies)
      told.push([`POST ${path.slice(0, 20)}`, (await askApp(app.reach, path, body)).text]);
    const { id } = JSON.parse((await askApp(app.reach, "/api/sessions", {})).text) as { id: string };
    const messages = `/api/sessions/${id}/messages`;
    told.push([messages, (await askApp(app.reach, messages, { text: "Look.", images: [text] })).text]);
    answer = () => say("A picture as text.");
    told.push([messages, (await askApp(app.reach, messages, { text: `Look: ${url}` }, "text/event-stream")).text]);
  }

  it("are in no answer, error, stream, metric or notice", () => {
    expect(told.length).toBeGreaterThan(25);
    const all = [...told, ...app.notices.map((notice) => ["a notice", notice] as const)];
    expect(all.flatMap(([where, text]) => leaksIn(text, planted).map((leak) => `${leak} in ${where}`))).toEqual([]);
  });

  it("are in nothing that the provider was sent", () => {
    expect(model.requests.length).toBeGreaterThanOrEqual(3);
    const sent = JSON.stringify(model.requests);
    expect(leaksIn(sent, planted)).toEqual([]);
    expect(sent).not.toContain('"type":"image"');
    // It was to be shown, and the model was told why it was not.
    expect(sent).toContain("Picture not sent");
  });

  it("are in no log, transcript or other file but those that keep pictures", async () => {
    const paths = await filesOf(app);
    const leaks: string[] = [];
    for (const path of paths.filter((one) => !KEPT.test(one))) {
      const text = (await readFile(join(app.folder, path))).toString("latin1");
      leaks.push(...leaksIn(text, planted).map((leak) => `${leak} in ${path}`));
    }
    expect(leaks).toEqual([]);
    expect(paths.some((path) => path.endsWith(".log"))).toBe(true);
    expect(paths.some((path) => KEPT.test(path))).toBe(true);
  });

  it.skipIf(process.platform !== "linux")("are on the command line of no process", () => {
    expect(commands.size).toBeGreaterThan(0);
    expect([...commands].flatMap((command) => leaksIn(command, planted))).toEqual([]);
  });
});

describe("an Inference server on another machine", () => {
  let folder = "";
  let app: ScenarioApp;
  let server: FakeServer;
  let model: AnthropicLoopback;
  let answer: Answer = () => say("Nothing.");
  const workflow_spec = watchingWorkflow({ modelId: "coco/3" });
  const watch = { words: "a person comes", cameras: ["door"], classes: ["person"], model_id: "coco/3" };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vision-agent-pictures-"));
    await writeFile(join(folder, "frame.jpg"), await noise(3));
    server = await startFakeServer({ workflows: engineWorkflowRunner() });
    model = await startAnthropicLoopback({ script: (request) => answer(request) });
    app = await openScenarioApp({
      cameras: { door: join(folder, "frame.jpg"), yard: join(folder, "frame.jpg") },
      config: {
        llm: { provider: "anthropic", api_key: model.apiKey, base_url: model.url },
        inference: { backend: "webrtc", server_url: server.url },
        egress: { remote_hosts: [new URL(server.url).host] },
      },
    });
  }, 60_000);
  afterAll(async () => {
    await app?.stop();
    await model?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const host = () => new URL(server.url).host;
  const question = (camera: string) => `May pictures of ${camera} be sent to ${host()}? I will remember the answer.`;

  async function ask(call: WantedCall): Promise<{ readonly end: RunOutcome; readonly asked: Pause | undefined }> {
    answer = oneAnswer([call]);
    const talk = await openTalk(app);
    const end = await talk.tell("Please.");
    const pauses = await app.get<Pause[]>("/api/pauses");
    return { end, asked: pauses.at(-1) };
  }

  it.each([
    ["create_watch", { ...watch, when: "appears" }],
    ["start_pipeline", { video_reference: "door", workflow_spec }],
    ["run_inference", { image: "door", model_id: "coco/3" }],
    ["capture_frame", { camera: "door" }],
  ] as const)("%s asks before it receives pictures of a camera", async (tool, args) => {
    const { end, asked } = await ask([tool, args]);
    expect(end.status).toBe("paused");
    expect(asked?.prompt).toContain(question("door"));
    expect(picturesSent()).toBe(0);
  });

  it("receives no byte of a picture once the answer is never, whoever asks", async () => {
    await app.send("POST", "/api/egress/rules", { camera: "*", destination: host(), images: "never" });
    for (const call of [
      ["create_watch", { ...watch, when: "appears" }],
      ["start_pipeline", { video_reference: "yard", workflow_spec }],
      ["run_inference", { image: "yard", model_id: "coco/3" }],
      ["capture_frame", { camera: "yard" }],
    ] as const) {
      answer = obeying({ first: [call], wanted: [], hasRead: () => false });
      const talk = await openTalk(app);
      expect((await talk.sayYes(await talk.tell("Please."))).end.status).toBe("finished");
    }
    const bodies: readonly (readonly [path: string, body: object])[] = [
      ["/api/pipelines", { sources: ["yard"], workflow: workflow_spec }],
      ["/api/infer", { image: "yard", model: "coco/3" }],
      ["/api/watches", { ...watch, condition: { kind: "appears" } }],
    ];
    for (const [path, body] of bodies) await askApp(app.reach, path, body);
    expect(picturesSent()).toBe(0);
    expect(server.sessions).toEqual([]);
    expect(server.pipelines).toEqual([]);
    // It was there all the time.
    expect(server.calls.length).toBeGreaterThan(0);
  });

  /** Bodies that could hold one. */
  function picturesSent(): number {
    return server.calls.filter(({ bodyBytes }) => bodyBytes > SMALLEST_PICTURE).length;
  }
});

/** Of pictures of noise, in bytes. */
const SMALLEST_PICTURE = 20_000;

/** Compresses badly: no part of it is in another picture. */
function noise(seed: number): Promise<Buffer> {
  let state = seed * 7919;
  const pixels = Uint8Array.from({ length: 320 * 240 * 3 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state >> 16;
  });
  return sharp(pixels, { raw: { width: 320, height: 240, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Paths in the workspace. */
async function filesOf({ folder }: ScenarioApp): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length));
}

async function snapshot({ reach }: ScenarioApp): Promise<Buffer> {
  const headers = { authorization: `Bearer ${reach.token}` };
  const response = await fetch(`${reach.address}/api/cameras/door/snapshot.jpg`, { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const SLICE = 48;

/** Raw, and base64 wherever it begins. */
function leaksIn(text: string, planted: ReadonlyMap<string, Buffer>): readonly string[] {
  return [...planted].flatMap(([name, bytes]) => {
    const places = [0.1, 0.3, 0.5, 0.7, 0.9].map((share) => Math.floor(bytes.length * share));
    const slices = places.flatMap((at) => [0, 1, 2].map((shift) => bytes.subarray(at + shift, at + shift + SLICE)));
    const forms = slices.flatMap((slice) => [
      slice.toString("latin1"),
      slice.toString("utf8"),
      slice.toString("base64"),
    ]);
    return forms.some((form) => text.includes(form)) ? [name] : [];
  });
}
