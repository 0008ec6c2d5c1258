import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createOnnxRuntime } from "../runtime/onnx-runtime.ts";
import { writeOnnx } from "./onnx-file.ts";
import { loadTfjsGraph, type TfAttribute } from "./tfjs-graph.ts";
import { convertTfjsGraph, type GraphCut } from "./tfjs-to-onnx.ts";

const folder = await mkdtemp(join(tmpdir(), "tfjs-"));
const runtime = createOnnxRuntime({ threads: 1 });
afterAll(async () => {
  await runtime.close();
  await rm(folder, { recursive: true });
});

describe("convertTfjsGraph", () => {
  it("convolves with TensorFlow's padding and filter order", async () => {
    const filter = constant("filter", [1, 2, 1, 2], [1, 10, 2, 20]);
    const conv = node("conv", "Conv2D", ["x", "filter"], { padding: text("SAME"), strides: ints(1, 1, 1, 1) });
    // Each pixel + 2 × its right neighbour, and ten times that.
    expect(await run([conv], [filter], { input: [1, 1, 3, 1], values: [1, 2, 3] })).toEqual([5, 50, 8, 80, 3, 30]);
  });

  it("pads even strides at the end, as TensorFlow does", async () => {
    const filter = constant("filter", [3, 3, 1, 1], Array(9).fill(1));
    const conv = node("conv", "Conv2D", ["x", "filter"], { padding: text("SAME"), strides: ints(1, 2, 2, 1) });
    const values = Array.from({ length: 16 }, (_, at) => at);
    expect(await run([conv], [filter], { input: [1, 4, 4, 1], values })).toEqual([45, 39, 66, 50]);
  });

  it("convolves channels apart", async () => {
    const filter = constant("filter", [1, 1, 2, 2], [1, 2, 3, 4]);
    const conv = node("conv", "DepthwiseConv2dNative", ["x", "filter"], {
      padding: text("VALID"),
      strides: ints(1, 1, 1, 1),
    });
    expect(await run([conv], [filter], { input: [1, 1, 1, 2], values: [10, 100] })).toEqual([10, 20, 300, 400]);
  });

  it("normalises, bends and pools", async () => {
    const parameters = [
      constant("scale", [1], [2]),
      constant("offset", [1], [1]),
      constant("mean", [1], [3]),
      constant("variance", [1], [4]),
    ];
    const norm = node("norm", "FusedBatchNorm", ["x", "scale", "offset", "mean", "variance"], { epsilon: { f: 0 } });
    const bent = node("bent", "LeakyRelu", ["norm"], { alpha: { f: 0.1 } });
    const capped = node("capped", "Relu6", ["bent"]);
    const pooled = node("pooled", "MaxPool", ["capped"], {
      padding: text("VALID"),
      ksize: ints(1, 1, 2, 1),
      strides: ints(1, 1, 2, 1),
    });
    const values = [3, 5, -100, 50];
    expect(await run([norm, bent, capped, pooled], parameters, { input: [1, 1, 4, 1], values })).toEqual([3, 6]);
  });

  it("splits, pads, joins and turns axes", async () => {
    const constants = [
      constant("sizes", [2], [1, 2], "int32"),
      constant("axis", [], [1], "int32"),
      constant("pads", [2, 2], [0, 0, 1, 0], "int32"),
      constant("perm", [2], [1, 0], "int32"),
      constant("seven", [], [7]),
    ];
    const split = node("split", "SplitV", ["x", "sizes", "axis"]);
    const padded = node("padded", "PadV2", ["split", "pads", "seven"]);
    const joined = node("joined", "ConcatV2", ["split:1", "padded", "axis"]);
    const turned = node("turned", "Transpose", ["joined", "perm"]);
    expect(await run([split, padded, joined, turned], constants, { input: [1, 3], values: [1, 2, 3] })).toEqual([
      2, 3, 7, 1,
    ]);
  });

  it("resizes between pixel centres", async () => {
    const size = constant("size", [2], [1, 4], "int32");
    const resize = node("resize", "ResizeBilinear", ["x", "size"], { half_pixel_centers: { b: true } });
    expect(await run([resize], [size], { input: [1, 1, 2, 1], values: [0, 4] })).toEqual([0, 1, 3, 4]);
  });

  it("works out shapes beforehand and takes any number of pictures", async () => {
    const constants = [
      constant("zero", [1], [0], "int32"),
      constant("one", [1], [1], "int32"),
      constant("rest", [], [-1], "int32"),
      constant("two", [], [2], "int32"),
      // [0, 0] with 1 at place 0, plus [0, 4]: a shape as exporters compute it.
      constant("length", [1], [2], "int32"),
      constant("none", [], [0], "int32"),
      constant("four", [2], [0, 4], "int32"),
    ];
    const nodes = [
      node("shape", "Shape", ["x"]),
      node("batch", "StridedSlice", ["shape", "zero", "one", "one"]),
      node("pack", "Pack", ["batch", "rest", "two"]),
      node("pairs", "Reshape", ["x", "pack"]),
      node("dense", "SparseToDense", ["zero", "length", "one", "none"]),
      node("flatShape", "AddV2", ["dense", "four"]),
      node("flat", "Reshape", ["pairs", "flatShape"]),
    ];
    const values = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(await run(nodes, constants, { input: ["any", 4], values, batch: 2 })).toEqual(values);
  });

  it("gives the mean over axes of an output", async () => {
    const relu = node("relu", "Relu6", ["x"]);
    expect(await run([relu], [], { input: [1, 2, 2, 1], values: [1, 2, 3, 6], meanOver: [1, 2] })).toEqual([3]);
  });

  it("keeps half-float weights and folds large ones to half floats", async () => {
    const half = constant("half", [80], Array(80).fill(1 / 3), "float16");
    const sum = node("sum", "Mul", ["x", "half"]);
    const [first] = await run([sum], [half], { input: [1, 80], values: Array(80).fill(3) });
    expect(first).toBeCloseTo(1, 3);
  });

  it("names an operation that it does not know", async () => {
    await expect(run([node("odd", "FFT2D", ["x"])], [], { input: [1], values: [1] })).rejects.toThrow(
      'The operation FFT2D ("odd") cannot be converted to ONNX.',
    );
  });

  it("names a shape that is only known at run time", async () => {
    const reshape = node("late", "Reshape", ["x", "x"]);
    await expect(run([reshape], [], { input: [1], values: [1] })).rejects.toThrow(
      /"x" is only known while the graph runs/,
    );
  });

  it("says when weights are cut short", async () => {
    await expect(
      loadTfjsGraph(graphJson([], [constant("w", [4], [1])]), async () => new Uint8Array(4)),
    ).rejects.toThrow('The weights end in the middle of "w".');
  });
});

interface TestNode {
  readonly name: string;
  readonly op: string;
  readonly input: readonly string[];
  readonly attr: Readonly<Record<string, TfAttribute>>;
}

interface TestConstant {
  readonly name: string;
  readonly dims: readonly number[];
  readonly values: readonly number[];
  readonly stored: "float32" | "int32" | "float16";
}

function node(name: string, op: string, input: readonly string[], attr: TestNode["attr"] = {}): TestNode {
  return { name, op, input, attr };
}

function constant(
  name: string,
  dims: readonly number[],
  values: readonly number[],
  stored: TestConstant["stored"] = "float32",
): TestConstant {
  return { name, dims, values, stored };
}

function ints(...values: number[]): TfAttribute {
  return { list: { i: values.map(String) } };
}

function text(value: string): TfAttribute {
  return { s: Buffer.from(value).toString("base64") };
}

function graphJson(nodes: readonly TestNode[], constants: readonly TestConstant[]): string {
  const weights = constants.map(({ name, dims, stored }) => ({
    name,
    shape: dims,
    dtype: stored === "int32" ? "int32" : "float32",
    ...(stored === "float16" && { quantization: { dtype: "float16" } }),
  }));
  const placeholders = [{ name: "x", op: "Placeholder" }, ...constants.map(({ name }) => ({ name, op: "Const" }))];
  return JSON.stringify({
    modelTopology: { node: [...placeholders, ...nodes] },
    weightsManifest: [{ paths: ["w"], weights }],
  });
}

interface Run {
  readonly input: readonly (number | string)[];
  readonly values: readonly number[];
  readonly batch?: number;
  readonly meanOver?: readonly number[];
}

/** Converts the graph up to its last node and runs it. */
async function run(nodes: readonly TestNode[], constants: readonly TestConstant[], options: Run): Promise<number[]> {
  const arrays = { float32: Float32Array, int32: Int32Array, float16: Float16Array };
  const bytes = constants.map(({ values, stored }) => new Uint8Array(arrays[stored].from(values).buffer));
  const graph = await loadTfjsGraph(graphJson(nodes, constants), async () => Buffer.concat(bytes));
  const output: GraphCut = {
    node: nodes.at(-1)!.name,
    name: "y",
    dims: [],
    ...(options.meanOver && { meanOver: options.meanOver }),
  };
  const onnx = convertTfjsGraph(graph, {
    name: "test",
    inputs: [{ node: "x", name: "x", dims: options.input }],
    outputs: [output],
  });
  const file = join(folder, `${nodes.at(-1)!.name}.onnx`);
  await writeFile(file, writeOnnx(onnx));
  const session = await runtime.open(file);
  const dims = options.input.map((size) => (typeof size === "number" ? size : options.batch!));
  const results = await session.run({ x: { type: "float32", dims, data: Float32Array.from(options.values) } });
  return [...(results.y!.data as Float32Array)];
}
