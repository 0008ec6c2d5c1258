// text → lines → pixels of a picture
import type { SKRSContext2D } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import { type FontName, registerFont } from "../../frames/font.ts";
import type { PixelSize } from "../../frames/frame.ts";
import type { BoxAnchor } from "../../geometry/boxes.ts";
import { createQueryCache } from "../../query/statements.ts";
import { type Block, type BlockInputs, numberOf, textOf } from "../block.ts";
import { fillTemplate, templateOf } from "../notify/notification.ts";
import { type Color, parseColor, toCss } from "./color.ts";
import { stateful } from "./drawing-block.ts";

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

/** Which part of the picture's width and height lies before an anchor. */
const ANCHORS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  top_left: [0, 0],
  top_center: [0.5, 0],
  top_right: [1, 0],
  center_left: [0, 0.5],
  center: [0.5, 0.5],
  center_right: [1, 0.5],
  bottom_left: [0, 1],
  bottom_center: [0.5, 1],
  bottom_right: [1, 1],
};

/** Height of letters above and below the line they stand on, and space between lines: parts of the font's size. */
const ABOVE = 0.73;
const BELOW = 0.24;
const BETWEEN = 0.25;

export const textDisplay: Block = {
  ...stateful({
    type: "text_display@v1",
    description: "Writes a text on the picture, with values of other steps in it.",
    phrase: "writes a text",
    start: (context) => {
      const queries = createQueryCache(context);
      return (inputs) => {
        const text = fillTemplate(templateOf(inputs, "text"), queries);
        const look = lookOf(inputs);
        return (canvas) => drawLines(canvas, text.split("\n"), look);
      };
    },
  }),
  stateless: true,
};

type Look = ReturnType<typeof lookOf>;

function lookOf(inputs: BlockInputs) {
  const background = textOf(inputs, "background_color");
  return {
    color: parseColor(textOf(inputs, "text_color")),
    /** Absent when the picture shows through. */
    background: background.toLowerCase() === "transparent" ? undefined : parseColor(background),
    opacity: numberOf(inputs, "background_opacity"),
    fontSize: fontSizeOf(numberOf(inputs, "font_scale")),
    font: fontOf(numberOf(inputs, "font_thickness")),
    padding: numberOf(inputs, "padding"),
    align: textOf(inputs, "text_align"),
    radius: numberOf(inputs, "border_radius"),
    corner: cornerOf(inputs),
  };
}

/** Left top corner of a box of some size on a picture of some size. */
function cornerOf(inputs: BlockInputs): (box: PixelSize, picture: PixelSize) => readonly [number, number] {
  if (inputs.position_mode === "absolute") {
    const [x, y] = [numberOf(inputs, "position_x"), numberOf(inputs, "position_y")];
    return () => [x, y];
  }
  const name = textOf(inputs, "anchor");
  const anchor = ANCHORS[name.toLowerCase()];
  if (anchor === undefined) {
    throw inputError(`"anchor" knows no "${name}": take one of ${Object.keys(ANCHORS).join(", ")}.`);
  }
  const [shiftX, shiftY] = [numberOf(inputs, "offset_x"), numberOf(inputs, "offset_y")];
  return (box, picture) => [
    Math.round(anchor[0] * (picture.width - box.width)) + shiftX,
    Math.round(anchor[1] * (picture.height - box.height)) + shiftY,
  ];
}

function drawLines(context: SKRSContext2D, lines: readonly string[], look: Look): void {
  const { fontSize, padding } = look;
  useFont(context, look.font, fontSize);
  const widths = lines.map((line) => context.measureText(line).width);
  const advance = fontSize * (ABOVE + BELOW) * (1 + BETWEEN);
  const textWidth = Math.max(...widths);
  const textHeight = lines.length * advance - fontSize * (ABOVE + BELOW) * BETWEEN;
  const box = { width: Math.ceil(textWidth) + 2 * padding, height: Math.ceil(textHeight) + 2 * padding };
  const [wantedX, wantedY] = look.corner(box, context.canvas);
  const left = Math.max(0, Math.min(wantedX, context.canvas.width - box.width));
  const top = Math.max(0, Math.min(wantedY, context.canvas.height - box.height));
  if (look.background !== undefined && look.opacity > 0) {
    context.globalAlpha = Math.min(1, look.opacity);
    context.fillStyle = toCss(look.background);
    context.beginPath();
    context.roundRect(left, top, box.width, box.height, Math.max(0, look.radius));
    context.fill();
    context.globalAlpha = 1;
  }
  context.fillStyle = toCss(look.color);
  const share = { left: 0, center: 0.5, right: 1 }[look.align] ?? 0;
  for (const [at, line] of lines.entries()) {
    const x = left + padding + share * (textWidth - widths[at]!);
    context.fillText(line, x, top + padding + at * advance + fontSize * ABOVE);
  }
}
