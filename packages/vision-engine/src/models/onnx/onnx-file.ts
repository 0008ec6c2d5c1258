// bytes of an ONNX file ↔ graph
import { type EngineError, modelError } from "../../errors.ts";
import {
  ONNX_TYPES,
  type OnnxAttribute,
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
  type OnnxType,
  type OnnxValue,
} from "./onnx-graph.ts";

/** One field of a message: a whole number for varints, bytes for everything else. */
type ProtobufField =
  | { readonly field: number; readonly kind: "int"; readonly value: bigint }
  | { readonly field: number; readonly kind: "bytes"; readonly value: Uint8Array };

const WIRE_TYPES = { 0: "varint", 1: 8, 2: "length", 5: 4 } as const;

/** Walks the fields of one message. Throws `RangeError` where the bytes are not protobuf. */
function* readProtobuf(bytes: Uint8Array): Generator<ProtobufField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new RangeError(`broken number at byte ${at}`);
  };
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw new RangeError(`field runs past the end at byte ${at}`);
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const head = Number(varint());
    const field = head >>> 3;
    const type = WIRE_TYPES[(head & 7) as keyof typeof WIRE_TYPES];
    if (type === undefined || field === 0) throw new RangeError(`unknown field at byte ${at}`);
    if (type === "varint") yield { field, kind: "int", value: varint() };
    else yield { field, kind: "bytes", value: take(type === "length" ? Number(varint()) : type) };
  }
}

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
  return modelError(message, cause);
}

/** Bytes of fields in the protobuf wire format, in pieces: large ones are copied only once, when all are joined. */
type Pieces = readonly Uint8Array[];

const VARINT = 0;
const LENGTH = 2;
const FIXED32 = 5;

function head(field: number, type: number): Uint8Array {
  return toVarint((field << 3) | type);
}

function int(field: number, value: number | bigint): Pieces {
  return [head(field, VARINT), toVarint(value)];
}

function float(field: number, value: number): Pieces {
  return [head(field, FIXED32), new Uint8Array(Float32Array.of(value).buffer)];
}

function bytes(field: number, ...parts: Pieces): Pieces {
  return [head(field, LENGTH), toVarint(parts.reduce((sum, part) => sum + part.length, 0)), ...parts];
}

function text(field: number, value: string): Pieces {
  return bytes(field, Buffer.from(value));
}

function message(field: number, ...fields: readonly Pieces[]): Pieces {
  return bytes(field, ...fields.flat());
}

/** Negative numbers take ten bytes, as protobuf has it for int64. */
function toVarint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

const IR_VERSION = 8;
const OPSET = 18;
const ATTRIBUTE = { float: 1, int: 2, text: 3, ints: 7 } as const;

/** An ONNX file with operator set 18. The field numbers are those of onnx.proto. */
export function writeOnnx(graph: OnnxGraph): Uint8Array {
  const metadata = Object.entries(graph.metadata ?? {});
  const model = [
    int(1, IR_VERSION),
    text(2, "vision-engine"),
    message(7, ...graphFields(graph)),
    message(8, text(1, ""), int(2, OPSET)),
    ...metadata.map(([key, value]) => message(14, text(1, key), text(2, value))),
  ];
  return Buffer.concat(model.flat());
}

function graphFields({ name, nodes, tensors, inputs, outputs }: OnnxGraph): readonly Pieces[] {
  return [
    ...nodes.map((node) => message(1, ...nodeFields(node))),
    text(2, name),
    ...tensors.map((tensor) => message(5, ...tensorFields(tensor))),
    ...inputs.map((value) => message(11, ...valueFields(value))),
    ...outputs.map((value) => message(12, ...valueFields(value))),
  ];
}

function nodeFields({ op, inputs, outputs, attributes = {} }: OnnxNode): readonly Pieces[] {
  return [
    ...inputs.map((input) => text(1, input)),
    ...outputs.map((output) => text(2, output)),
    text(3, outputs[0] ?? op),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => message(5, text(1, name), ...attributeFields(value))),
  ];
}

function attributeFields(value: OnnxAttribute): readonly Pieces[] {
  if (typeof value === "string") return [text(4, value), int(20, ATTRIBUTE.text)];
  if (typeof value === "number") return [int(3, value), int(20, ATTRIBUTE.int)];
  if ("float" in value) return [float(2, value.float), int(20, ATTRIBUTE.float)];
  return [...value.map((item) => int(8, item)), int(20, ATTRIBUTE.ints)];
}

function tensorFields({ name, type, dims, bytes: numbers }: OnnxTensor): readonly Pieces[] {
  return [...dims.map((size) => int(1, size)), int(2, ONNX_TYPES[type]), text(8, name), bytes(9, numbers)];
}

function valueFields({ name, type, dims }: OnnxValue): readonly Pieces[] {
  const sizes = dims.map((size) => message(1, typeof size === "number" ? int(1, size) : text(2, size)));
  return [text(1, name), message(2, message(1, int(1, ONNX_TYPES[type]), message(2, ...sizes)))];
}
