import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EngineError } from "../../errors.ts";
import { writeOnnx } from "../onnx/onnx-file.ts";
import type { Tensor } from "../runtime/tensor-session.ts";
import { createInferencePool, type InferencePool } from "./inference-pool.ts";
import { createRemoteRuntime } from "./remote-runtime.ts";

let folder: string;
let file: string;
let pool: InferencePool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "inference-pool-"));
  file = join(folder, "double.onnx");
  const value = (name: string) => ({ name, type: "float32" as const, dims: ["n", 2] });
  const nodes = [{ op: "Add", inputs: ["x", "x"], outputs: ["y"] }];
  await writeFile(file, writeOnnx({ name: "double", nodes, tensors: [], inputs: [value("x")], outputs: [value("y")] }));
  await writeFile(join(folder, "broken.onnx"), "not a graph");
  pool = createInferencePool({ threads: 2 });
});

afterAll(async () => {
  await pool.close();
  await pool.close();
  await rm(folder, { recursive: true });
});

describe("createInferencePool", () => {
  it("runs a graph in its threads for several clients at once", async () => {
    const clients = [createRemoteRuntime(pool.connect()), createRemoteRuntime(pool.connect())];
    const sessions = await Promise.all(clients.map((client) => client.open(file)));
    expect(sessions[0]!.inputs).toEqual([{ name: "x", type: "float32", dims: [-1, 2], batchName: "n" }]);
    const runs = Array.from({ length: 20 }, async (_, at) => {
      const { y } = await sessions[at % 2]!.run({ x: rowOf(at, at + 0.5) });
      return [...(y!.data as Float32Array)];
    });
    expect(await Promise.all(runs)).toEqual(Array.from({ length: 20 }, (_, at) => [2 * at, 2 * at + 1]));
    await Promise.all(clients.map((client) => client.close()));
    await clients[0]!.close();
  });

  it("uses its memory again, but not at once", async () => {
    const runtime = createRemoteRuntime(pool.connect());
    const session = await runtime.open(file);
    const first = (await session.run({ x: rowOf(1, 1) })).y!.data;
    for (let at = 0; at < 2; at++) await session.run({ x: rowOf(2, 2) });
    expect([...first]).toEqual([2, 2]);
    for (let at = 0; at < 4; at++) await session.run({ x: rowOf(3, 3) });
    expect([...first]).toEqual([6, 6]);
    await runtime.close();
  });

  it("says what is wrong with a file or with what was fed", async () => {
    const runtime = createRemoteRuntime(pool.connect());
    const broken = await runtime.open(join(folder, "broken.onnx")).catch((error: unknown) => error);
    expect(broken).toBeInstanceOf(EngineError);
    expect(broken).toMatchObject({ kind: "model", message: expect.stringContaining("broken.onnx") });
    const session = await runtime.open(file);
    await expect(session.run({ z: rowOf(1, 2) })).rejects.toMatchObject({ kind: "model" });
    const { y } = await session.run({ x: rowOf(3, 4) });
    expect([...(y!.data as Float32Array)]).toEqual([6, 8]);
    await session.close();
    await expect(session.run({ x: rowOf(1, 2) })).rejects.toThrow("closed");
    await runtime.close();
  });
});

function rowOf(one: number, two: number): Tensor {
  return { type: "float32", dims: [1, 2], data: Float32Array.of(one, two) };
}
