// several pictures → one picture that shows them side by side
import { createCanvas } from "@napi-rs/canvas";
import { inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { joinColors, splitColors } from "../../pixels/plane.ts";
import { resizeArea } from "../../pixels/resize-area.ts";
import { Batch } from "../batch.ts";
import type { Block, BlockContext, BlockOutputs, BlockValue } from "../block.ts";
import { numberOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { canvasOf } from "./canvas-pixels.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

export const gridVisualization: Block = {
  manifest: manifestOf("roboflow_core/grid_visualization@v1"),
  description: "Shows several pictures side by side in one.",
  phrase: () => "shows the pictures side by side",
  stateless: true,
  create: (context) => ({
    run(inputs): BlockOutputs {
      const size = { width: numberOf(inputs, "width"), height: numberOf(inputs, "height") };
      if (!(size.width >= 1 && size.height >= 1)) throw inputError(`"width" and "height" must be at least 1.`);
      const images = flattened(inputs.images ?? null);
      return { image: gridOf(images, size, context) };
    },
  }),
};

/** Pictures and lists of pictures in one list; gaps stay. */
function flattened(value: BlockValue): readonly BlockValue[] {
  const items: readonly BlockValue[] = value instanceof Batch ? value.items : ((value ?? []) as readonly BlockValue[]);
  return items.flatMap((item) => (Array.isArray(item) ? (item as BlockValue[]) : [item]));
}

function gridOf(images: readonly BlockValue[], size: Size, { newId }: BlockContext): ImageValue {
  const first = images.find((image) => image instanceof ImageValue);
  const parent = { id: newId(), x: 0, y: 0, ...size };
  const clear = { ...size, rgba: new Uint8ClampedArray(4 * size.width * size.height) };
  for (let at = 3; at < clear.rgba.length; at += 4) clear.rgba[at] = 255;
  if (first === undefined) return new ImageValue({ ...clear, parent });
  const perSide = Math.ceil(Math.sqrt(images.length));
  const cell = { width: Math.floor(size.width / perSide), height: Math.floor(size.height / perSide) };
  return first.withPixels(clear).withDrawing((context) => {
    for (const [at, image] of images.entries()) {
      if (!(image instanceof ImageValue)) continue;
      const thumbnail = fitted(image, cell);
      const x = (at % perSide) * cell.width + Math.floor((cell.width - thumbnail.width) / 2);
      const y = Math.trunc(at / perSide) * cell.height + Math.floor((cell.height - thumbnail.height) / 2);
      context.drawImage(thumbnail, x, y);
    }
  });
}

/** As large as the cell allows, with its proportions. */
function fitted(image: ImageValue, cell: Size) {
  const scale = Math.min(cell.width / image.width, cell.height / image.height);
  const [width, height] = [Math.trunc(image.width * scale), Math.trunc(image.height * scale)];
  if (width === 0 || height === 0) return createCanvas(1, 1);
  const [red, green, blue] = splitColors(image.rgba, image.width, image.height);
  const planes = [
    resizeArea(red, width, height),
    resizeArea(green, width, height),
    resizeArea(blue, width, height),
  ] as const;
  return canvasOf(joinColors(planes), width, height);
}
