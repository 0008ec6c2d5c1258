import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { systemClock } from "../client-clock.ts";
import type { InferenceAnswer } from "../wire/parse-inference-answer.ts";
import { createInferenceClient } from "./inference-client.ts";

const MODEL = "coco/3";
const { server, footage } = inject("live");
const client = createInferenceClient({ url: server?.url ?? "http://127.0.0.1", clock: systemClock });

afterAll(() => client.close());

describe.skipIf(server === undefined)("a real server", () => {
  it("says what it is and what it can do", async () => {
    const { version } = await client.info();
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(await client.health()).toEqual({ healthy: true });
    const capabilities = await client.capabilities();
    expect(capabilities.version).toBe(version);
    expect(capabilities.families).toContain("workflows");
    expect(capabilities.paths).toContain("/infer/object_detection");
  });

  it("loads a model, lists it and lets it go", async () => {
    const ids = (models: readonly { readonly modelId: string }[]) => models.map(({ modelId }) => modelId);
    expect(ids(await client.models.add(MODEL))).toContain(MODEL);
    expect(ids(await client.models.list())).toContain(MODEL);
    expect(ids(await client.models.remove(MODEL))).not.toContain(MODEL);
    expect(ids(await client.models.list())).not.toContain(MODEL);
  });

  it("refuses a call of a family it lacks by kind", async (context) => {
    const { families } = await client.capabilities();
    if (families.has("clip")) return context.skip("this server has CLIP");
    await expect(client.foundation.clip.compare({ subject: "a", prompts: ["b"] })).rejects.toMatchObject({
      kind: "unsupported",
    });
  });
});

describe.skipIf(server === undefined || footage === undefined)("pictures on a real server", () => {
  let picture: Uint8Array;

  beforeAll(async () => {
    picture = new Uint8Array(await readFile(footage?.picture ?? ""));
  });

  it("are answered with boxes in pixels of the picture", async () => {
    const answer = await client.infer({ modelId: MODEL, image: picture, confidence: 0.3 });
    expect(answer).toMatchObject({ kind: "object_detection", image: { width: 640, height: 480 } });
    const boxes = boxesOf(answer);
    if (footage?.isReal) expect(boxes.map(({ className }) => className)).toContain("person");
    for (const { x, y, confidence } of boxes) {
      expect(confidence).toBeGreaterThanOrEqual(0.3);
      expect(x > 0 && x < 640 && y > 0 && y < 480).toBe(true);
    }
  });

  it("obey confidence and class filter", async () => {
    const [all, sure, cars] = await Promise.all([
      client.infer({ modelId: MODEL, image: picture, confidence: 0.1 }),
      client.infer({ modelId: MODEL, image: picture, confidence: 0.6 }),
      client.infer({ modelId: MODEL, image: picture, confidence: 0.1, classFilter: ["car"] }),
    ]);
    expect(boxesOf(sure).every(({ confidence }) => confidence >= 0.6)).toBe(true);
    expect(boxesOf(cars).every(({ className }) => className === "car")).toBe(true);
    if (footage?.isReal) expect(boxesOf(all).length).toBeGreaterThan(boxesOf(sure).length);
  });

  it("are answered in order as a batch, each as if it were alone", async () => {
    const options = { modelId: MODEL, confidence: 0.3 };
    const blank = Buffer.from(BLANK_PNG, "base64");
    const alone = await client.infer({ ...options, image: picture });
    const batch = await client.inferBatch({ ...options, images: [picture, blank, picture] });
    expect(batch.map(({ image }) => image?.width)).toEqual([640, 16, 640]);
    const shape = (answer: InferenceAnswer) => boxesOf(answer).map(({ x, y, className }) => [x, y, className]);
    expect([shape(batch[0]!), shape(batch[2]!)]).toEqual([shape(alone), shape(alone)]);
    expect(shape(batch[1]!)).toEqual([]);
  });

  it("are drawn when asked for", async () => {
    const { visualization } = await client.infer({ modelId: MODEL, image: picture, visualize: true });
    expect([...(visualization ?? []).slice(0, 2)]).toEqual([0xff, 0xd8]);
  });

  it("fail by kind for a model that nobody has and for bytes that are no picture", async () => {
    const unknown = client.infer({ modelId: "no-such-project/1", image: picture }, { timeoutMs: 60_000 });
    // Which of them depends on what the server could ask about it.
    await expect(unknown).rejects.toMatchObject({ kind: expect.stringMatching(/^(server|not_found|auth)$/) });
    const broken = client.infer({ modelId: MODEL, image: picture.slice(0, 300) });
    await expect(broken).rejects.toMatchObject({ name: "ClientError", kind: "invalid" });
  });

  it("are let go when the caller cancels or the time is over", async () => {
    const stop = new AbortController();
    const cancelled = client.infer({ modelId: MODEL, image: picture }, { signal: stop.signal });
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ kind: "cancelled" });
    const late = client.infer({ modelId: MODEL, image: picture }, { timeoutMs: 1 });
    await expect(late).rejects.toMatchObject({ kind: "timeout" });
  });
});

function boxesOf(answer: InferenceAnswer) {
  return answer.kind === "object_detection" ? answer.predictions : [];
}

/** 16 × 16 grey pixels. */
const BLANK_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAHElEQVQokWNoIBEwjGogAjAQowgZjGogBtA+lAAlhIAQFdpNuQAAAABJRU5ErkJggg==";
