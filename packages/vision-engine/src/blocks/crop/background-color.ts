import { inputError } from "../../errors.ts";
import type { BlockValue } from "../block.ts";

/** 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** `#RRGGBB`, `#RGB`, `(r, g, b)` or three numbers. */
export function parseRgb(color: BlockValue | undefined): Rgb {
  if (Array.isArray(color) && color.length === 3) return color as unknown as Rgb;
  const text = typeof color === "string" ? color : "";
  const [, hex] = /^#([\da-f]{6}|[\da-f]{3})$/i.exec(text) ?? [];
  if (hex !== undefined) {
    const size = hex.length / 3;
    const part = (at: number): number => Number.parseInt(hex.slice(at * size, (at + 1) * size).repeat(3 - size), 16);
    return [part(0), part(1), part(2)];
  }
  const [, red, green, blue] = /^\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(text) ?? [];
  if (red !== undefined) return [Number(red), Number(green), Number(blue)];
  throw inputError(`${JSON.stringify(color)} is no colour: write "#RRGGBB", "(r, g, b)" or [r, g, b].`);
}
