import { createPlane, type Plane, toLevel } from "./plane.ts";

/** Pixels of the source that a pixel of the result covers along one axis. */
interface Cover {
  readonly first: number;
  readonly weights: readonly number[];
}

/**
 * Another size: shrinking averages the area that falls onto a pixel; enlarging, or stretching one side while the other
 * shrinks, blends the two nearest.
 */
export function resizeArea(plane: Plane, width: number, height: number): Plane {
  const scaleX = plane.width / width;
  const scaleY = plane.height / height;
  const shrinks = scaleX >= 1 && scaleY >= 1;
  const columns = shrinks ? areaCovers(plane.width, width) : blendCovers(plane.width, width);
  const rows = shrinks ? areaCovers(plane.height, height) : blendCovers(plane.height, height);
  const resized = createPlane(width, height);
  const line = new Float64Array(plane.width);
  for (const [y, row] of rows.entries()) {
    line.fill(0);
    for (const [at, weight] of row.weights.entries()) {
      const from = (row.first + at) * plane.width;
      for (let x = 0; x < plane.width; x++) line[x]! += weight * plane.data[from + x]!;
    }
    for (let x = 0; x < width; x++) {
      const { first, weights } = columns[x]!;
      let sum = 0;
      for (let at = 0; at < weights.length; at++) sum += weights[at]! * line[first + at]!;
      resized.data[y * width + x] = toLevel(sum);
    }
  }
  return resized;
}

function areaCovers(from: number, to: number): readonly Cover[] {
  const scale = from / to;
  return Array.from({ length: to }, (_, at) => {
    const start = at * scale;
    const end = Math.min(start + scale, from);
    const first = Math.floor(start);
    const last = Math.min(Math.ceil(end - 1e-9), from);
    const weights: number[] = [];
    for (let pixel = first; pixel < last; pixel++) {
      weights.push((Math.min(end, pixel + 1) - Math.max(start, pixel)) / (end - start));
    }
    return { first, weights };
  });
}

function blendCovers(from: number, to: number): readonly Cover[] {
  const scale = from / to;
  return Array.from({ length: to }, (_, at) => {
    const first = Math.floor(at * scale);
    const beyond = at + 1 - (first + 1) / scale;
    const share = beyond <= 0 ? 0 : beyond - Math.floor(beyond);
    if (first >= from - 1) return { first: from - 1, weights: [1] };
    return { first, weights: [1 - share, share] };
  });
}
