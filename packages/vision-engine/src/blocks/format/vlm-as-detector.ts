// answer of a language model → detections
import type { Detections } from "../../frames/detections.ts";
import type { Block } from "../block.ts";
import { imageOf, textOf, textsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { isFlorenceTask, readFlorenceAnswer } from "./florence-answer.ts";
import { extractJsonPayload, salvageBoxes } from "./json-in-text.ts";
import {
  type AnswerReader,
  readClaudeAnswer,
  readGeminiAnswer,
  readGrokAnswer,
  readMuseAnswer,
  readOpenaiAnswer,
  readQwenAnswer,
} from "./provider-answers.ts";
import { toVlmDetections, type VlmSetting } from "./vlm-detections.ts";

export const vlmAsDetectorV1 = vlmAsDetector("v1", {
  "google-gemini": readGeminiAnswer,
  "anthropic-claude": readGeminiAnswer,
});
export const vlmAsDetectorV2 = vlmAsDetector("v2", {
  openai: readOpenaiAnswer,
  "google-gemini": readGeminiAnswer,
  "anthropic-claude": readClaudeAnswer,
  spacexai: readGrokAnswer,
  qwen: readQwenAnswer,
  muse: readMuseAnswer,
  zai: readQwenAnswer,
  "zai-flash": readQwenAnswer,
});

interface Answer {
  readonly text: unknown;
  readonly model: string;
  readonly task: string;
}

function vlmAsDetector(version: string, readers: Readonly<Record<string, AnswerReader>>): Block {
  return {
    manifest: manifestOf(`roboflow_core/vlm_as_detector@${version}`),
    description: "Reads the boxes in the answer of a vision-language model.",
    stateless: true,
    phrase: () => "reads boxes out of the answer",
    create: ({ newId }) => ({
      run(inputs) {
        const setting = {
          image: imageOf(inputs, "image"),
          classes: textsOf(inputs, "classes"),
          inferenceId: newId(),
          newId,
        };
        const answer = {
          text: inputs.vlm_output,
          model: textOf(inputs, "model_type"),
          task: textOf(inputs, "task_type"),
        };
        const predictions = readAnswer(answer, readers, setting);
        return {
          error_status: predictions === undefined,
          predictions: predictions ?? null,
          inference_id: setting.inferenceId,
        };
      },
    }),
  };
}

/** Absent when it cannot be read: an answer never stops a workflow. */
function readAnswer(
  { text, model, task }: Answer,
  readers: Readonly<Record<string, AnswerReader>>,
  setting: Omit<VlmSetting, "classes"> & { readonly classes: readonly string[] | undefined },
): Detections | undefined {
  const salvaged = model === "muse" ? salvageBoxes(String(text)) : [];
  const payload = extractJsonPayload(text) ?? (salvaged.length > 0 ? salvaged : undefined);
  const { classes } = setting;
  const read = readers[model];
  try {
    if (payload === undefined) return undefined;
    if (model === "florence-2" && isFlorenceTask(task)) {
      return readFlorenceAnswer(payload, task, { ...setting, classes: classes ?? [] });
    }
    if (read === undefined || task !== "object-detection" || classes === undefined) return undefined;
    return toVlmDetections(read(payload, setting.image), { ...setting, classes });
  } catch {
    return undefined;
  }
}
