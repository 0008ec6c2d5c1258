// RGBA pixels → resized, normalised floats for a graph
import type { PixelPicture, PixelSize } from "../../frames/frame.ts";

/** How a graph wants its pixels. */
export interface PixelLayout extends PixelSize {
  /** `planes`: one channel after the other · `pixels`: the three channels of each pixel side by side. */
  readonly order: "planes" | "pixels";
  readonly colors: "rgb" | "bgr";
  /** Written is `(value - mean) / std`, channels in the order of `colors`. */
  readonly mean: readonly [number, number, number];
  readonly std: readonly [number, number, number];
}

/** Where each target row or column lies in the source: between two neighbours, so far from the first. */
interface Taps {
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly share: Float32Array;
}

interface Grid {
  readonly columns: Taps;
  readonly rows: Taps;
}

/** Stretches one picture after the other into the same memory, which the answer is: written anew with each call. */
export type PixelResizer = (source: PixelPicture) => Float32Array;

/** Resized pictures in memory that is used again; runs may overlap, and each has its own until it is done. */
export type PixelPool = <T>(source: PixelPicture, run: (data: Float32Array) => Promise<T>) => Promise<T>;

export function createPixelPool(layout: PixelLayout): PixelPool {
  const idle: PixelResizer[] = [];
  return async (source, run) => {
    const resize = idle.pop() ?? createPixelResizer(layout);
    try {
      return await run(resize(source));
    } finally {
      idle.push(resize);
    }
  };
}

/** Bilinear with pixel centres at halves, as the detectors were trained with, in one pass over the target. */
export function createPixelResizer(layout: PixelLayout): PixelResizer {
  // Shared, so that another thread can run the graph on it without a copy.
  const data = new Float32Array(new SharedArrayBuffer(12 * layout.width * layout.height));
  let grid: Grid | undefined;
  let shape = "";
  return (source) => {
    const { width, height } = source;
    if (grid === undefined || shape !== `${width} ${height}`) {
      grid = { columns: tapsOf(width, layout.width), rows: tapsOf(height, layout.height) };
      shape = `${width} ${height}`;
    }
    writePixels(source, grid, layout, data);
    return data;
  };
}

/** Plain loops over plain numbers: this runs for every pixel of every frame. */
function writePixels(source: PixelPicture, { columns, rows }: Grid, layout: PixelLayout, data: Float32Array): void {
  const { rgba, width: sourceWidth } = source;
  const { width, height, mean, std } = layout;
  const [pixelStep, channelStep] = layout.order === "planes" ? [1, width * height] : [3, 1];
  const [first, third] = layout.colors === "rgb" ? [0, 2] : [2, 0];
  const [firstGain, secondGain, thirdGain] = [1 / std[0], 1 / std[1], 1 / std[2]];
  const [firstMean, secondMean, thirdMean] = mean;
  let to = 0;
  for (let y = 0; y < height; y++) {
    const upper = rows.first[y]! * sourceWidth;
    const lower = rows.second[y]! * sourceWidth;
    const down = rows.share[y]!;
    for (let x = 0; x < width; x++, to += pixelStep) {
      const across = columns.share[x]!;
      const a = 4 * (upper + columns.first[x]!);
      const b = 4 * (upper + columns.second[x]!);
      const c = 4 * (lower + columns.first[x]!);
      const d = 4 * (lower + columns.second[x]!);
      const wa = (1 - across) * (1 - down);
      const wb = across * (1 - down);
      const wc = (1 - across) * down;
      const wd = across * down;
      const one = rgba[a + first]! * wa + rgba[b + first]! * wb + rgba[c + first]! * wc + rgba[d + first]! * wd;
      const two = rgba[a + 1]! * wa + rgba[b + 1]! * wb + rgba[c + 1]! * wc + rgba[d + 1]! * wd;
      const three = rgba[a + third]! * wa + rgba[b + third]! * wb + rgba[c + third]! * wc + rgba[d + third]! * wd;
      data[to] = (one - firstMean) * firstGain;
      data[to + channelStep] = (two - secondMean) * secondGain;
      data[to + 2 * channelStep] = (three - thirdMean) * thirdGain;
    }
  }
}

function tapsOf(length: number, target: number): Taps {
  const first = new Int32Array(target);
  const second = new Int32Array(target);
  const share = new Float32Array(target);
  for (let at = 0; at < target; at++) {
    const place = Math.min(length - 1, Math.max(0, ((at + 0.5) * length) / target - 0.5));
    const below = Math.floor(place);
    first[at] = below;
    second[at] = Math.min(length - 1, below + 1);
    share[at] = place - below;
  }
  return { first, second, share };
}
