// named tensors of a graph → the tables that a head reads, or a sentence on what does not fit
import { type EngineError, modelError } from "../../errors.ts";
import type { Tensor } from "../runtime/tensor-session.ts";
import type { Matrix } from "./box-heads.ts";
import type { Prototypes } from "./masks.ts";

type FloatTensor = Extract<Tensor, { type: "float32" }>;

/** Outputs of one run for one picture. */
export interface GraphOutputs {
  readonly modelId: string;
  readonly tensors: Readonly<Record<string, Tensor>>;
}

/** The only table, or the one whose name or shape fits. Throws `EngineError` kind `model` with the shapes there are. */
export function matrixOf(
  outputs: GraphOutputs,
  wanted: string,
  fits: (name: string, matrix: Matrix) => boolean,
): Matrix {
  const tables = floatTensors(outputs).flatMap(([name, tensor]) => {
    const matrix = toMatrix(tensor);
    return matrix === undefined ? [] : [{ name, matrix }];
  });
  const found = tables.find(({ name, matrix }) => fits(name, matrix));
  if (found === undefined) throw unfit(outputs, wanted);
  return found.matrix;
}

/** The one output of four dimensions: `count` grids for the picture. */
export function gridsOf(outputs: GraphOutputs, wanted: string): Prototypes {
  const found = floatTensors(outputs).find(([, { dims }]) => dims.length === 4 && dims[0] === 1);
  if (found === undefined) throw unfit(outputs, wanted);
  const { dims, data } = found[1];
  return { count: dims[1]!, height: dims[2]!, width: dims[3]!, data };
}

/** All numbers of the first output. */
export function vectorOf(outputs: GraphOutputs, length: number): Float32Array {
  const [first] = floatTensors(outputs);
  if (first === undefined || first[1].data.length !== length)
    throw unfit(outputs, `${length} scores, one a class name`);
  return first[1].data;
}

/** An error that says what the graph gave out and what was wanted. */
export function unfit({ modelId, tensors }: GraphOutputs, wanted: string): EngineError {
  const given = Object.entries(tensors).map(([name, { dims, type }]) => `${name} ${type} [${dims.join(", ")}]`);
  return modelError(
    `The model "${modelId}" gives ${given.join(" and ") || "nothing"}, and its description needs ${wanted}. Check architecture, task and class names in the description.`,
  );
}

function floatTensors({ tensors }: GraphOutputs): readonly (readonly [string, FloatTensor])[] {
  return Object.entries(tensors).flatMap(([name, tensor]) =>
    tensor.type === "float32" ? [[name, tensor] as const] : [],
  );
}

function toMatrix({ dims, data }: FloatTensor): Matrix | undefined {
  const [rows, columns] = dims.slice(-2);
  if (dims.length < 2 || dims.length > 3 || (dims.length === 3 && dims[0] !== 1)) return undefined;
  return { data, rows: rows!, columns: columns! };
}

/** `softmax`: they sum up to 1 · `sigmoid`: each for itself · `none`: they are scores already. */
export type ScoreRule = "softmax" | "sigmoid" | "none";

export function classScores(output: Float32Array, rule: ScoreRule): Float32Array {
  if (rule === "none") return output;
  if (rule === "sigmoid") return output.map((value) => 1 / (1 + Math.exp(-value)));
  const highest = output.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const shares = output.map((value) => Math.exp(value - highest));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}
