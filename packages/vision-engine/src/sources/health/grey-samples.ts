// frame → grey points on a grid, and a thumbnail of their averages

/** What health looks at instead of the whole picture. */
export interface GreySamples {
  /** One value 0 to 255 for each point of the grid. */
  readonly points: Uint8Array;
  /** Averages of `THUMB_WIDTH` × `THUMB_HEIGHT` cells, rows from the top. */
  readonly thumb: Float32Array;
}

export const THUMB_WIDTH = 64;
export const THUMB_HEIGHT = 36;

/** Enough to see the digits of a clock change, few enough to cost a fraction of a millisecond. */
const MOST_POINTS = 60_000;

interface PictureLike {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

export function sampleGrey({ rgba, width, height }: PictureLike): GreySamples {
  const step = Math.max(1, Math.ceil(Math.sqrt((width * height) / MOST_POINTS)));
  const [across, down] = [Math.ceil(width / step), Math.ceil(height / step)];
  const points = new Uint8Array(across * down);
  const thumb = new Float32Array(THUMB_WIDTH * THUMB_HEIGHT);
  const counts = new Uint16Array(THUMB_WIDTH * THUMB_HEIGHT);
  const cellOf = Uint8Array.from({ length: across }, (_, column) => Math.floor((column * THUMB_WIDTH) / across));
  let index = 0;
  for (let row = 0; row < down; row++) {
    const cellRow = Math.floor((row * THUMB_HEIGHT) / down) * THUMB_WIDTH;
    let at = row * step * width * 4;
    for (let column = 0; column < across; column++) {
      const grey = (rgba[at]! * 77 + rgba[at + 1]! * 150 + rgba[at + 2]! * 29) >> 8;
      const cell = cellRow + cellOf[column]!;
      points[index++] = grey;
      thumb[cell]! += grey;
      counts[cell]! += 1;
      at += step * 4;
    }
  }
  for (let cell = 0; cell < thumb.length; cell++) thumb[cell]! /= Math.max(1, counts[cell]!);
  return { points, thumb };
}

/** Whether two pictures are the same but for rounding: a camera's noise is larger. */
export function samePicture(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) {
    if (Math.abs(one[index]! - other[index]!) > 1) return false;
  }
  return true;
}

/** How far the dark parts of a picture are from its bright ones, in grey levels; captions and lamps are left out. */
export function greySpread(thumb: Float32Array): number {
  const histogram = new Uint16Array(256);
  for (const grey of thumb) histogram[Math.round(grey)]! += 1;
  return levelBelow(histogram, thumb.length * 0.95) - levelBelow(histogram, thumb.length * 0.05);
}

/** The grey level below which so many cells lie. */
function levelBelow(histogram: Uint16Array, cells: number): number {
  let seen = 0;
  const level = histogram.findIndex((count) => {
    seen += count;
    return seen > cells;
  });
  return Math.max(0, level);
}
