// named tensors → a graph → named tensors

/** What holds the numbers of a tensor, by the name ONNX gives their type. */
const TENSOR_ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  /** 0 or 1 a value. */
  bool: Uint8Array,
} as const;

export type TensorType = keyof typeof TENSOR_ARRAYS;
export type TensorData = { readonly [Type in TensorType]: (typeof TENSOR_ARRAYS)[Type]["prototype"] };

export function isTensorType(type: string): type is TensorType {
  return Object.hasOwn(TENSOR_ARRAYS, type);
}

/** A block of numbers with a shape, the last dimension running fastest. */
export type Tensor = {
  readonly [Type in TensorType]: {
    readonly type: Type;
    readonly dims: readonly number[];
    readonly data: TensorData[Type];
  };
}[TensorType];

/** What a graph says about one of its inputs or outputs. */
export interface TensorInfo {
  readonly name: string;
  readonly type: TensorType;
  /** -1 where the graph takes any size. */
  readonly dims: readonly number[];
  /** What the graph calls a first dimension of any size: sizes of the same name are equal. */
  readonly batchName?: string;
}

/** An opened graph. */
export interface TensorSession {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /**
   * Runs the graph once. The data of `feeds` may be written again when the promise is done.
   * Throws `EngineError` kind `model` when the feeds do not fit the graph.
   */
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
  /** Frees the graph. May be called twice. */
  close(): Promise<void>;
}

/** Opens graphs from files. */
export interface InferenceRuntime {
  /** Throws `EngineError` kind `model` when the file is missing or is not a graph that can run. */
  open(file: string): Promise<TensorSession>;
  /** Closes every session that is still open. May be called twice. */
  close(): Promise<void>;
}
