// TensorFlow.js graph → ONNX graph
import { EngineError } from "../../errors.ts";
import { type ConstantFolder, createConstantFolder, nodeName } from "./fold-constants.ts";
import { createOnnxBuilder, type OnnxBuilder } from "./onnx-builder.ts";
import type { OnnxGraph, OnnxNode } from "./onnx-graph.ts";
import type { TfGraph, TfNode } from "./tfjs-graph.ts";
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
    if (write === undefined) throw wrong(`The operation ${node.op} ("${name}") cannot be converted to ONNX.`);
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
    if (node === undefined) throw wrong(`There is no node "${name}" in the graph.`);
    return node;
  }
}

function unknown({ op, name, input }: TfNode, place: number): never {
  throw wrong(`${op} ("${name}") cannot be converted to ONNX: "${input[place]}" is only known while the graph runs.`);
}

function wrong(message: string): EngineError {
  return new EngineError({ kind: "model", message });
}
