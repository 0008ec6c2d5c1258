import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createOnnxRuntime } from "../runtime/onnx-runtime.ts";
import type { Tensor } from "../runtime/tensor-session.ts";
import { readOnnxSummary, writeOnnx } from "./onnx-file.ts";
import type { OnnxGraph } from "./onnx-graph.ts";

const folder = await mkdtemp(join(tmpdir(), "write-onnx-"));
afterAll(() => rm(folder, { recursive: true }));

/** y = leaky(x + 10, alpha 0.5), any number of rows of two. */
const SHIFT: OnnxGraph = {
  name: "shift",
  nodes: [
    { op: "Add", inputs: ["x", "ten"], outputs: ["sum"] },
    { op: "LeakyRelu", inputs: ["sum"], outputs: ["y"], attributes: { alpha: { float: 0.5 } } },
  ],
  tensors: [{ name: "ten", type: "float32", dims: [1], bytes: new Uint8Array(Float32Array.of(10).buffer) }],
  inputs: [{ name: "x", type: "float32", dims: ["rows", 2] }],
  outputs: [{ name: "y", type: "float32", dims: ["rows", 2] }],
  metadata: { names: "{0: 'größe'}" },
};

describe("writeOnnx", () => {
  it("writes a file that the runtime runs", async () => {
    const file = join(folder, "shift.onnx");
    await writeFile(file, writeOnnx(SHIFT));
    const session = await createOnnxRuntime({ threads: 1 }).open(file);
    expect(session.inputs).toEqual([{ name: "x", type: "float32", dims: [-1, 2], batchName: "rows" }]);
    const x: Tensor = { type: "float32", dims: [2, 2], data: Float32Array.of(1, -30, 0, -10) };
    expect([...(await session.run({ x })).y!.data]).toEqual([11, -10, 10, 0]);
    await session.close();
  });
});

describe("readOnnxSummary", () => {
  it("reads what was written", () => {
    expect(readOnnxSummary(writeOnnx(SHIFT))).toEqual({
      producer: "vision-engine",
      opset: 18,
      inputs: SHIFT.inputs,
      outputs: SHIFT.outputs,
      metadata: SHIFT.metadata,
    });
  });

  it("does not take the weights of an old export for inputs", () => {
    const old = writeOnnx({ ...SHIFT, inputs: [...SHIFT.inputs, { name: "ten", type: "float32", dims: [1] }] });
    expect(readOnnxSummary(old).inputs.map(({ name }) => name)).toEqual(["x"]);
  });

  it("says when the bytes are something else", () => {
    const whole = writeOnnx(SHIFT);
    for (const bytes of [
      whole.subarray(0, whole.length - 5),
      Buffer.from("<html>not found</html>"),
      new Uint8Array(3),
    ]) {
      expect(() => readOnnxSummary(bytes)).toThrow(/^This is not an ONNX file/);
    }
  });
});
