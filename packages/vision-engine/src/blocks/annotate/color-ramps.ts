import { type Color, ofHexDigits } from "./color.ts";
import { COLOR_RAMPS, COLOR_SETS } from "./color-ramps.data.ts";

export type RampName = keyof typeof COLOR_RAMPS;

/** 256 colours from low to high, 3 bytes each: red, green, blue. */
export function rampBytes(name: RampName): Uint8Array {
  return Buffer.from(COLOR_RAMPS[name], "base64");
}

/** Colours of a ramp or set at even distances; absent when there is none of that name. */
export function sampleColors(name: string, count: number): readonly Color[] | undefined {
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
