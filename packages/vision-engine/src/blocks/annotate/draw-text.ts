import type { SKRSContext2D } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import { type FontName, registerFont } from "../../frames/font.ts";
import type { BoxAnchor } from "../../geometry/boxes.ts";
import { type Color, toCss } from "./color.ts";

/** How letters look. */
export interface TextLook {
  readonly color: Color;
  readonly background: Color;
  /** Height of a line's font in pixels. */
  readonly fontSize: number;
  readonly font: FontName;
  readonly padding: number;
  readonly borderRadius: number;
}

export interface TextBox extends TextLook {
  /** Lines are separated by line feeds. */
  readonly text: string;
  /** The point that the box touches, and where it lies as seen from there. */
  readonly x: number;
  readonly y: number;
  readonly anchor: BoxAnchor;
}

/** Size of our font at which capitals are as tall as the original's at scale 1. */
const PIXELS_AT_SCALE_1 = 30;
const CAPITAL_HEIGHT = 0.73;
const LINE_HEIGHT = 1.2;

/** Font size of a text scale; 1 gives capitals of about 22 pixels. */
export function fontSizeOf(scale: number): number {
  return PIXELS_AT_SCALE_1 * scale;
}

/** Thick strokes are drawn with the bold font. */
export function fontOf(thickness: number): FontName {
  return thickness > 2 ? "Vision Sans Bold" : "Vision Sans";
}

/** Text on a filled box. */
export function drawText(context: SKRSContext2D, box: TextBox): void {
  const { fontSize, padding } = box;
  useFont(context, box.font, fontSize);
  const lines = box.text.split("\n");
  const capital = fontSize * CAPITAL_HEIGHT;
  const width = Math.max(...lines.map((line) => context.measureText(line).width)) + 2 * padding;
  const height = capital + (lines.length - 1) * fontSize * LINE_HEIGHT + 2 * padding;
  const left = box.x + leftShift(box.anchor) * width;
  const top = box.y + topShift(box.anchor) * height;
  context.fillStyle = toCss(box.background);
  context.beginPath();
  context.roundRect(left, top, width, height, Math.max(0, box.borderRadius));
  context.fill();
  context.fillStyle = toCss(box.color);
  for (const [at, line] of lines.entries()) {
    context.fillText(line, left + padding, top + padding + capital + at * fontSize * LINE_HEIGHT);
  }
}

export function useFont(context: SKRSContext2D, font: FontName, fontSize: number): void {
  context.font = `${fontSize}px "${registerFont(font)}"`;
}

/** Breaks lines between words so that none is longer than `most` letters; a longer word is cut. */
export function wrapText(text: string, most: number): string {
  if (!(most > 0)) throw inputError(`Lines need at least one letter, not ${most}.`);
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => wrapLine(line, most).join("\n"))
    .join("\n");
}

function wrapLine(line: string, most: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/\s+/).flatMap((long) => cut(long, most))) {
    if (current !== "" && current.length + 1 + word.length > most) {
      lines.push(current);
      current = word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}

function cut(word: string, most: number): readonly string[] {
  return Array.from({ length: Math.max(1, Math.ceil(word.length / most)) }, (_, at) =>
    word.slice(at * most, (at + 1) * most),
  );
}

/** Outside the object at the sides, flush with it at the corners. */
function leftShift(anchor: BoxAnchor): number {
  if (anchor === "CENTER_LEFT" || anchor === "TOP_RIGHT" || anchor === "BOTTOM_RIGHT") return -1;
  return anchor.endsWith("CENTER") ? -0.5 : 0;
}

function topShift(anchor: BoxAnchor): number {
  if (anchor.startsWith("TOP")) return -1;
  return anchor.startsWith("BOTTOM") ? 0 : -0.5;
}
