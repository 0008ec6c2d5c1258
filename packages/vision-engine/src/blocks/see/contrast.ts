import { inputError } from "../../errors.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { equalizeAdaptive, equalizeAdaptiveColor } from "../../pixels/adaptive-equalization.ts";
import { enhanceContrast, equalizeHistogram, stretchContrast } from "../../pixels/contrast.ts";
import type { Plane } from "../../pixels/plane.ts";
import { numberOf, textOf } from "../block-inputs.ts";
import { colorPlanesOf, planesOf, withPlanes } from "./image-planes.ts";
import { pictureFilterBlock } from "./picture-filter.ts";

/** Largest share of one bin in a tile of the adaptive equalisation. */
const ADAPTIVE_CLIP = 0.03;
/** Exponent that brightens the middle tones. */
const BRIGHTENING = 1 / 1.3;

export const contrastEqualization = pictureFilterBlock({
  type: "roboflow_core/contrast_equalization@v1",
  description: "Evens out the contrast of a picture: stretching, histogram or adaptive equalisation.",
  phrase: () => "evens out the contrast",
  apply: (image, inputs) => withPlanes(image, equalized(image, textOf(inputs, "equalization_type"))),
});

function equalized(image: ImageValue, kind: string): readonly Plane[] {
  switch (kind) {
    case "Contrast Stretching":
      return stretchContrast(planesOf(image));
    case "Histogram Equalization":
      return equalizeHistogram(planesOf(image));
    case "Adaptive Equalization":
      return image.channels === 1
        ? planesOf(image).map((plane) => equalizeAdaptive(plane, ADAPTIVE_CLIP))
        : equalizeAdaptiveColor(colorPlanesOf(image), ADAPTIVE_CLIP);
    default:
      throw inputError(`contrast equalization type \`${kind}\` not implemented!`);
  }
}

export const contrastEnhancement = pictureFilterBlock({
  type: "roboflow_core/contrast_enhancement@v1",
  description:
    "Spreads the levels of each colour over the whole range, strengthens the contrast and brightens middle tones.",
  phrase: () => "enhances the contrast",
  apply: (image, inputs) => {
    const options = {
      clipPercent: numberOf(inputs, "clip_limit"),
      multiplier: numberOf(inputs, "contrast_multiplier"),
      gamma: inputs.normalize_brightness === true ? BRIGHTENING : 1,
    };
    return withPlanes(
      image,
      planesOf(image).map((plane) => enhanceContrast(plane, options)),
    );
  },
});
