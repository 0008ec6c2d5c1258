// a model folder whose model says how red, green and blue a picture is
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeOnnx } from "../models/onnx/onnx-file.ts";
import { createOnnxBuilder, type OnnxGraph } from "../models/onnx/onnx-graph.ts";

/** Side of the picture that the model takes. */
const SIDE = 32;

/** Where the only box lies in it: middle, width, height. */
const BOX = Float32Array.of(16, 8, 16, 8);

export const COLOR_MODEL_DESCRIPTION = {
  task: "object-detection",
  architecture: "yolov8",
  classNames: ["red", "green", "blue"],
  input: { width: SIDE, height: SIDE },
};

/** One box in the middle above; the score of each class is the mean of its colour. Output as YOLOv8 has it: [1, 4 + 3, 1]. */
export function colorModel(): OnnxGraph {
  const builder = createOnnxBuilder();
  const mean = builder.add("GlobalAveragePool", ["images"]);
  const scores = builder.add("Reshape", [mean, builder.integers([1, 3, 1])]);
  const output = builder.add("Concat", [builder.floats(BOX, [1, 4, 1]), scores], { axis: 1 });
  return {
    name: "colors",
    nodes: builder.nodes,
    tensors: builder.tensors,
    inputs: [{ name: "images", type: "float32", dims: [1, 3, SIDE, SIDE] }],
    outputs: [{ name: output, type: "float32", dims: [1, 7, 1] }],
  };
}

/** `<folder>/<id>/` with these weights and this description. */
export function writeModelFolder(
  folder: string,
  id: string,
  weights: Uint8Array | string = writeOnnx(colorModel()),
  description: unknown = COLOR_MODEL_DESCRIPTION,
): void {
  const place = join(folder, id);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "weights.onnx"), weights);
  writeFileSync(join(place, "model.json"), typeof description === "string" ? description : JSON.stringify(description));
}
