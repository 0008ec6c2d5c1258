import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { EngineError } from "../../errors.ts";
import { writeOnnx } from "../onnx/onnx-file.ts";
import type { OnnxType } from "../onnx/onnx-graph.ts";
import { createOnnxRuntime } from "./onnx-runtime.ts";

const folder = await mkdtemp(join(tmpdir(), "onnx-runtime-"));
const runtime = createOnnxRuntime({ threads: 1 });
afterAll(async () => {
  await runtime.close();
  await rm(folder, { recursive: true });
});

describe("createOnnxRuntime", () => {
  it("refuses files that are no model, in a sentence, and goes on", async () => {
    const good = doubling("float32");
    const files = {
      "text.onnx": Buffer.from("hello"),
      "cut.onnx": good.subarray(0, good.length - 20),
      "empty.onnx": Buffer.alloc(0),
    };
    for (const [name, bytes] of Object.entries(files)) {
      await expect(open(name, bytes)).rejects.toThrow(/(is not an ONNX model that can run here|is empty)/);
    }
    await expect(runtime.open(join(folder, "nowhere.onnx"))).rejects.toThrow(/cannot be read/);
    await (await open("good.onnx", good)).close();
  });

  it("refuses a feed of the wrong shape, type or name as kind model", async () => {
    const session = await open("feeds.onnx", doubling("float32"));
    const feeds = [
      { x: { type: "float32", dims: [3], data: new Float32Array(3) } },
      { x: { type: "int32", dims: [2], data: new Int32Array(2) } },
      { z: { type: "float32", dims: [2], data: new Float32Array(2) } },
    ] as const;
    for (const feed of feeds) {
      const failure = await session.run(feed).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(EngineError);
      expect(failure).toMatchObject({
        kind: "model",
        message: expect.stringMatching(/^The model feeds.onnx cannot run/),
      });
    }
  });

  it("says that it cannot feed half floats", async () => {
    await expect(open("half.onnx", doubling("float16"))).rejects.toThrow(
      'The model half.onnx has "x" of type float16, which does not run here. Export it with float32.',
    );
  });

  it("runs on memory that is shared between threads", async () => {
    const session = await open("shared.onnx", doubling("float32"));
    const data = new Float32Array(new SharedArrayBuffer(8));
    data.set([1, 2]);
    expect([...(await session.run({ x: { type: "float32", dims: [2], data } })).y!.data]).toEqual([2, 4]);
  });

  it("closes twice, and says so afterwards", async () => {
    const session = await open("closed.onnx", doubling("float32"));
    await Promise.all([session.close(), session.close()]);
    await expect(session.run({})).rejects.toThrow("The model closed.onnx was closed. Open it again.");
  });
});

async function open(name: string, bytes: Uint8Array) {
  const file = join(folder, name);
  await writeFile(file, bytes);
  return runtime.open(file);
}

/** y = x + x, two numbers. */
function doubling(type: OnnxType): Uint8Array {
  return writeOnnx({
    name: "doubling",
    nodes: [{ op: "Add", inputs: ["x", "x"], outputs: ["y"] }],
    tensors: [],
    inputs: [{ name: "x", type, dims: [2] }],
    outputs: [{ name: "y", type, dims: [2] }],
  });
}
