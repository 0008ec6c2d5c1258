import type { TfConstant, TfGraph, TfNode } from "./tfjs-graph.ts";

/** Stands in a shape for "as large as it comes in": ONNX copies the dimension at this place. */
export const KEEP_DIMENSION = 0;

/** Numbers of the graph that are known before it runs. */
export interface ConstantFolder {
  /** Absent when the value depends on the input. */
  constant(name: string): TfConstant | undefined;
  /** A shape in which dimensions taken from a tensor's own shape are `KEEP_DIMENSION`. Absent when it depends on more. */
  shape(name: string): readonly number[] | undefined;
}

type Fold = (node: TfNode, inputs: readonly TfConstant[]) => TfConstant;

const FOLDS: Readonly<Record<string, Fold>> = {
  Identity: (_node, [value]) => value!,
  Add: addIntegers,
  AddV2: addIntegers,
  SparseToDense: scatterIntegers,
};

export function createConstantFolder({ nodes, constants }: TfGraph): ConstantFolder {
  const known = new Map<string, TfConstant | undefined>(constants);

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
    shape(name) {
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
export function nodeName(input: string): string {
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
