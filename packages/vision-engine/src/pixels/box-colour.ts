// the pixels of a box → what people would call its colour
import { type Colour, colourSchema } from "@vision-agent/protocol";
import type { PixelPicture } from "../frames/frame.ts";
import type { BoxXyxy } from "../geometry/boxes.ts";

/** Where a box shows the thing itself: somebody "in red" has a red top, and a red car is red below its windows. */
const MIDDLE = { left: 0.2, top: 0.3, right: 0.8, bottom: 0.7 };
const PARTS: Readonly<Record<string, typeof MIDDLE>> = {
  person: { left: 0.3, top: 0.2, right: 0.7, bottom: 0.45 },
  car: { left: 0.15, top: 0.45, right: 0.85, bottom: 0.75 },
};
/** Looked at are so many pixels across and down, however large the box is. */
const SAMPLES = 16;
/** Windows, tyres and shadows are grey on things of every colour, so that a colour needs no majority. */
const LEAST_SHARE = 0.25;
const COLOURS = colourSchema.options;
const PLAIN: ReadonlySet<Colour> = new Set(["black", "grey", "white"]);

/** Undefined for a box without pixels. */
export function colourOfBox(
  { rgba, width, height }: PixelPicture,
  [left, top, right, bottom]: BoxXyxy,
  className: string,
): Colour | undefined {
  const part = PARTS[className] ?? MIDDLE;
  const counts = new Map<Colour, number>();
  let seen = 0;
  for (let row = 0; row < SAMPLES; row++) {
    const y = Math.floor(top + (bottom - top) * place(part.top, part.bottom, row));
    if (y < 0 || y >= height) continue;
    for (let column = 0; column < SAMPLES; column++) {
      const x = Math.floor(left + (right - left) * place(part.left, part.right, column));
      if (x < 0 || x >= width) continue;
      const at = 4 * (y * width + x);
      const colour = colourOfPixel(rgba[at]!, rgba[at + 1]!, rgba[at + 2]!);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
      seen += 1;
    }
  }
  const most = COLOURS.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  const vivid = most.find((colour) => !PLAIN.has(colour))!;
  if (seen === 0) return undefined;
  return (counts.get(vivid) ?? 0) >= LEAST_SHARE * seen ? vivid : most.find((colour) => PLAIN.has(colour));
}

function place(from: number, to: number, step: number): number {
  return from + ((to - from) * (step + 0.5)) / SAMPLES;
}

/** Hues in degrees up to which a colour goes. */
const HUES: readonly (readonly [to: number, colour: Colour])[] = [
  [16, "red"],
  [42, "orange"],
  [68, "yellow"],
  [165, "green"],
  [255, "blue"],
  [290, "purple"],
  [342, "pink"],
  [360, "red"],
];

function colourOfPixel(red: number, green: number, blue: number): Colour {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  // In the dark and in the glare a little colour is noise.
  if (most < 50 || range < Math.max(24, 0.22 * most)) return greyOf(most);
  const colour = HUES.find(([to]) => hueOf(red, green, blue) < to)![1];
  if (colour === "orange" && most < 160) return "brown";
  if (colour === "red" && most > 180 && range < 0.5 * most) return "pink";
  return colour;
}

function greyOf(light: number): Colour {
  if (light < 75) return "black";
  return light > 190 ? "white" : "grey";
}

/** Degrees, 0 for red. The channels are not all the same. */
function hueOf(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (most === red) return (60 * ((green - blue) / range) + 360) % 360;
  return most === green ? 60 * (2 + (blue - red) / range) : 60 * (4 + (red - green) / range);
}
