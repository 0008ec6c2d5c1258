// graph → bytes of an ONNX file
import {
  ONNX_TYPES,
  type OnnxAttribute,
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValue,
} from "./onnx-graph.ts";
import { type ProtobufWriter, writeProtobuf } from "./protobuf-writer.ts";

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
