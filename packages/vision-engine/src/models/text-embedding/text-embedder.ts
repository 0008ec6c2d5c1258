// sentences → tokens → graph → vectors that can be compared

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { type EngineError, modelError } from "../../errors.ts";
import { toUnitLength } from "../cosine-similarity.ts";
import type { InferenceRuntime, Tensor, TensorSession } from "../runtime/tensor-session.ts";

/** Sentences as vectors of length 1: the more alike their meaning, the larger the product of two. */
export interface TextEmbedder {
  /** 384 numbers a text. What is beyond some 190 words of a text is not looked at. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface TextEmbedderOptions {
  /** Folder of the weights, as the model store gives it. */
  readonly folder: string;
  readonly runtime: InferenceRuntime;
}

/** As many as the model was trained with. */
const MOST_TOKENS = 256;

/** Throws `EngineError` kind `model` when the folder does not hold the model. */
export async function openTextEmbedder({ folder, runtime }: TextEmbedderOptions): Promise<TextEmbedder> {
  const tokenizer = await loadTokenizer(folder);
  const session = await runtime.open(join(folder, "model_q4.onnx"));
  return {
    async embed(texts) {
      const vectors: Float32Array[] = [];
      // One at a time: a text's vector does not depend on which others came along.
      for (const text of texts) vectors.push(await embedOne(session, tokensOf(tokenizer, text)));
      return vectors;
    },
    close: () => session.close(),
  };
}

async function loadTokenizer(folder: string): Promise<Tokenizer> {
  try {
    const [tokenizer, config] = await Promise.all(
      ["tokenizer.json", "tokenizer_config.json"].map(async (name) =>
        JSON.parse(await readFile(join(folder, name), "utf8")),
      ),
    );
    return new Tokenizer(tokenizer, config);
  } catch (cause) {
    throw notAModel(folder, cause);
  }
}

function notAModel(folder: string, cause: unknown): EngineError {
  const message = `The folder ${folder} does not hold a text embedding model. Remove it, so that it is fetched again.`;
  return modelError(message, cause);
}

/** Ends with the closing token, also when the text was cut. */
function tokensOf(tokenizer: Tokenizer, text: string): readonly number[] {
  const { ids } = tokenizer.encode(text);
  return ids.length <= MOST_TOKENS ? ids : [...ids.slice(0, MOST_TOKENS - 1), ids.at(-1)!];
}

async function embedOne(session: TensorSession, tokens: readonly number[]): Promise<Float32Array> {
  const feeds = { input_ids: tokens, attention_mask: tokens.map(() => 1), token_type_ids: tokens.map(() => 0) };
  const { last_hidden_state: states } = await session.run(
    Object.fromEntries(Object.entries(feeds).map(([name, values]) => [name, toTensor(values)])),
  );
  return toUnitLength(meanOfRows(states!.data as Float32Array, tokens.length));
}

function toTensor(values: readonly number[]): Tensor {
  return { type: "int64", dims: [1, values.length], data: BigInt64Array.from(values, BigInt) };
}

function meanOfRows(data: Float32Array, rows: number): Float32Array {
  const mean = new Float32Array(data.length / rows);
  for (let at = 0; at < data.length; at++) mean[at % mean.length]! += data[at]! / rows;
  return mean;
}
