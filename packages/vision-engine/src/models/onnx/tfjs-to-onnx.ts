// TensorFlow.js graph → ONNX graph
import { modelError } from "../../errors.ts";
import { createOnnxBuilder, type OnnxBuilder, type OnnxGraph, type OnnxNode } from "./onnx-graph.ts";
import type { TfConstant, TfGraph, TfNode } from "./tfjs-graph.ts";
import { OPERATIONS } from "./tfjs-operations.ts";

/** A tensor of the graph that becomes an input or output: everything before an input and after an output is cut off. */
export interface GraphCut {
  /** Node of the TensorFlow graph. */
  readonly node: string;
  /** Name in the ONNX graph. */
  readonly name: string;
  /** In TensorFlow's layout. A dimension with a name may be of any size. */
  readonly dims: readonly (number | string)[];
  /** Outputs only: axes over which the mean is taken. */
  readonly meanOver?: readonly number[];
}

export interface ConversionOptions {
  readonly name: string;
  readonly inputs: readonly GraphCut[];
  readonly outputs: readonly GraphCut[];
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Writes the part of a graph between two cuts as ONNX. The first axis of every tensor is taken as the batch.
 * Throws `EngineError` kind `model` that names an operation which is not supported.
 */
export function convertTfjsGraph(graph: TfGraph, options: ConversionOptions): OnnxGraph {
  const builder = createOnnxBuilder();
  const converter = new Converter(graph, builder, options.inputs);
  const ends = options.outputs.map(({ node, meanOver }) => {
    const value = converter.valueOf(node);
    return meanOver === undefined
      ? value
      : builder.add("ReduceMean", [value, builder.integers(meanOver)], { keepdims: 0 });
  });
  const renamed = options.outputs.map(({ name }, at) => ({ op: "Identity", inputs: [ends[at]!], outputs: [name] }));
  return {
    name: options.name,
    nodes: withoutUnused([...builder.nodes, ...renamed], options.outputs),
    tensors: builder.tensors,
    inputs: options.inputs.map(({ name, dims }) => ({ name, dims, type: "float32" })),
    outputs: options.outputs.map(({ name, dims }) => ({ name, dims, type: "float32" })),
    metadata: options.metadata,
  };
}

/** An unused reader of a tensor would keep the runtime from joining its maker with the next node. */
function withoutUnused(nodes: readonly OnnxNode[], outputs: readonly GraphCut[]): readonly OnnxNode[] {
  const used = new Set(outputs.map(({ name }) => name));
  const kept: OnnxNode[] = [];
  for (const node of nodes.toReversed()) {
    if (!node.outputs.some((output) => used.has(output))) continue;
    for (const input of node.inputs) used.add(input);
    kept.push(node);
  }
  return kept.toReversed();
}

class Converter {
  readonly #graph: TfGraph;
  readonly #builder: OnnxBuilder;
  readonly #folder: ConstantFolder;
  /** Names of the outputs of the nodes written so far. */
  readonly #written: Map<string, readonly string[]>;

  constructor(graph: TfGraph, builder: OnnxBuilder, inputs: readonly GraphCut[]) {
    this.#graph = graph;
    this.#builder = builder;
    this.#folder = createConstantFolder(graph);
    this.#written = new Map(inputs.map(({ node, name }) => [node, [name]]));
  }

  /** Name of a tensor in the ONNX graph; writes what leads to it. */
  valueOf(tensor: string): string {
    const name = nodeName(tensor);
    for (const needed of this.#inOrder(name)) this.#written.set(needed, this.#write(needed));
    const output = Number(/:(\d+)$/.exec(tensor)?.[1] ?? 0);
    return this.#written.get(name)![output]!;
  }

  /** Nodes that are still to be written, each after what it needs. A stack of our own: graphs are deeper than ours. */
  #inOrder(name: string): readonly string[] {
    const order: string[] = [];
    const seen = new Set<string>();
    const stack = [{ name, entered: false }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      if (top.entered) order.push(top.name);
      else if (!seen.has(top.name) && !this.#written.has(top.name)) {
        seen.add(top.name);
        stack.push({ name: top.name, entered: true });
        for (const input of this.#tensorsOf(top.name)) stack.push({ name: nodeName(input), entered: false });
      }
    }
    return order;
  }

  /** Inputs that are tensors at run time; a shape is worked out beforehand. */
  #tensorsOf(name: string): readonly string[] {
    if (this.#folder.constant(name) !== undefined) return [];
    const { op, input } = this.#node(name);
    return op === "Reshape" ? input.slice(0, 1) : input.filter((each) => this.#folder.constant(each) === undefined);
  }

  #write(name: string): readonly string[] {
    const constant = this.#folder.constant(name);
    if (constant !== undefined) return [this.#builder.floats(Float32Array.from(constant.data), constant.dims)];
    const node = this.#node(name);
    const write = OPERATIONS[node.op];
    if (write === undefined) throw modelError(`The operation ${node.op} ("${name}") cannot be converted to ONNX.`);
    return write({
      node,
      builder: this.#builder,
      input: (place) => this.valueOf(node.input[place]!),
      constant: (place) => this.#folder.constant(node.input[place]!) ?? unknown(node, place),
      shape: (place) => this.#folder.shape(node.input[place]!) ?? unknown(node, place),
    });
  }

  #node(name: string): TfNode {
    const node = this.#graph.nodes.get(name);
    if (node === undefined) throw modelError(`There is no node "${name}" in the graph.`);
    return node;
  }
}

function unknown({ op, name, input }: TfNode, place: number): never {
  throw modelError(
    `${op} ("${name}") cannot be converted to ONNX: "${input[place]}" is only known while the graph runs.`,
  );
}

/** Stands in a shape for "as large as it comes in": ONNX copies the dimension at this place. */
const KEEP_DIMENSION = 0;

type ConstantFolder = ReturnType<typeof createConstantFolder>;

type Fold = (node: TfNode, inputs: readonly TfConstant[]) => TfConstant;

const FOLDS: Readonly<Record<string, Fold>> = {
  Identity: (_node, [value]) => value!,
  Add: addIntegers,
  AddV2: addIntegers,
  SparseToDense: scatterIntegers,
};

/** Numbers of the graph that are known before it runs. */
function createConstantFolder({ nodes, constants }: TfGraph) {
  const known = new Map<string, TfConstant | undefined>(constants);

  /** Absent when the value depends on the input. */
  function constant(name: string): TfConstant | undefined {
    const key = nodeName(name);
    if (!known.has(key)) known.set(key, fold(nodes.get(key)));
    return known.get(key);
  }

  function fold(node: TfNode | undefined): TfConstant | undefined {
    const apply = FOLDS[node?.op ?? ""];
    if (node === undefined || apply === undefined) return undefined;
    const inputs: TfConstant[] = [];
    for (const name of node.input) {
      const value = constant(name);
      if (value === undefined || (node.op !== "Identity" && value.data instanceof Float32Array)) return undefined;
      inputs.push(value);
    }
    return apply(node, inputs);
  }

  /** The batch size, read from the shape of some tensor: `shape(x)[0]`. */
  function isBatchSize(name: string): boolean {
    const slice = nodes.get(nodeName(name));
    if (slice?.op !== "StridedSlice" || nodes.get(nodeName(slice.input[0]!))?.op !== "Shape") return false;
    const begin = constant(slice.input[1]!);
    return begin?.data.length === 1 && begin.data[0] === 0;
  }

  return {
    constant,
    /** Dimensions taken from a tensor's own shape are `KEEP_DIMENSION`. Absent when it depends on more. */
    shape(name: string): readonly number[] | undefined {
      const whole = constant(name);
      if (whole !== undefined) return [...whole.data];
      const pack = nodes.get(nodeName(name));
      if (pack?.op !== "Pack") return undefined;
      const dims = pack.input.map((part, place) =>
        place === 0 && isBatchSize(part) ? KEEP_DIMENSION : constant(part)?.data[0],
      );
      return dims.every((size) => size !== undefined) ? dims : undefined;
    },
  };
}

/** `a:0` and `^a` mean node `a`. */
function nodeName(input: string): string {
  return input.replace(/^\^/, "").replace(/:\d+$/, "");
}

function addIntegers(_node: TfNode, [left, right]: readonly TfConstant[]): TfConstant {
  const [long, short] = left!.data.length >= right!.data.length ? [left!, right!] : [right!, left!];
  const data = Int32Array.from(long.data, (value, at) => value + short.data[short.data.length === 1 ? 0 : at]!);
  return { dims: long.dims, data };
}

/** A list filled with the default, with some values set. */
function scatterIntegers(_node: TfNode, [places, size, values, fallback]: readonly TfConstant[]): TfConstant {
  const data = new Int32Array(size!.data[0]!).fill(fallback!.data[0]!);
  places!.data.forEach((place, at) => {
    data[place] = values!.data[values!.data.length === 1 ? 0 : at]!;
  });
  return { dims: [data.length], data };
}
