// picture and detections → picture with their areas tinted
import { averageBlur } from "../../pixels/blur.ts";
import { createPlane, joinColors, type Plane, toGrey } from "../../pixels/plane.ts";
import { type Block, type BlockInputs, detectionsOf, numberWithin, textOf } from "../block.ts";
import { parseColor, toCss } from "./color.ts";
import {
  type ColoredDetections,
  coloredDrawingBlock,
  coverageOf,
  drawingBlock,
  editPixels,
  largestFirst,
  masksOf,
  mixInto,
  visitRuns,
  wholeBox,
  withLayer,
} from "./drawing-block.ts";

export const colorVisualization: Block = coloredDrawingBlock({
  type: "color_visualization@v1",
  description: "Fills the box of each detection with colour.",
  phrase: "colours the boxes",
  prepare: ({ detections, colorOf, inputs }) => {
    const opacity = opacityOf(inputs);
    return (context) =>
      withLayer(context, opacity, (layer) => {
        for (let row = 0; row < detections.length; row++) {
          const [left, top, right, bottom] = wholeBox(detections, row);
          layer.fillStyle = toCss(colorOf(row));
          layer.fillRect(left, top, right - left + 1, bottom - top + 1);
        }
      });
  },
});

export const maskVisualization: Block = coloredDrawingBlock({
  type: "mask_visualization@v1",
  description: "Fills the mask of each detection with colour.",
  phrase: "colours the masks",
  prepare: (colored) => {
    if (masksOf(colored.detections) === undefined) return undefined;
    const opacity = opacityOf(colored.inputs);
    return (context) =>
      editPixels(context, (rgba) => {
        const rows = topRows(colored);
        for (let pixel = 0; pixel < rows.length; pixel++) {
          if (rows[pixel]! >= 0) mixInto(rgba, 4 * pixel, colored.colorOf(rows[pixel]!), opacity);
        }
      });
  },
});

/** The row that lies on top at each pixel, small things over large ones; -1 where there is none. */
function topRows({ detections, image }: ColoredDetections): Int32Array {
  const rows = new Int32Array(image.width * image.height).fill(-1);
  for (const row of largestFirst(detections)) visitRuns(detections, row, image, (from, to) => rows.fill(row, from, to));
  return rows;
}

export const backgroundColorVisualization: Block = drawingBlock({
  type: "background_color_visualization@v1",
  description: "Tints everything outside of the detections.",
  phrase: "tints the background",
  prepare: (inputs, image) => {
    const detections = detectionsOf(inputs, "predictions");
    const color = parseColor(textOf(inputs, "color"));
    const opacity = opacityOf(inputs);
    return (context) =>
      editPixels(context, (rgba) => {
        const covered = coverageOf(detections, image);
        for (let pixel = 0; pixel < covered.length; pixel++) {
          if (covered[pixel] === 0) mixInto(rgba, 4 * pixel, color, opacity);
        }
      });
  },
});

export const modelComparisonVisualization: Block = drawingBlock({
  type: "model_comparison_visualization@v1",
  description: "Shows what only one of two models found, each in its colour, and darkens what neither found.",
  phrase: "compares what the two models found",
  prepare: (inputs, image) => {
    const [one, other] = [detectionsOf(inputs, "predictions_a"), detectionsOf(inputs, "predictions_b")];
    // By which of the two found something: neither, only the first, only the second, both.
    const colors = [
      parseColor(textOf(inputs, "background_color")),
      parseColor(textOf(inputs, "color_a")),
      parseColor(textOf(inputs, "color_b")),
      undefined,
    ];
    const opacity = opacityOf(inputs);
    return (context) =>
      editPixels(context, (rgba) => {
        const [first, second] = [coverageOf(one, image), coverageOf(other, image)];
        for (let pixel = 0; pixel < first.length; pixel++) {
          const color = colors[first[pixel]! + 2 * second[pixel]!];
          if (color !== undefined) mixInto(rgba, 4 * pixel, color, opacity);
        }
      });
  },
});

/** v1 glows around boxes where there are no masks; v2 needs masks and fades the glow in. */
export const haloVisualizationV1 = haloVisualization("v1");
export const haloVisualizationV2 = haloVisualization("v2");

function haloVisualization(version: "v1" | "v2"): Block {
  return coloredDrawingBlock({
    type: `halo_visualization@${version}`,
    description: "Lets each detection glow in its colour.",
    phrase: "draws halos",
    prepare: (colored) => {
      const { detections, inputs } = colored;
      if (detections.length === 0 || (version === "v2" && masksOf(detections) === undefined)) return undefined;
      const opacity = opacityOf(inputs);
      const kernelSize = kernelOf(inputs);
      return (context) =>
        editPixels(context, (rgba) => {
          const glow = glowOf(colored, kernelSize);
          if (glow.strongest > 0) mixGlow(rgba, glow, { opacity, fadesIn: version === "v2" });
        });
    },
  });
}

interface Glow {
  /** Red, green and blue. */
  readonly colors: readonly Plane[];
  readonly strength: Uint8Array;
  readonly strongest: number;
}

function mixGlow(
  rgba: Uint8ClampedArray,
  { colors, strength, strongest }: Glow,
  { opacity, fadesIn }: { readonly opacity: number; readonly fadesIn: boolean },
): void {
  for (let pixel = 0; pixel < strength.length; pixel++) {
    const weight = (opacity * strength[pixel]!) / strongest;
    const added = fadesIn ? weight : opacity;
    for (let channel = 0; channel < 3; channel++) {
      const at = 4 * pixel + channel;
      rgba[at] = Math.trunc(rgba[at]! * (1 - weight) + colors[channel]!.data[pixel]! * added);
    }
  }
}

/** Blurred colours outside of the detections, and how bright they are there. */
function glowOf(colored: ColoredDetections, kernelSize: number): Glow {
  const { width, height } = colored.image;
  const rows = topRows(colored);
  const colors = (["r", "g", "b"] as const).map((channel) => {
    const plane = createPlane(width, height);
    for (let pixel = 0; pixel < rows.length; pixel++) {
      if (rows[pixel]! >= 0) plane.data[pixel] = colored.colorOf(rows[pixel]!)[channel];
    }
    return averageBlur(plane, kernelSize);
  });
  for (const { data } of colors)
    for (let pixel = 0; pixel < rows.length; pixel++) if (rows[pixel]! >= 0) data[pixel] = 0;
  const strength = toGrey(joinColors(colors as [Plane, Plane, Plane]), width, height).data;
  return { colors, strength, strongest: strength.reduce((most, value) => Math.max(most, value), 0) };
}

export function opacityOf(inputs: BlockInputs): number {
  return numberWithin(inputs, "opacity", 0, 1);
}

export function kernelOf(inputs: BlockInputs): number {
  return Math.trunc(numberWithin(inputs, "kernel_size", 1));
}
