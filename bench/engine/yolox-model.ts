// the detector alone in a file → a model folder of our own
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { COCO_CLASSES } from "../../packages/vision-engine/src/index.ts";
import type { Material } from "./machine.ts";

/** Gives the folder in which the model is `bench/yolox`. */
export async function makeModelFolder({ detector }: Material, folder: string): Promise<string> {
  const models = join(folder, "models");
  const home = join(models, "bench/yolox");
  await mkdir(home, { recursive: true });
  await symlink(resolve(detector), join(home, "weights.onnx"));
  const input = { width: 416, height: 416, resize: "letterbox-corner", colors: "bgr", scale: 1 };
  const description = { task: "object-detection", architecture: "yolox", classNames: COCO_CLASSES, input };
  await writeFile(join(home, "model.json"), JSON.stringify(description));
  return models;
}
