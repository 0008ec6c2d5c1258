/** Element types by the number ONNX gives them. */
export const ONNX_TYPES = {
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
} as const;

export type OnnxType = keyof typeof ONNX_TYPES;

/** Numbers stored in the file. */
export interface OnnxTensor {
  readonly name: string;
  readonly type: OnnxType;
  readonly dims: readonly number[];
  /** Little-endian, last dimension fastest. */
  readonly bytes: Uint8Array;
}

/** Whole numbers are `int`s, lists are lists of them; a fraction needs `{ float }`. */
export type OnnxAttribute = number | string | readonly number[] | { readonly float: number };

export interface OnnxNode {
  readonly op: string;
  /** An empty name leaves an optional input out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>;
}

/** An input or output. A dimension with a name may be of any size. */
export interface OnnxValue {
  readonly name: string;
  readonly type: OnnxType;
  readonly dims: readonly (number | string)[];
}

/** A graph as far as it is written here. Nodes are in the order in which they run. */
export interface OnnxGraph {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  readonly tensors: readonly OnnxTensor[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Free text pairs: where it came from, under which licence. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/// <reference lib="esnext.float16" />

/** Below, halving the size is not worth a node. */
const SMALLEST_HALVED = 64;

/** Collects the nodes and numbers of a graph under names of its own. */
export interface OnnxBuilder {
  readonly nodes: readonly OnnxNode[];
  readonly tensors: readonly OnnxTensor[];
  /** Adds a node with one output; gives the name of the output. */
  add(op: string, inputs: readonly string[], attributes?: Readonly<Record<string, OnnxAttribute>>): string;
  /** Adds a node with several outputs. */
  addMany(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, OnnxAttribute>>,
    count: number,
  ): readonly string[];
  /** Turns the axes; a turn back to where it came from costs nothing. */
  transpose(input: string, axes: readonly number[]): string;
  /** Stores large ones as half floats: half the file, and the runtime widens them once while it loads. */
  floats(data: Float32Array, dims: readonly number[]): string;
  integers(values: readonly number[]): string;
}

export function createOnnxBuilder(): OnnxBuilder {
  const nodes: OnnxNode[] = [];
  const tensors: OnnxTensor[] = [];
  const turned = new Map<string, { readonly from: string; readonly axes: readonly number[] }>();
  let names = 0;
  const newName = (): string => `v${names++}`;

  function addMany(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, OnnxAttribute>>,
    count: number,
  ): readonly string[] {
    const outputs = Array.from({ length: count }, newName);
    nodes.push({ op, inputs, outputs, attributes });
    return outputs;
  }

  function store(type: OnnxTensor["type"], dims: readonly number[], data: ArrayBufferView): string {
    const name = newName();
    tensors.push({ name, type, dims, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) });
    return name;
  }

  return {
    nodes,
    tensors,
    addMany,
    add: (op, inputs, attributes = {}) => addMany(op, inputs, attributes, 1)[0]!,
    transpose(input, axes) {
      const before = turned.get(input);
      if (before !== undefined && axes.every((axis, place) => before.axes[axis] === place)) return before.from;
      const output = addMany("Transpose", [input], { perm: axes }, 1)[0]!;
      turned.set(output, { from: input, axes });
      return output;
    },
    floats(data, dims) {
      if (data.length < SMALLEST_HALVED) return store("float32", dims, data);
      return addMany("Cast", [store("float16", dims, Float16Array.from(data))], { to: 1 }, 1)[0]!;
    },
    integers: (values) => store("int64", [values.length], BigInt64Array.from(values, BigInt)),
  };
}
