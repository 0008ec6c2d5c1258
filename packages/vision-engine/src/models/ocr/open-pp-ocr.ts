// folder of weights → reader of text
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TextReadingModel } from "../model.ts";
import type { InferenceRuntime } from "../runtime/tensor-session.ts";
import { createPpOcr } from "./pp-ocr.ts";

export const TEXT_READER_ID = "vision-agent/ocr";

/** The folder holds `detection.onnx`, `recognition.onnx` and `characters.txt`. Throws `EngineError` kind `model`. */
export async function openPpOcr(folder: string, runtime: InferenceRuntime): Promise<TextReadingModel> {
  const keys = await readFile(join(folder, "characters.txt"), "utf8");
  const [detection, recognition] = await Promise.all(
    ["detection.onnx", "recognition.onnx"].map((file) => runtime.open(join(folder, file))),
  );
  return createPpOcr({ id: TEXT_READER_ID, detection: detection!, recognition: recognition!, keys });
}
