// Pictures and uploads by hand: which are kept, which are shown

export { type ArtifactMeta, createArtifactRegistry, type RegisteredArtifact } from "./artifacts/artifact-registry.ts";
export { fitImage, type ImageLimits, type PreparedImage } from "./artifacts/image-preparer.ts";
export { createNoopArtifactStore } from "./artifacts/memory-artifact-store.ts";
export {
  DEFAULT_VISION_INPUT_LIMITS,
  storeVisionInputs,
  type VisionInputDeps,
  type VisionInputLimits,
} from "./artifacts/vision-input.ts";
export {
  DEFAULT_VISION_POLICY,
  selectImages,
  toVisionContext,
} from "./artifacts/vision-policy.ts";
export type { VisionContextItem } from "./types/message.ts";
