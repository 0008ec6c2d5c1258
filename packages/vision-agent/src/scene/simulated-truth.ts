// a simulated camera → who is where in each frame → how many crossed, without the detector, tracker and counter
import { openSource, systemClock } from "@vision-agent/vision-engine";

/** Somebody in one frame. Places are fractions of the picture. */
export interface TrueActor {
  readonly id: string;
  readonly className: string;
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
}
export interface TrueFrame {
  readonly second: number;
  readonly actors: readonly TrueActor[];
}

/** The first seconds. `address` must name its `start`. */
export async function readTruth(address: string, seconds: number): Promise<readonly TrueFrame[]> {
  const source = await openSource(address, { sourceId: "truth", clock: systemClock, pace: "as_fast_as_possible" });
  const read: TrueFrame[] = [];
  try {
    for (let number = 0; number < seconds * source.fps; number += 1) {
      const truth = (await source.next(AbortSignal.timeout(10_000)))?.truth;
      const { class_name = [], actor_id = [] } = truth?.data ?? {};
      const actors = Array.from(class_name, (name, row): TrueActor => {
        const [left = 0, top = 0, right = 0, bottom = 0] = truth?.xyxy.subarray(row * 4, row * 4 + 4) ?? [];
        const { width, height } = source;
        const box = [left / width, top / height, right / width, bottom / height] as const;
        return { id: String(actor_id[row]), className: String(name), box };
      });
      read.push({ second: number / source.fps, actors });
    }
    return read;
  } finally {
    await source.close();
  }
}

export function middleOf({ box: [left, , right] }: TrueActor): number {
  return (left + right) / 2;
}

/** Things of a class that go over the upright line at `x`; `in` is from left to right. */
export interface CountedThings {
  readonly class: string;
  readonly x: number;
  readonly direction?: "in" | "out" | undefined;
}

/** Seconds at which the middle of one went over the line. */
export function crossingSeconds(
  frames: readonly TrueFrame[],
  { class: className, x, direction }: CountedThings,
): readonly number[] {
  const last = new Map<string, number>();
  return frames.flatMap(({ second, actors }) =>
    actors.flatMap((actor) => {
      if (actor.className !== className) return [];
      const [before, now] = [last.get(actor.id), middleOf(actor)];
      last.set(actor.id, now);
      if (before === undefined || before < x === now < x) return [];
      return direction === undefined || direction === (now >= x ? "in" : "out") ? [second] : [];
    }),
  );
}
