// ids of CLIP, of detectors by words and of Florence-2 → models through @huggingface/transformers
import type { ModelsByTask, ModelTask } from "../model.ts";
import type { ModelFamily } from "../model-registry.ts";
import { openCaptioner } from "./captioner.ts";
import { openClip } from "./clip.ts";
import type { LoadTransformers } from "./transformers.ts";
import { openZeroShotDetector } from "./zero-shot-detector.ts";

/** Repositories of CLIP by the version that a step names. The RN versions have no export. */
const CLIP_REPOSITORIES: Readonly<Record<string, string>> = {
  "clip/ViT-B-16": "Xenova/clip-vit-base-patch16",
  "clip/ViT-B-32": "Xenova/clip-vit-base-patch32",
  "clip/ViT-L-14": "Xenova/clip-vit-large-patch14",
  "clip/ViT-L-14-336px": "Xenova/clip-vit-large-patch14-336",
};

const FLORENCE_REPOSITORIES: Readonly<Record<string, string>> = {
  "florence-2-base": "onnx-community/Florence-2-base-ft",
  "florence-2-large": "onnx-community/Florence-2-large-ft",
};

const WORD_DETECTOR = "Xenova/owlv2-base-patch16-ensemble";

/** Any repository can be named with this before it. */
const HUB_PREFIX = "huggingface/";

/** `clip/VERSION`, `yolo_world/VERSION`, `florence-2-base`, `florence-2-large`, and any repository as `huggingface/OWNER/NAME`. */
export function createTransformersModels(load: LoadTransformers): ModelFamily {
  return {
    ids: [...Object.keys(CLIP_REPOSITORIES), "yolo_world/v2-s", ...Object.keys(FLORENCE_REPOSITORIES)],
    open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> | undefined {
      return opening(id, task, load) as Promise<ModelsByTask[T]> | undefined;
    },
  };
}

function opening(id: string, task: ModelTask, load: LoadTransformers): Promise<ModelsByTask[ModelTask]> | undefined {
  const named = id.startsWith(HUB_PREFIX) ? id.slice(HUB_PREFIX.length) : undefined;
  if (task === "embedding") {
    const hubId = named ?? CLIP_REPOSITORIES[id];
    return hubId === undefined ? undefined : openClip({ id, hubId, load });
  }
  if (task === "captioning") {
    const hubId = named ?? FLORENCE_REPOSITORIES[id];
    return hubId === undefined ? undefined : openCaptioner({ id, hubId, load });
  }
  if (task !== "zero-shot-detection") return undefined;
  if (named !== undefined) return openZeroShotDetector({ id, hubId: named, load });
  if (!id.startsWith("yolo_world/")) return undefined;
  const note = `YOLO-World does not run here: OWLv2 stands in for "${id}", with other confidences.`;
  return openZeroShotDetector({ id, hubId: WORD_DETECTOR, load, note });
}
