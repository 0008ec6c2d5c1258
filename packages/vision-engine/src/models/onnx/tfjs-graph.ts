import { modelError } from "../../errors.ts";
/// <reference lib="esnext.float16" />
// TensorFlow.js graph model (JSON + weight shards) → nodes and constants

/** A constant of the graph. */
export interface TfConstant {
  readonly dims: readonly number[];
  readonly data: Float32Array | Int32Array;
}

/** An attribute as the JSON has it; only the field that fits is set. */
export interface TfAttribute {
  readonly i?: string | number;
  readonly f?: number;
  readonly b?: boolean;
  /** Base64. */
  readonly s?: string;
  readonly list?: { readonly i?: readonly (string | number)[] };
}

export interface TfNode {
  readonly name: string;
  readonly op: string;
  /** `node`, or `node:1` for another output than the first. */
  readonly input: readonly string[];
  readonly attr: Readonly<Record<string, TfAttribute>>;
}

export interface TfGraph {
  readonly nodes: ReadonlyMap<string, TfNode>;
  readonly constants: ReadonlyMap<string, TfConstant>;
}

interface WeightEntry {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly quantization?: { readonly dtype: string };
}

interface ModelJson {
  readonly modelTopology: { readonly node: readonly (Omit<TfNode, "input" | "attr"> & Partial<TfNode>)[] };
  readonly weightsManifest: readonly { readonly paths: readonly string[]; readonly weights: readonly WeightEntry[] }[];
}

/**
 * Reads a graph model. `shard` gives the bytes of a weight file by the path that the JSON names.
 * Throws `EngineError` kind `model` when JSON and weights do not fit together.
 */
export async function loadTfjsGraph(json: string, shard: (path: string) => Promise<Uint8Array>): Promise<TfGraph> {
  const { modelTopology, weightsManifest } = JSON.parse(json) as ModelJson;
  const constants = new Map<string, TfConstant>();
  for (const { paths, weights } of weightsManifest) {
    const bytes = Buffer.concat(await Promise.all(paths.map(shard)));
    let at = 0;
    for (const entry of weights) {
      const [constant, size] = readWeight(entry, bytes.subarray(at));
      constants.set(entry.name, constant);
      at += size;
    }
  }
  const nodes = modelTopology.node.map((node): TfNode => ({ ...node, input: node.input ?? [], attr: node.attr ?? {} }));
  return { nodes: new Map(nodes.map((node) => [node.name, node])), constants };
}

function readWeight(entry: WeightEntry, bytes: Uint8Array): readonly [TfConstant, size: number] {
  const { name, shape, dtype, quantization } = entry;
  const count = shape.reduce((product, size) => product * size, 1);
  const stored = quantization?.dtype ?? dtype;
  const size = count * (stored === "float16" ? 2 : 4);
  if (bytes.length < size) throw modelError(`The weights end in the middle of "${name}". Fetch the model again.`);
  // A copy starts at an address that fits the element size.
  const { buffer } = new Uint8Array(bytes.subarray(0, size));
  if (stored === "float32") return [{ dims: shape, data: new Float32Array(buffer) }, size];
  if (stored === "int32") return [{ dims: shape, data: new Int32Array(buffer) }, size];
  if (stored === "float16") return [{ dims: shape, data: Float32Array.from(new Float16Array(buffer)) }, size];
  throw modelError(`The weight "${name}" is stored as ${stored}, which is not supported.`);
}
