// answer of a language model → classification
import type { Block } from "../block.ts";
import { imageOf, textsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { decodeVlmClassification } from "./vlm-classification.ts";

export const vlmAsClassifierV1 = vlmAsClassifier("v1");
export const vlmAsClassifierV2 = vlmAsClassifier("v2");

function vlmAsClassifier(version: string): Block {
  return {
    manifest: manifestOf(`roboflow_core/vlm_as_classifier@${version}`),
    description: "Reads the classes in the answer of a vision-language model.",
    stateless: true,
    phrase: () => "reads classes out of the answer",
    create: ({ newId }) => ({
      run(inputs) {
        const inferenceId = newId();
        const predictions = decodeVlmClassification(inputs.vlm_output, {
          image: imageOf(inputs, "image"),
          classes: textsOf(inputs, "classes") ?? [],
          inferenceId,
        });
        return { error_status: predictions === undefined, predictions: predictions ?? null, inference_id: inferenceId };
      },
    }),
  };
}
