// options of a step → the colour of each detection
import { inputError } from "../../errors.ts";
import type { Detections } from "../../frames/detections.ts";
import type { BlockInputs } from "../block.ts";
import { numberOr, textOf, textsOf } from "../block-inputs.ts";
import { type Color, GREY, ofHexDigits, parseColor } from "./color.ts";
import { sampleColors } from "./color-ramps.ts";

const OWN: Readonly<Record<string, readonly Color[]>> = {
  DEFAULT: [
    ..."A351FB FF4040 FFA1A0 FF7633 FFB633 D1D435 4CFB12 94CF1A 40DE8A 1B9640 00D6C1".split(" "),
    ..."2E9CAA 00C4FF 364797 6675FF 0019EF 863AFF 530087 CD3AFF FF97CA FF39C9".split(" "),
  ].map(ofHexDigits),
  ROBOFLOW: "C28DFC A351FB 8315F9 6706CE 5905B3 4D049A".split(" ").map(ofHexDigits),
};

/** The colour of each row, by its position, class or track. Unknown classes and tracks are grey. */
export function createPalette(inputs: BlockInputs, detections: Detections): (row: number) => Color {
  const colors = paletteOf(inputs);
  const axis = textOf(inputs, "color_axis");
  const { trackerId, classId, length } = detections;
  if (axis === "TRACK" && trackerId === undefined && length > 0) {
    throw inputError("Colours by track need detections from a tracker.");
  }
  if (axis === "CLASS" && classId === undefined && length > 0) {
    throw inputError(`Colours by class need detections with classes: set "color_axis" to INDEX.`);
  }
  return (row) => {
    if (axis === "INDEX") return colors[row % colors.length]!;
    const index = (axis === "TRACK" ? trackerId : classId)![row]!;
    return index < 0 ? GREY : colors[index % colors.length]!;
  };
}

function paletteOf(inputs: BlockInputs): readonly Color[] {
  const name = textOf(inputs, "color_palette");
  if (name === "CUSTOM") {
    const colors = textsOf(inputs, "custom_colors")?.map(parseColor) ?? [];
    if (colors.length > 0) return colors;
    throw inputError(`The palette CUSTOM needs at least one colour in "custom_colors".`);
  }
  const size = Math.trunc(numberOr(inputs, "palette_size", 10));
  if (size < 1) throw inputError(`"palette_size" must be at least 1, not ${size}.`);
  const colors = OWN[name] ?? sampleColors(name.replace("Matplotlib ", ""), size);
  if (colors !== undefined) return colors;
  throw inputError(`There is no palette "${name}": take ${Object.keys(OWN).join(", ")}, CUSTOM or one of Matplotlib.`);
}
