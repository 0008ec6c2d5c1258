import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameResult, WorkflowSpec } from "@vision-agent/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { writeModelFolder } from "../testing/color-model.ts";
import { createEngine } from "./engine.ts";
import type { Pipeline } from "./pipeline.ts";

const SIZE = { width: 64, height: 48 };
const SOURCE = "push://?width=64&height=48";

const LOOKING: WorkflowSpec = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [{ type: "ObjectDetectionModel", name: "model", images: "$inputs.image", model_id: "mine/colors" }],
  outputs: [{ type: "JsonField", name: "found", selector: "$steps.model.predictions" }],
};

const folder = mkdtempSync(join(tmpdir(), "model-pipeline-"));
writeModelFolder(folder, "mine/colors");
const engine = createEngine({ localModelFolder: folder, modelFolder: join(folder, "fetched"), inferenceThreads: 2 });
afterAll(async () => {
  await engine.close();
  await engine.close();
  rmSync(folder, { recursive: true });
});

describe("pipelines on one model", () => {
  it("share the threads that run it, each with its own results; one that stops disturbs no other", async () => {
    const red = await watch("red");
    const blue = await watch("blue");
    const seen = await Promise.all([look(red, [255, 0, 51], 6), look(blue, [0, 51, 204], 6)]);
    expect(seen[0]).toEqual(Array(6).fill({ xyxy: [16, 6, 48, 18], class_name: ["red"], confidence: [1] }));
    expect(seen[1]).toEqual(Array(6).fill({ xyxy: [16, 6, 48, 18], class_name: ["blue"], confidence: [0.8] }));
    await red.pipeline.stop();
    expect(await look(blue, [204, 0, 0], 6)).toEqual(
      Array(6).fill({ xyxy: [16, 6, 48, 18], class_name: ["red"], confidence: [0.8] }),
    );
    expect(blue.pipeline.figures().state).toBe("running");
    await blue.pipeline.stop();
  });

  it("give the same bytes in every replay, whichever thread was faster", async () => {
    const options = { sourceId: "gate", source: "sim://street?width=128&height=96&fps=10&start=60", maxFrames: 25 };
    const runs: FrameResult[][] = [];
    for (let run = 0; run < 2; run++) {
      const results: FrameResult[] = [];
      await engine.replay({ ...options, workflow: WITH_IDS, onResult: (result) => results.push(result) });
      runs.push(results);
    }
    expect(JSON.stringify(runs[0])).toBe(JSON.stringify(runs[1]));
    const ids = runs[0]!.flatMap(({ outputs }) => (outputs.ids?.kind === "value" ? outputs.ids.value : []));
    expect(new Set(ids).size).toBe(25);
  });
});

describe("an engine", () => {
  it("refuses what is asked for after it was closed, and frees what was starting", async () => {
    const closed = createEngine({ localModelFolder: folder, inferenceThreads: 1 });
    const options = { sourceId: "gate", source: "sim://street?width=64&height=64", workflow: LOOKING };
    const starting = closed.startPipeline(options).catch((error: unknown) => error);
    const replaying = closed.replay({ ...options, onResult: () => undefined }).catch((error: unknown) => error);
    await Promise.all([closed.close(), closed.close()]);
    expect(await starting).toMatchObject({ name: "EngineError" });
    expect(await replaying).toMatchObject({ kind: "input", message: "The engine was closed. Create another one." });
    await expect(closed.startPipeline(options)).rejects.toMatchObject({ kind: "input" });
    await expect(closed.runOnce(options)).rejects.toMatchObject({ kind: "input" });
  });

  it("leaves no thread behind: the process ends by itself", () => {
    const script = `
      import { createEngine } from ${JSON.stringify(new URL("./engine.ts", import.meta.url).href)};
      const engine = createEngine({ localModelFolder: ${JSON.stringify(folder)}, inferenceThreads: 1 });
      const source = "sim://street?width=64&height=64&fps=20";
      const pipeline = await engine.startPipeline({ sourceId: "gate", source, workflow: ${JSON.stringify(LOOKING)} });
      await engine.close();
      await engine.close();
      process.stdout.write(pipeline.figures().state);
    `;
    const file = join(folder, "leave.mjs");
    writeFileSync(file, script);
    const { stdout, stderr, status } = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 60_000 });
    expect({ stdout, stderr, status }).toEqual({ stdout: "stopped", stderr: "", status: 0 });
  }, 60_000);
});

const WITH_IDS: WorkflowSpec = {
  ...LOOKING,
  steps: [
    { ...LOOKING.steps[0]!, confidence: 0 },
    {
      type: "PropertyDefinition",
      name: "ids",
      data: "$steps.model.predictions",
      operations: [{ type: "DetectionsPropertyExtract", property_name: "detection_id" }],
    },
  ],
  outputs: [...LOOKING.outputs, { type: "JsonField", name: "ids", selector: "$steps.ids.output" }],
};

interface Watched {
  readonly pipeline: Pipeline;
  /** Resolves with the next result. */
  next(): Promise<FrameResult>;
}

async function watch(sourceId: string): Promise<Watched> {
  let arrived = Promise.withResolvers<FrameResult>();
  const pipeline = await engine.startPipeline({
    ...{ sourceId, source: SOURCE, workflow: LOOKING, motionGate: "off" as const, maxFps: 1000 },
    onResult: (result) => arrived.resolve(result),
  });
  const next = (): Promise<FrameResult> => {
    arrived = Promise.withResolvers<FrameResult>();
    return arrived.promise;
  };
  return { pipeline, next };
}

let framesPushed = 0;

/** Ten milliseconds after the last one: frames of the same millisecond are left out as too many. */
function nextTimestamp(): string {
  framesPushed += 1;
  return new Date(Date.UTC(2026, 0, 1) + 10 * framesPushed).toISOString();
}

/** Pushes frames of one colour, each when the last was answered; what was found in them. */
async function look({ pipeline, next }: Watched, [red, green, blue]: readonly number[], times: number) {
  const found: object[] = [];
  const rgba = new Uint8ClampedArray(4 * SIZE.width * SIZE.height);
  for (let at = 0; at < rgba.length; at += 4) rgba.set([red!, green!, blue!, 255], at);
  for (let time = 0; time < times; time++) {
    const result = next();
    pipeline.push({ ...SIZE, rgba, timestamp: nextTimestamp() });
    const output = (await result).outputs.found;
    if (output?.kind !== "detections") throw new Error("No detections came.");
    const { xyxy, class_name, confidence } = output.detections;
    found.push({ xyxy, class_name, confidence: confidence.map((value) => Math.round(100 * value) / 100) });
  }
  return found;
}
