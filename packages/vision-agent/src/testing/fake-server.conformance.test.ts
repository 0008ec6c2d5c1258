// recorded answers of real servers → whether the fake server, with the engine to run workflows, says the same
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  differences,
  exchange,
  type FakeServer,
  type FakeServerOptions,
  startFakeServer,
} from "@vision-agent/inference-client/testing";
import type { Json } from "@vision-agent/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { engineWorkflowRunner } from "./engine-workflow-runner.ts";

type JsonMap = { [key: string]: Json };

interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly body: JsonMap | null };
  readonly status: number;
  readonly response: Json;
}

/** The request stands alone here, without method and path. */
interface RefusedSession {
  readonly case: string;
  readonly request: JsonMap;
  readonly status: number;
  readonly response: Json;
}

const FOLDER = join(process.env.VISION_AGENT_SHARED ?? "../shared", "reference/inference-fixtures");
const READY = existsSync(FOLDER);
const NAMES = READY
  ? readdirSync(FOLDER).filter((name) => /^[a-z].*\.json$/.test(name) && name !== "blocks-index.json")
  : [];
const load = <T>(name: string): T => JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as T;
const SINGLE = NAMES.filter((name) => "request" in load<object>(name) && !name.startsWith("webrtc-"));
const SEQUENCES = NAMES.filter((name) => "steps" in load<object>(name));

describe.runIf(READY)("the fake server and the recorded answers", () => {
  it.each(SINGLE.filter((name) => !name.startsWith("pipeline")))("says the same as in %s", async (name) => {
    const server = await openFake();
    const recorded = load<Exchange>(name);
    if (/alias|registry/.test(name)) await send(server, load<Exchange>("infer-object-detection.json").request);
    const answer = await send(server, recorded.request);
    expect(answer.status).toBe(recorded.status);
    expect(differences(recorded.response, answer.json)).toEqual([]);
  });

  it.each(SINGLE.filter((name) => name.startsWith("pipeline")))(
    "says the same of a pipeline as in %s",
    async (name) => {
      const server = await openFake();
      const recorded = load<Exchange>(name);
      const id = await bringAbout(server, name);
      const path = recorded.request.path.replace(/[0-9a-f-]{36}/, id);
      await sendUntilSame(server, { ...recorded, request: { ...recorded.request, path } });
    },
  );

  it.each(SEQUENCES)("goes the same way as in %s", async (name) => {
    const server = await openFake();
    let id = "";
    for (const step of load<{ steps: readonly Exchange[] }>(name).steps) {
      const path = step.request.path.replace(/[0-9a-f-]{36}/, id);
      const { json } = await sendUntilSame(server, { ...step, request: { ...step.request, path } });
      id = idIn(json) ?? id;
    }
  });

  it("refuses WebRTC sessions as in webrtc-errors.json", async () => {
    const server = await openFake({ privateMjpeg: false, timeScale: 0.01 });
    const session = load<Exchange>("webrtc-rtsp.json").request.body ?? {};
    const { cases } = load<{ cases: readonly RefusedSession[] }>("webrtc-errors.json");
    for (const recorded of cases.filter((item) => item.status !== 200)) {
      const isBare = recorded.case === "no workflow" || recorded.case === "unknown block";
      const workflow: JsonMap = isBare ? {} : { workflow_configuration: session.workflow_configuration ?? null };
      const body = { ...recorded.request, ...workflow, webrtc_offer: session.webrtc_offer ?? null };
      const answer = await send(server, { method: "POST", path: "/initialise_webrtc_worker", body });
      expect([recorded.case, answer.status]).toEqual([recorded.case, recorded.status]);
      expect(differences(recorded.response, answer.json)).toEqual([]);
    }
  });
});

async function openFake(options: FakeServerOptions = {}): Promise<FakeServer> {
  const server = await startFakeServer({
    models: {
      "coco/3": { task: "object-detection", classes: ["person", "car"] },
      "cls/1": { task: "classification", classes: ["person", "car"] },
      "mcls/1": { task: "multi-label-classification", classes: ["person", "car"] },
      "seg/1": { task: "instance-segmentation", classes: ["person", "car"] },
      "pose/1": { task: "keypoint-detection", classes: ["person", "car"] },
    },
    files: { "/data/vtest-3s.avi": { frames: 30, fps: 10, width: 768, height: 576 } },
    cameras: { "http://127.0.0.1:8099/s.mjpg": { width: 384, height: 288 } },
    timeScale: 0.2,
    workflows: engineWorkflowRunner(),
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

function send(
  server: FakeServer,
  { method, path, body }: Exchange["request"],
): Promise<{ status: number; json: Json }> {
  return exchange(`${server.url}${path}`, method, body ?? undefined);
}

/** Calls again until the answer is of the recorded kind: a pipeline needs its time to get there. */
async function sendUntilSame(server: FakeServer, recorded: Exchange): Promise<{ status: number; json: Json }> {
  const isWrite = recorded.request.method === "POST";
  for (let left = isWrite ? 1 : 300; ; left--) {
    const answer = await send(server, recorded.request);
    const wrong = differences(recorded.response, answer.json);
    if (answer.status === recorded.status && wrong.length === 0) return answer;
    if (left <= 1) expect([answer.status, wrong]).toEqual([recorded.status, []]);
    await wait(5);
  }
}

/** Brings a pipeline into the state in which a call was recorded. Gives its id. */
async function bringAbout(server: FakeServer, name: string): Promise<string> {
  const none = "00000000-0000-4000-8000-000000000000";
  if (/unknown|not-found|initialise|empty\.json$/.test(name) && name !== "pipeline-consume-empty.json") return none;
  const started = await send(server, load<Exchange>("pipeline-initialise.json").request);
  const id = idIn(started.json) ?? none;
  if (/pause|resume/.test(name)) await becomeRunning(server);
  if (/pause-twice|resume/.test(name))
    await send(server, { method: "POST", path: `/inference_pipelines/${id}/pause`, body: null });
  return id;
}

async function becomeRunning(server: FakeServer): Promise<void> {
  for (let left = 300; left > 0 && server.pipelines[0]?.state !== "RUNNING"; left--) await wait(5);
}

function idIn(json: Json): string | undefined {
  const { context, pipelines } = json as { context?: { pipeline_id?: string | null }; pipelines?: string[] };
  return context?.pipeline_id ?? pipelines?.[0];
}
