// a simulated scene → how many cars really crossed its middle, from its own script
import { openSource, systemClock } from "@vision-agent/vision-engine";

/** Farther from one frame to the next, in widths of the picture, and it is another car. */
const LONGEST_STRIDE = 1 / 12;

/**
 * Crossings of the vertical middle up to each frame: entry n is what was counted with frame number n.
 * `address` must name its `start`, or the scene is another one each time.
 */
export async function carCrossings(address: string, frames: number): Promise<readonly number[]> {
  const source = await openSource(address, { sourceId: "truth", clock: systemClock, pace: "as_fast_as_possible" });
  const middle = source.width / 2;
  const counts = [0];
  let before: readonly Center[] = [];
  try {
    for (let number = 1; number <= frames; number += 1) {
      const frame = await source.next(AbortSignal.timeout(10_000));
      const now = carCenters(frame?.truth);
      const crossed = now.filter((car) => {
        const earlier = before.toSorted((one, other) => distance(one, car) - distance(other, car))[0];
        const isSame = earlier !== undefined && distance(earlier, car) < LONGEST_STRIDE * source.width;
        return isSame && earlier.x < middle !== car.x < middle;
      });
      counts.push((counts.at(-1) ?? 0) + crossed.length);
      before = now;
    }
    return counts;
  } finally {
    await source.close();
  }
}

interface Center {
  readonly x: number;
  readonly y: number;
}

function distance(one: Center, other: Center): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

interface Truth {
  readonly xyxy: Float64Array;
  readonly data: Readonly<Record<string, ArrayLike<unknown>>>;
}

function carCenters(truth: Truth | undefined): readonly Center[] {
  if (truth === undefined) return [];
  const { xyxy, data } = truth;
  return Array.from(data.class_name ?? []).flatMap((name, row) => {
    if (name !== "car") return [];
    const [left = 0, top = 0, right = 0, bottom = 0] = xyxy.subarray(row * 4, row * 4 + 4);
    return [{ x: (left + right) / 2, y: (top + bottom) / 2 }];
  });
}
