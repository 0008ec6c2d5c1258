import type { ImageValue } from "../../frames/image-value.ts";
import type { Block, BlockInputs, StepText } from "../block.ts";
import { imageOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export interface PictureFilter {
  readonly type: string;
  readonly description: string;
  readonly phrase: (step: StepText) => string;
  readonly apply: (image: ImageValue, inputs: BlockInputs) => ImageValue;
}

/** A block that makes one picture of another and remembers nothing. */
export function pictureFilterBlock({ type, description, phrase, apply }: PictureFilter): Block {
  return {
    manifest: manifestOf(type),
    description,
    stateless: true,
    phrase,
    create: () => ({ run: (inputs) => ({ image: apply(imageOf(inputs, "image"), inputs) }) }),
  };
}
