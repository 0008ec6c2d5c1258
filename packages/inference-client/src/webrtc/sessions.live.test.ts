import { readFile } from "node:fs/promises";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterAll, afterEach, describe, expect, inject, it, vi } from "vitest";
import { systemClock } from "../client-clock.ts";
import { createInferenceClient } from "../http/inference-client.ts";
import { toOutputs } from "../wire/to-outputs.ts";
import { openSession, type WebRtcSession } from "./open-session.ts";
import type { SessionMessage, SessionOptions, SessionPicture } from "./session.ts";

const { server, footage, camera } = inject("live");
const client = createInferenceClient({ url: server?.url ?? "http://127.0.0.1", clock: systemClock });
const SIZE = { width: 640, height: 480 };
const SPEC: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "InferenceImage", name: "image" }],
  steps: [
    {
      type: "roboflow_core/roboflow_object_detection_model@v2",
      name: "det",
      images: "$inputs.image",
      model_id: "coco/3",
      confidence: 0.3,
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "draw",
      image: "$inputs.image",
      predictions: "$steps.det.predictions",
    },
  ],
  outputs: [
    { type: "JsonField", name: "found", selector: "$steps.det.predictions" },
    { type: "JsonField", name: "drawn", selector: "$steps.draw.image" },
  ],
};

let session: WebRtcSession | undefined;

afterEach(async () => {
  await session?.close();
  session = undefined;
});
afterAll(() => client.close());

describe.skipIf(server === undefined || footage === undefined)("a session with a real server", () => {
  it("uploads a file and gets the result of every frame", async () => {
    const messages: SessionMessage[] = [];
    const progress: number[] = [];
    session = await open({
      source: {
        kind: "file",
        path: footage?.clip ?? "",
        onProgress: ({ sentBytes, totalBytes }) => progress.push(sentBytes / totalBytes),
      },
      onMessage: (message) => void messages.push(message),
    });
    expect(await session.ended).toEqual({ kind: "completed" });
    expect(progress.at(-1)).toBe(1);
    expect(messages.map(({ frameId }) => frameId)).toEqual(Array.from({ length: footage!.frames }, (_, at) => at + 1));
    expect(messages.every(({ errors }) => errors.length === 0)).toBe(true);
    if (footage?.isReal) expect(classesOf(messages[0]!)).toContain("person");
    expect(session.figures()).toMatchObject({ results: footage?.frames, unreadable: 0 });
  });

  it("takes pushed frames, answers about them and sends the drawn ones back as video", async () => {
    const messages: SessionMessage[] = [];
    const pictures: SessionPicture[] = [];
    const bytes = new Uint8Array(await readFile(footage?.picture ?? ""));
    session = await open({
      source: { kind: "frames", ...SIZE, fps: 10 },
      streamOutput: "drawn",
      onMessage: (message) => void messages.push(message),
      onVideo: (picture) => void pictures.push(picture),
    });
    await pushUntil(session, bytes, () => messages.length > 5 && pictures.length > 2);
    expect(messages.every(({ width, height }) => width === SIZE.width && height === SIZE.height)).toBe(true);
    expect(messages.some(({ capturedAt }) => capturedAt !== undefined)).toBe(true);
    if (footage?.isReal) expect(classesOf(messages.at(-1)!)).toContain("person");
    expect([...pictures[0]!.jpeg.slice(0, 2)]).toEqual([0xff, 0xd8]);
    await session.close();
    expect(await session.ended).toEqual({ kind: "closed" });
  });
});

describe.skipIf(server === undefined || camera === undefined)("a session with a real server and an RTSP camera", () => {
  it("lets the server read the camera, changes what it sends, and closes", async () => {
    const messages: SessionMessage[] = [];
    session = await open({
      source: { kind: "rtsp", url: camera ?? "" },
      dataOutput: ["found"],
      onMessage: (message) => void messages.push(message),
    });
    await soon(() => expect(messages.length).toBeGreaterThan(3));
    expect(Object.keys(messages.at(-1)!.outputs)).toEqual(["found"]);
    session.setOutputs({ data: ["drawn"] });
    await soon(() => expect(Object.keys(messages.at(-1)!.outputs)).toEqual(["drawn"]));
    await session.close();
    await session.close();
  });
});

describe.skipIf(server === undefined)("a session that a real server refuses", () => {
  it("fails by kind for a workflow with a block that nobody knows", async () => {
    const specification = { ...SPEC, steps: [{ ...SPEC.steps[0]!, type: "roboflow_core/nothing@v1" }], outputs: [] };
    const source = { kind: "rtsp", url: "rtsp://127.0.0.1:9/none" } as const;
    const opening = open({ source, workflow: { specification }, onMessage: () => undefined });
    await expect(opening).rejects.toMatchObject({ name: "ClientError", kind: "invalid" });
  });
});

function open(options: Pick<SessionOptions, "source" | "onMessage"> & Partial<SessionOptions>): Promise<WebRtcSession> {
  return openSession({ client, workflow: { specification: SPEC }, clock: systemClock, ...options });
}

async function pushUntil(pushed: WebRtcSession, bytes: Uint8Array, reached: () => boolean): Promise<void> {
  const limit = systemClock.monotonic() + 90_000;
  while (!reached() && systemClock.monotonic() < limit && pushed.state !== "ended") {
    pushed.push({ kind: "jpeg", bytes, capturedAt: systemClock.now() });
    await systemClock.sleep(100);
  }
  expect([reached(), pushed.figures()]).toEqual([true, expect.anything()]);
}

function classesOf({ outputs }: SessionMessage): readonly string[] {
  const { found } = toOutputs(outputs, SIZE).outputs;
  return found?.kind === "detections" ? found.detections.class_name : [];
}

async function soon(check: () => void): Promise<void> {
  await vi.waitFor(check, { timeout: 90_000, interval: 100 });
}
