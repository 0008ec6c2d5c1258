// picture and what a step says → picture with something drawn over it
import type { Detections } from "../../frames/detections.ts";
import type { Draw, ImageValue } from "../../frames/image-value.ts";
import type { Block, BlockContext, BlockInputs, StepText } from "../block.ts";
import { detectionsOf, imageOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import type { Color } from "./color.ts";
import { createPalette } from "./palette.ts";

interface DrawingText {
  /** Type of the block without its plugin: `circle_visualization@v1`. */
  readonly type: string;
  readonly description: string;
  readonly phrase: string | ((step: StepText) => string);
}

/** Answers what is to be drawn, from the inputs of one frame; nothing leaves the picture as it is. */
type Prepare = (inputs: BlockInputs, image: ImageValue) => Draw | undefined;

export interface DrawingOptions extends DrawingText {
  readonly prepare: Prepare;
}

/** A block that draws over its input `image` and remembers nothing. */
export function drawingBlock({ prepare, ...text }: DrawingOptions): Block {
  return { ...stateful({ ...text, start: () => prepare }), stateless: true };
}

export interface StatefulDrawingOptions extends DrawingText {
  /** Called once for each step: what it remembers lives in here. */
  readonly start: (context: BlockContext) => Prepare;
}

/** A block that draws over its input `image` and remembers earlier frames. */
export function stateful({ type, description, phrase, start }: StatefulDrawingOptions): Block {
  return {
    manifest: manifestOf(`roboflow_core/${type}`),
    description,
    phrase: typeof phrase === "string" ? () => phrase : phrase,
    create: (context) => {
      const prepare = start(context);
      return {
        run(inputs) {
          const image = imageOf(inputs, "image");
          const draw = prepare(inputs, image);
          return { image: draw === undefined ? image : image.withDrawing(draw) };
        },
      };
    },
  };
}

/** What a drawing of coloured detections starts from. */
export interface ColoredDetections {
  readonly detections: Detections;
  readonly colorOf: (row: number) => Color;
  readonly inputs: BlockInputs;
  readonly image: ImageValue;
}

export interface ColoredDrawingOptions extends DrawingText {
  readonly prepare: (colored: ColoredDetections) => Draw | undefined;
}

/** A block that draws each of its `predictions` in a colour of the palette. */
export function coloredDrawingBlock({ prepare, ...text }: ColoredDrawingOptions): Block {
  return drawingBlock({
    ...text,
    prepare(inputs, image) {
      const detections = detectionsOf(inputs, "predictions");
      return prepare({ detections, colorOf: createPalette(inputs, detections), inputs, image });
    },
  });
}

/** Left, top, right and bottom of a row without fractions. */
export function wholeBox({ xyxy }: Detections, row: number): readonly [number, number, number, number] {
  const at = 4 * row;
  return [Math.trunc(xyxy[at]!), Math.trunc(xyxy[at + 1]!), Math.trunc(xyxy[at + 2]!), Math.trunc(xyxy[at + 3]!)];
}
