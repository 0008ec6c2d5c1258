// bytes of an ONNX file → what it takes, what it gives and what it says of itself
import { EngineError } from "../../errors.ts";
import { ONNX_TYPES, type OnnxType, type OnnxValue } from "./onnx-graph.ts";
import { readProtobuf } from "./protobuf-reader.ts";

/** The outside of an ONNX file. */
export interface OnnxSummary {
  readonly producer: string;
  readonly opset: number;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Exporters write class names, image size and licence here. */
  readonly metadata: Readonly<Record<string, string>>;
}

const TYPE_NAMES: ReadonlyMap<number, OnnxType> = new Map(
  Object.entries(ONNX_TYPES).map(([name, number]) => [number, name as OnnxType]),
);

/** Reads no weights and checks no operations. Throws `EngineError` kind `model` where the bytes are not an ONNX file. */
export function readOnnxSummary(bytes: Uint8Array): OnnxSummary {
  try {
    const model = fieldsOf(bytes);
    const graph = model.bytes(7)[0];
    if (graph === undefined) throw new RangeError("there is no graph in it");
    const { inputs, outputs } = readGraph(graph);
    return {
      producer: model.texts(2)[0] ?? "",
      opset: Math.max(0, ...model.bytes(8).map(readOpset)),
      inputs,
      outputs,
      metadata: Object.fromEntries(model.bytes(14).map(readPair)),
    };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw notOnnx(cause);
  }
}

function readGraph(bytes: Uint8Array): Pick<OnnxSummary, "inputs" | "outputs"> {
  const graph = fieldsOf(bytes);
  // Old exporters list the weights as inputs, too.
  const weights = new Set(graph.bytes(5).map((tensor) => fieldsOf(tensor).texts(8)[0]));
  const inputs = graph.bytes(11).map(readValue);
  return { inputs: inputs.filter(({ name }) => !weights.has(name)), outputs: graph.bytes(12).map(readValue) };
}

function readValue(bytes: Uint8Array): OnnxValue {
  const value = fieldsOf(bytes);
  const type = value.bytes(2).flatMap((inner) => fieldsOf(inner).bytes(1))[0];
  const tensor = fieldsOf(type ?? new Uint8Array());
  const name = value.texts(1)[0] ?? "";
  const elements = TYPE_NAMES.get(Number(tensor.ints(1)[0] ?? 0));
  if (elements === undefined) throw new RangeError(`"${name}" has an unknown type`);
  const dims = tensor.bytes(2).flatMap((shape) => fieldsOf(shape).bytes(1).map(readDimension));
  return { name, type: elements, dims };
}

function readDimension(bytes: Uint8Array): number | string {
  const dimension = fieldsOf(bytes);
  const size = dimension.ints(1)[0];
  return size === undefined ? (dimension.texts(2)[0] ?? "") : Number(BigInt.asIntN(64, size));
}

/** The version of the standard operators; other sets have a name. */
function readOpset(bytes: Uint8Array): number {
  const opset = fieldsOf(bytes);
  return (opset.texts(1)[0] ?? "") === "" ? Number(opset.ints(2)[0] ?? 0) : 0;
}

function readPair(bytes: Uint8Array): [string, string] {
  const pair = fieldsOf(bytes);
  return [pair.texts(1)[0] ?? "", pair.texts(2)[0] ?? ""];
}

function fieldsOf(message: Uint8Array) {
  const fields = [...readProtobuf(message)];
  const bytes = (number: number): Uint8Array[] =>
    fields.flatMap((field) => (field.field === number && field.kind === "bytes" ? [field.value] : []));
  return {
    bytes,
    ints: (number: number): bigint[] =>
      fields.flatMap((field) => (field.field === number && field.kind === "int" ? [field.value] : [])),
    texts: (number: number): string[] => bytes(number).map((text) => Buffer.from(text).toString("utf8")),
  };
}

function notOnnx(cause: Error): EngineError {
  const message = `This is not an ONNX file (${cause.message}). Export the model again.`;
  return new EngineError({ kind: "model", message, cause });
}
