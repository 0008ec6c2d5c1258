// one TensorFlow operation → ONNX nodes

import type { OnnxAttribute, OnnxBuilder } from "./onnx-graph.ts";
import type { TfConstant, TfNode } from "./tfjs-graph.ts";

/** What an operation is written with. */
interface OperationContext {
  readonly node: TfNode;
  readonly builder: OnnxBuilder;
  /** Name of an input in the ONNX graph. */
  input(place: number): string;
  /** An input that must be known before the graph runs. */
  constant(place: number): TfConstant;
  /** An input that is a shape. */
  shape(place: number): readonly number[];
}

/** Names of the outputs, in order. */
export type WriteOperation = (context: OperationContext) => readonly string[];

const TO_CHANNELS_FIRST = [0, 3, 1, 2];
const TO_CHANNELS_LAST = [0, 2, 3, 1];

/**
 * The operations that our models are made of. Tensors keep TensorFlow's layout (channels last); what ONNX only has
 * with channels first stands between two transpositions, most of which cancel each other.
 */
export const OPERATIONS: Readonly<Record<string, WriteOperation>> = {
  Identity: ({ input }) => [input(0)],
  Add: elementwise("Add"),
  AddV2: elementwise("Add"),
  BiasAdd: elementwise("Add"),
  Sub: elementwise("Sub"),
  Mul: elementwise("Mul"),
  AddN: ({ node, builder, input }) => [
    node.input.map((_, place) => input(place)).reduce((sum, each) => builder.add("Add", [sum, each])),
  ],
  Sigmoid: ({ builder, input }) => [builder.add("Sigmoid", [input(0)])],
  Relu6: ({ builder, input }) => [
    builder.add("Clip", [input(0), builder.floats(Float32Array.of(0), []), builder.floats(Float32Array.of(6), [])]),
  ],
  LeakyRelu: ({ node, builder, input }) => [
    builder.add("LeakyRelu", [input(0)], { alpha: { float: node.attr.alpha?.f ?? 0.2 } }),
  ],
  Conv2D: (context) => [convolution(context, toFilters)],
  DepthwiseConv2dNative: (context) => [convolution(context, toDepthwiseFilters)],
  FusedBatchNorm: batchNormalization,
  MaxPool: maxPool,
  ResizeBilinear: resizeBilinear,
  Pad: ({ builder, input, constant }) => [pad(builder, input(0), constant(1), 0)],
  PadV2: ({ builder, input, constant }) => [pad(builder, input(0), constant(1), constant(2).data[0]!)],
  Reshape: ({ builder, input, shape }) => {
    // The first axis is the batch: it stays as large as it comes in.
    const dims = shape(1).map((size, place) => (place === 0 && size === 1 ? 0 : size));
    return [builder.add("Reshape", [input(0), builder.integers(dims)])];
  },
  Squeeze: ({ node, builder, input }) => [
    builder.add("Squeeze", [input(0), builder.integers(integersOf(node, "squeeze_dims"))]),
  ],
  Transpose: ({ builder, input, constant }) => [builder.transpose(input(0), [...constant(1).data])],
  ConcatV2: ({ node, builder, input, constant }) => {
    const parts = node.input.slice(0, -1).map((_, place) => input(place));
    return [builder.add("Concat", parts, { axis: constant(parts.length).data[0]! })];
  },
  SplitV: ({ builder, input, constant }) => {
    const sizes = [...constant(1).data];
    const inputs = [input(0), builder.integers(sizes)];
    return builder.addMany("Split", inputs, { axis: constant(2).data[0]! }, sizes.length);
  },
};

function elementwise(op: string): WriteOperation {
  return ({ builder, input }) => [builder.add(op, [input(0), input(1)])];
}

interface Filters {
  readonly data: Float32Array;
  readonly dims: readonly number[];
  readonly group: number;
}

function convolution(context: OperationContext, arrange: (weights: TfConstant) => Filters): string {
  const { node, builder, input, constant } = context;
  const { data, dims, group } = arrange(constant(1));
  const attributes = {
    kernel_shape: dims.slice(2),
    strides: spatial(node, "strides"),
    dilations: spatial(node, "dilations"),
    group,
    ...padding(node),
  };
  return channelsFirst(builder, input(0), (x) => builder.add("Conv", [x, builder.floats(data, dims)], attributes));
}

function channelsFirst(builder: OnnxBuilder, input: string, write: (input: string) => string): string {
  return builder.transpose(write(builder.transpose(input, TO_CHANNELS_FIRST)), TO_CHANNELS_LAST);
}

/** height, width, in, out → out, in, height, width. */
function toFilters({ data, dims }: TfConstant): Filters {
  const [height, width, channels, filters] = dims as [number, number, number, number];
  const cells = height * width;
  const turned = new Float32Array(data.length);
  let at = 0;
  for (let cell = 0; cell < cells; cell++) {
    for (let channel = 0; channel < channels; channel++) {
      for (let filter = 0; filter < filters; filter++) {
        turned[(filter * channels + channel) * cells + cell] = data[at++]!;
      }
    }
  }
  return { data: turned, dims: [filters, channels, height, width], group: 1 };
}

/** height, width, channel, multiplier → channel x multiplier, 1, height, width. */
function toDepthwiseFilters({ data, dims }: TfConstant): Filters {
  const [height, width, channels, multiplier] = dims as [number, number, number, number];
  const filters = toFilters({ data, dims: [height, width, 1, channels * multiplier] });
  return { ...filters, group: channels };
}

function batchNormalization({ node, builder, input, constant }: OperationContext): readonly string[] {
  const parameters = [1, 2, 3, 4].map((place) => {
    const { data, dims } = constant(place);
    return builder.floats(Float32Array.from(data), dims);
  });
  const attributes = { epsilon: { float: node.attr.epsilon?.f ?? 1e-4 } };
  return [channelsFirst(builder, input(0), (x) => builder.add("BatchNormalization", [x, ...parameters], attributes))];
}

function maxPool({ node, builder, input }: OperationContext): readonly string[] {
  const attributes = { kernel_shape: spatial(node, "ksize"), strides: spatial(node, "strides"), ...padding(node) };
  return [channelsFirst(builder, input(0), (x) => builder.add("MaxPool", [x], attributes))];
}

function resizeBilinear({ node, builder, input, constant }: OperationContext): readonly string[] {
  const attributes = { mode: "linear", coordinate_transformation_mode: coordinates(node) };
  const resized = channelsFirst(builder, input(0), (x) => {
    // All four sizes: the runtime turns axes around this node wrongly when only two are given.
    const kept = builder.add("Shape", [x], { start: 0, end: 2 });
    const sizes = builder.add("Concat", [kept, builder.integers([...constant(1).data])], { axis: 0 });
    return builder.add("Resize", [x, "", "", sizes], attributes);
  });
  return [resized];
}

function coordinates(node: TfNode): string {
  if (node.attr.align_corners?.b === true) return "align_corners";
  return node.attr.half_pixel_centers?.b === true ? "half_pixel" : "asymmetric";
}

/** TensorFlow has begin and end side by side, ONNX all begins first. */
function pad(builder: OnnxBuilder, input: string, { data }: TfConstant, value: number): string {
  const [begins, ends] = [0, 1].map((side) => [...data].filter((_, place) => place % 2 === side));
  const pads = builder.integers([...begins!, ...ends!]);
  return builder.add("Pad", [input, pads, builder.floats(Float32Array.of(value), [])]);
}

/** The runtime joins a padding before it only with explicit pads. */
function padding(node: TfNode): Readonly<Record<string, OnnxAttribute>> {
  return textOf(node, "padding") === "SAME" ? { auto_pad: "SAME_UPPER" } : { pads: [0, 0, 0, 0] };
}

/** Height and width of an attribute that also has batch and channel. */
function spatial(node: TfNode, name: string): readonly number[] {
  const values = integersOf(node, name);
  return values.length === 4 ? values.slice(1, 3) : [1, 1];
}

function integersOf(node: TfNode, name: string): readonly number[] {
  return (node.attr[name]?.list?.i ?? []).map(Number);
}

function textOf(node: TfNode, name: string): string {
  return Buffer.from(node.attr[name]?.s ?? "", "base64").toString();
}
