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
