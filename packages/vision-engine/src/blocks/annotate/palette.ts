import { EngineError } from "../../errors.ts";
import type { Detections } from "../../frames/detections.ts";
import type { BlockInputs } from "../block.ts";
import { textOf, textsOf } from "../block-inputs.ts";

const PALETTES: Readonly<Record<string, readonly string[]>> = {
  DEFAULT: [
    ..."A351FB FF4040 FFA1A0 FF7633 FFB633 D1D435 4CFB12 94CF1A 40DE8A 1B9640 00D6C1".split(" "),
    ..."2E9CAA 00C4FF 364797 6675FF 0019EF 863AFF 530087 CD3AFF FF97CA FF39C9".split(" "),
  ].map((digits) => `#${digits}`),
  ROBOFLOW: "C28DFC A351FB 8315F9 6706CE 5905B3 4D049A".split(" ").map((digits) => `#${digits}`),
};

const NAMED: Readonly<Record<string, string>> = {
  WHITE: "#FFFFFF",
  BLACK: "#000000",
  GREY: "#808080",
  RED: "#FF0000",
  GREEN: "#00FF00",
  BLUE: "#0000FF",
  YELLOW: "#FFFF00",
  ROBOFLOW: "#A351FB",
};

/** The colour of each row, as a CSS colour. */
export function createPalette(inputs: BlockInputs, detections: Detections): (row: number) => string {
  const colors = paletteOf(inputs);
  const axis = textOf(inputs, "color_axis");
  const { trackerId, classId } = detections;
  if (axis === "TRACK" && trackerId === undefined && detections.length > 0) {
    throw new EngineError({ kind: "input", message: "Colours by track need detections from a tracker." });
  }
  return (row) => {
    if (axis === "INDEX") return colorAt(colors, row);
    return colorAt(colors, (axis === "TRACK" ? trackerId?.[row] : classId[row]) ?? -1);
  };
}

/** `#RRGGBB`, `rgb(r, g, b)`, `bgr(b, g, r)` or a name, as a CSS colour. */
export function toCssColor(color: string): string {
  const text = color.trim();
  if (/^#[\da-f]{6}$/i.test(text)) return text;
  const [, order, ...parts] = /^(rgb|bgr)\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)$/i.exec(text) ?? [];
  if (order !== undefined) {
    const [red, green, blue] = order.toLowerCase() === "bgr" ? parts.reverse() : parts;
    return `rgb(${red}, ${green}, ${blue})`;
  }
  const named = NAMED[text.toUpperCase()];
  if (named !== undefined) return named;
  throw new EngineError({ kind: "input", message: `"${color}" is no colour: write #RRGGBB or rgb(r, g, b).` });
}

function paletteOf(inputs: BlockInputs): readonly string[] {
  const name = textOf(inputs, "color_palette");
  const colors = name === "CUSTOM" ? textsOf(inputs, "custom_colors")?.map(toCssColor) : PALETTES[name];
  if (colors !== undefined && colors.length > 0) return colors;
  throw new EngineError({
    kind: "input",
    message:
      name === "CUSTOM"
        ? `The palette CUSTOM needs at least one colour in "custom_colors".`
        : `The palette "${name}" is not available in the direct backend: use ${Object.keys(PALETTES).join(", ")} or CUSTOM.`,
  });
}

/** Unknown classes and tracks are grey. */
function colorAt(colors: readonly string[], index: number): string {
  return index < 0 ? NAMED.GREY! : colors[index % colors.length]!;
}
