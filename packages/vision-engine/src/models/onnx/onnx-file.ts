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

/** Writes the protobuf wire format, field by field. */
interface ProtobufWriter {
  int(field: number, value: number | bigint): void;
  float(field: number, value: number): void;
  text(field: number, value: string): void;
  bytes(field: number, value: Uint8Array): void;
  message(field: number, write: (inner: ProtobufWriter) => void): void;
}

const VARINT = 0;
const LENGTH = 2;
const FIXED32 = 5;

/** The bytes of one message. Large byte fields are copied only once, at the end. */
function writeProtobuf(write: (writer: ProtobufWriter) => void): Uint8Array {
  return Buffer.concat(chunksOf(write));
}

function chunksOf(write: (writer: ProtobufWriter) => void): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const head = (field: number, type: number): void => {
    chunks.push(toVarint((field << 3) | type));
  };
  const sized = (field: number, parts: readonly Uint8Array[]): void => {
    head(field, LENGTH);
    chunks.push(toVarint(parts.reduce((sum, part) => sum + part.length, 0)), ...parts);
  };
  write({
    int(field, value) {
      head(field, VARINT);
      chunks.push(toVarint(value));
    },
    float(field, value) {
      head(field, FIXED32);
      chunks.push(new Uint8Array(Float32Array.of(value).buffer));
    },
    text: (field, value) => sized(field, [Buffer.from(value)]),
    bytes: (field, value) => sized(field, [value]),
    message: (field, inner) => sized(field, chunksOf(inner)),
  });
  return chunks;
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
  return writeProtobuf((model) => {
    model.int(1, IR_VERSION);
    model.text(2, "vision-engine");
    model.message(7, (inner) => writeGraph(inner, graph));
    model.message(8, (opset) => {
      opset.text(1, "");
      opset.int(2, OPSET);
    });
    for (const [key, value] of Object.entries(graph.metadata ?? {})) {
      model.message(14, (entry) => {
        entry.text(1, key);
        entry.text(2, value);
      });
    }
  });
}

function writeGraph(writer: ProtobufWriter, { name, nodes, tensors, inputs, outputs }: OnnxGraph): void {
  for (const node of nodes) writer.message(1, (inner) => writeNode(inner, node));
  writer.text(2, name);
  for (const tensor of tensors) writer.message(5, (inner) => writeTensor(inner, tensor));
  for (const value of inputs) writer.message(11, (inner) => writeValue(inner, value));
  for (const value of outputs) writer.message(12, (inner) => writeValue(inner, value));
}

function writeNode(writer: ProtobufWriter, { op, inputs, outputs, attributes = {} }: OnnxNode): void {
  for (const input of inputs) writer.text(1, input);
  for (const output of outputs) writer.text(2, output);
  writer.text(3, outputs[0] ?? op);
  writer.text(4, op);
  for (const [name, value] of Object.entries(attributes)) {
    writer.message(5, (inner) => writeAttribute(inner, name, value));
  }
}

function writeAttribute(writer: ProtobufWriter, name: string, value: OnnxAttribute): void {
  writer.text(1, name);
  if (typeof value === "string") {
    writer.text(4, value);
    writer.int(20, ATTRIBUTE.text);
  } else if (typeof value === "number") {
    writer.int(3, value);
    writer.int(20, ATTRIBUTE.int);
  } else if ("float" in value) {
    writer.float(2, value.float);
    writer.int(20, ATTRIBUTE.float);
  } else {
    for (const item of value) writer.int(8, item);
    writer.int(20, ATTRIBUTE.ints);
  }
}

function writeTensor(writer: ProtobufWriter, { name, type, dims, bytes }: OnnxTensor): void {
  for (const size of dims) writer.int(1, size);
  writer.int(2, ONNX_TYPES[type]);
  writer.text(8, name);
  writer.bytes(9, bytes);
}

function writeValue(writer: ProtobufWriter, { name, type, dims }: OnnxValue): void {
  writer.text(1, name);
  writer.message(2, (valueType) => {
    valueType.message(1, (tensor) => {
      tensor.int(1, ONNX_TYPES[type]);
      tensor.message(2, (shape) => {
        for (const size of dims) {
          shape.message(1, (dim) => (typeof size === "number" ? dim.int(1, size) : dim.text(2, size)));
        }
      });
    });
  });
}
