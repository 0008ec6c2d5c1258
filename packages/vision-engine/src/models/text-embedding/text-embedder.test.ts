import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeOnnx } from "../onnx/onnx-file.ts";
import { createOnnxRuntime } from "../runtime/onnx-runtime.ts";
import { openTextEmbedder } from "./text-embedder.ts";

const folder = await mkdtemp(join(tmpdir(), "text-"));
const runtime = createOnnxRuntime({ threads: 1 });
beforeAll(async () => {
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(TOKENIZER));
  await writeFile(join(folder, "tokenizer_config.json"), "{}");
  await writeFile(join(folder, "model_q4.onnx"), tinyGraph());
});
afterAll(async () => {
  await runtime.close();
  await rm(folder, { recursive: true });
});

describe("openTextEmbedder", () => {
  it("gives the mean of the words as a vector of length 1", async () => {
    const embedder = await openTextEmbedder({ folder, runtime });
    const [cat, dog, both] = await embedder.embed(["cat", "dog", "cat dog"]);
    expect([...cat!]).toEqual([1, 0]);
    expect([...dog!]).toEqual([0, 1]);
    expect([...both!].map((value) => value.toFixed(4))).toEqual(["0.7071", "0.7071"]);
    await embedder.close();
    await embedder.close();
  });

  it("looks at the beginning of a text that is too long", async () => {
    const embedder = await openTextEmbedder({ folder, runtime });
    const [vector] = await embedder.embed([`${"cat ".repeat(300)}${"dog ".repeat(300)}`]);
    expect(vector![0]).toBeGreaterThan(0.99);
  });

  it("gives nothing for nothing", async () => {
    expect(await (await openTextEmbedder({ folder, runtime })).embed([])).toEqual([]);
  });

  it("says when the folder holds something else", async () => {
    await expect(openTextEmbedder({ folder: tmpdir(), runtime })).rejects.toThrow(
      /does not hold a text embedding model/,
    );
  });
});

const TOKENIZER = {
  version: "1.0",
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "Whitespace" },
  post_processor: null,
  decoder: null,
  model: { type: "WordLevel", vocab: { "[UNK]": 0, cat: 1, dog: 2 }, unk_token: "[UNK]" },
};

/** Looks each word up in a table: cat → (2, 0), dog → (0, 2). */
function tinyGraph(): Uint8Array {
  const words = ["input_ids", "attention_mask", "token_type_ids"];
  return writeOnnx({
    name: "tiny",
    nodes: [{ op: "Gather", inputs: ["table", "input_ids"], outputs: ["last_hidden_state"] }],
    tensors: [
      { name: "table", type: "float32", dims: [3, 2], bytes: new Uint8Array(Float32Array.of(0, 0, 2, 0, 0, 2).buffer) },
    ],
    inputs: words.map((name) => ({ name, type: "int64", dims: ["batch", "length"] })),
    outputs: [{ name: "last_hidden_state", type: "float32", dims: ["batch", "length", 2] }],
  });
}
