// colour as a step writes it → red, green, blue
import { inputError } from "../../errors.ts";

/** 0 to 255 each. */
export interface Color {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

export const BLACK: Color = { r: 0, g: 0, b: 0 };
export const WHITE: Color = { r: 255, g: 255, b: 255 };
/** Of classes and tracks that are not known. */
export const GREY: Color = { r: 128, g: 128, b: 128 };

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
