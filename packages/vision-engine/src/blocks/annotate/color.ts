// colour as a step writes it → red, green, blue
import { inputError } from "../../errors.ts";
import type { DetectionTable } from "../../frames/detections.ts";
import { type BlockInputs, numberOr, textOf, textsOf } from "../block.ts";
import { COLOR_RAMPS, COLOR_SETS } from "./color-ramps.data.ts";

/** 0 to 255 each. */
export interface Color {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

export const BLACK: Color = { r: 0, g: 0, b: 0 };
export const WHITE: Color = { r: 255, g: 255, b: 255 };
/** Of classes and tracks that are not known. */
const GREY: Color = { r: 128, g: 128, b: 128 };

const NAMED: Readonly<Record<string, Color>> = {
  WHITE,
  BLACK,
  GREY,
  RED: { r: 255, g: 0, b: 0 },
  GREEN: { r: 0, g: 255, b: 0 },
  BLUE: { r: 0, g: 0, b: 255 },
  YELLOW: { r: 255, g: 255, b: 0 },
  ROBOFLOW: { r: 163, g: 81, b: 251 },
};

/** `#RRGGBB`, `#RGB`, `rgb(r, g, b)`, `bgr(b, g, r)` or a name. Throws a sentence when it is none of them. */
export function parseColor(text: string): Color {
  const trimmed = text.trim();
  const hex = /^#([\da-f]{6}|[\da-f]{3})$/i.exec(trimmed)?.[1];
  if (hex !== undefined) return ofHexDigits(hex.length === 3 ? hex.replace(/./g, "$&$&") : hex);
  const [, order, ...parts] = /^(rgb|bgr)\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)$/i.exec(trimmed) ?? [];
  if (order !== undefined) {
    const [r, g, b] = (order.toLowerCase() === "bgr" ? parts.reverse() : parts).map(Number);
    return { r: r!, g: g!, b: b! };
  }
  const named = NAMED[trimmed.toUpperCase()];
  if (named !== undefined) return named;
  throw inputError(`"${text}" is no colour: write #RRGGBB, rgb(r, g, b) or one of ${Object.keys(NAMED).join(", ")}.`);
}

/** Of six digits: `A351FB`. */
export function ofHexDigits(digits: string): Color {
  const value = Number.parseInt(digits, 16);
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 };
}

/** For a canvas. */
export function toCss({ r, g, b }: Color): string {
  return `rgb(${r}, ${g}, ${b})`;
}

export type RampName = keyof typeof COLOR_RAMPS;

/** 256 colours from low to high, 3 bytes each: red, green, blue. */
export function rampBytes(name: RampName): Uint8Array {
  return Buffer.from(COLOR_RAMPS[name], "base64");
}

/** Colours of a ramp or set at even distances; absent when there is none of that name. */
function sampleColors(name: string, count: number): readonly Color[] | undefined {
  const colors = colorsOf(name.toLowerCase());
  if (colors === undefined) return undefined;
  return Array.from({ length: count }, (_, at) => {
    const position = count === 1 ? 0 : at / (count - 1);
    return colors[Math.min(colors.length - 1, Math.trunc(position * colors.length))]!;
  });
}

function colorsOf(name: string): readonly Color[] | undefined {
  if (name in COLOR_SETS) return COLOR_SETS[name as keyof typeof COLOR_SETS].split(" ").map(ofHexDigits);
  if (!(name in COLOR_RAMPS)) return undefined;
  const bytes = rampBytes(name as RampName);
  return Array.from({ length: 256 }, (_, at) => ({ r: bytes[3 * at]!, g: bytes[3 * at + 1]!, b: bytes[3 * at + 2]! }));
}

const OWN: Readonly<Record<string, readonly Color[]>> = {
  DEFAULT: [
    ..."A351FB FF4040 FFA1A0 FF7633 FFB633 D1D435 4CFB12 94CF1A 40DE8A 1B9640 00D6C1".split(" "),
    ..."2E9CAA 00C4FF 364797 6675FF 0019EF 863AFF 530087 CD3AFF FF97CA FF39C9".split(" "),
  ].map(ofHexDigits),
  ROBOFLOW: "C28DFC A351FB 8315F9 6706CE 5905B3 4D049A".split(" ").map(ofHexDigits),
};

/** The colour of each row, by its position, class or track. Unknown classes and tracks are grey. */
export function createPalette(inputs: BlockInputs, detections: DetectionTable): (row: number) => Color {
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
