import { type ColorPlanes, toLevel } from "./plane.ts";

export interface DominantColorOptions {
  /** Number of groups of like colours. */
  readonly clusters: number;
  readonly maxIterations: number;
  /** About how many pixels of the shorter side are looked at. */
  readonly targetSize: number;
  /** 0 up to 1; picks the colours to start from. */
  readonly random: () => number;
}

type Color = [red: number, green: number, blue: number];

/** Mean colour of the largest group of like colours (k-means), red, green, blue. */
export function dominantColor(planes: ColorPlanes, options: DominantColorOptions): Color {
  const pixels = sample(planes, options.targetSize);
  const clusters = Math.min(options.clusters, pixels.length / 3);
  let centers: Float64Array = startingColors(pixels, clusters, options.random);
  let counts: Float64Array = new Float64Array(clusters);
  for (let iteration = 0; iteration < options.maxIterations; iteration++) {
    const groups = groupPixels(pixels, centers, options.random);
    counts = groups.counts;
    if (areClose(centers, groups.centers)) break;
    centers = groups.centers;
  }
  const largest = 3 * counts.indexOf(Math.max(...counts));
  return [toLevel(centers[largest]!), toLevel(centers[largest + 1]!), toLevel(centers[largest + 2]!)];
}

/** Red, green and blue of every n-th pixel of every n-th row. */
function sample([red, green, blue]: ColorPlanes, targetSize: number): Uint8Array {
  const { width, height } = red;
  const step = Math.max(1, Math.floor(Math.min(width, height) / targetSize));
  const pixels = new Uint8Array(3 * Math.ceil(width / step) * Math.ceil(height / step));
  let to = 0;
  for (let y = 0; y < height; y += step) {
    for (let x = 0; x < width; x += step) {
      const at = y * width + x;
      pixels[to++] = red.data[at]!;
      pixels[to++] = green.data[at]!;
      pixels[to++] = blue.data[at]!;
    }
  }
  return pixels;
}

/** Colours of different pixels, drawn at random. */
function startingColors(pixels: Uint8Array, clusters: number, random: () => number): Float64Array {
  const count = pixels.length / 3;
  const drawn = new Set<number>();
  for (let at = count - clusters; at < count; at++) {
    const candidate = Math.floor(random() * (at + 1));
    drawn.add(drawn.has(candidate) ? at : candidate);
  }
  return Float64Array.from([...drawn].flatMap((pixel) => [...pixels.subarray(3 * pixel, 3 * pixel + 3)]));
}

/** Mean colour and number of the pixels that are nearest to each center; an empty group starts anew at random. */
function groupPixels(
  pixels: Uint8Array,
  centers: Float64Array,
  random: () => number,
): { centers: Float64Array; counts: Float64Array } {
  const sums = new Float64Array(centers.length);
  const counts = new Float64Array(centers.length / 3);
  for (let at = 0; at < pixels.length; at += 3) {
    const nearest = nearestCenter(pixels, at, centers);
    counts[nearest]! += 1;
    for (let channel = 0; channel < 3; channel++) sums[3 * nearest + channel]! += pixels[at + channel]!;
  }
  for (let group = 0; group < counts.length; group++) {
    const fresh = 3 * Math.floor((random() * pixels.length) / 3);
    for (let channel = 0; channel < 3; channel++) {
      const at = 3 * group + channel;
      sums[at] = counts[group] === 0 ? pixels[fresh + channel]! : sums[at]! / counts[group]!;
    }
  }
  return { centers: sums, counts };
}

function nearestCenter(pixels: Uint8Array, at: number, centers: Float64Array): number {
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let center = 0; center < centers.length; center += 3) {
    const red = pixels[at]! - centers[center]!;
    const green = pixels[at + 1]! - centers[center + 1]!;
    const blue = pixels[at + 2]! - centers[center + 2]!;
    const distance = red * red + green * green + blue * blue;
    if (distance < least) [nearest, least] = [center / 3, distance];
  }
  return nearest;
}

function areClose(one: Float64Array, other: Float64Array): boolean {
  return one.every((value, at) => Math.abs(value - other[at]!) <= 1e-8 + 1e-5 * Math.abs(other[at]!));
}
