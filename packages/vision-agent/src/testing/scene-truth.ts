// who is where in each frame of a simulated scene → what a watch must tell of it, without anything of the product
import { middleOf, type TrueActor, type TrueFrame } from "../scene/simulated-truth.ts";

/** What must be told once, no earlier than a moment and soon after; `unclear` may be told or not. */
export interface TrueMoment {
  readonly second: number;
  readonly isClear: boolean;
}

/** Shorter than this, something may be told or not: the follower waits for so long. */
const CLEAR_SECONDS = 2.5;

interface Presence {
  readonly from: number;
  readonly to: number;
  readonly actor: readonly (TrueActor & { readonly second: number })[];
}

/** From appearing to leaving; who is hidden for a moment has not left. */
export function visitsOf(frames: readonly TrueFrame[], className: string): readonly Presence[] {
  const seen = frames.flatMap(({ second, actors }) =>
    actors.filter((actor) => actor.className === className).map((actor) => ({ ...actor, second })),
  );
  return [...Map.groupBy(seen, ({ id }) => id).values()].flatMap((places) => {
    const visits: (typeof places)[] = [];
    for (const place of places) {
      const last = visits.at(-1);
      if (last && place.second - last.at(-1)!.second <= CLEAR_SECONDS) last.push(place);
      else visits.push([place]);
    }
    return visits.map((actor) => ({ from: actor[0]!.second, to: actor.at(-1)!.second, actor }));
  });
}

export function appearances(frames: readonly TrueFrame[], className: string): readonly TrueMoment[] {
  const visits = visitsOf(frames, className);
  return visits.map(({ from, to, actor }) => ({
    second: from,
    // Who comes back soon after, or is seen here and there only, may be taken for the same or for nobody.
    isClear: to - from >= CLEAR_SECONDS && isSteady(actor) && !isReturn(visits, actor[0]!.id, from),
  }));
}

export function departures(frames: readonly TrueFrame[], className: string): readonly TrueMoment[] {
  const end = frames.at(-1)?.second ?? 0;
  return visitsOf(frames, className).map(({ from, to, actor }) => ({
    second: to,
    isClear: to - from >= CLEAR_SECONDS && isSteady(actor) && end - to > 2 * CLEAR_SECONDS,
  }));
}

export function stays(frames: readonly TrueFrame[], className: string, seconds: number): readonly TrueMoment[] {
  return visitsOf(frames, className)
    .filter(({ from, to }) => to - from >= seconds - CLEAR_SECONDS)
    .map(({ from, to, actor }) => ({
      second: from + seconds,
      isClear: to - from >= seconds + CLEAR_SECONDS && isSteady(actor),
    }));
}

/** Over a vertical line; `in` is from left to right for a line that is drawn from top to bottom. */
export function crossings(
  frames: readonly TrueFrame[],
  className: string,
  line: { readonly x: number; readonly direction: "in" | "out" },
): readonly TrueMoment[] {
  return visitsOf(frames, className).flatMap(({ actor }) =>
    actor.slice(1).flatMap((place, index) => {
      const [before, now] = [middleOf(actor[index]!), middleOf(place)];
      const isOver = line.direction === "in" ? before < line.x && now >= line.x : before >= line.x && now < line.x;
      if (!isOver) return [];
      const around = actor.filter(({ second }) => Math.abs(second - place.second) <= 1.5);
      const [first, last] = [around[0]!, around.at(-1)!];
      const room = Math.max(...around.map(({ box }) => (box[2] - box[0] + box[3] - box[1]) / 4));
      const isClear = Math.abs(middleOf(first) - line.x) > room && Math.abs(middleOf(last) - line.x) > room;
      return [{ second: place.second, isClear }];
    }),
  );
}

/** Of something that is so or not in each frame: when it has been so for long enough. */
export function beginnings(
  frames: readonly TrueFrame[],
  isTrue: (actors: readonly TrueActor[]) => boolean,
  forSeconds = 0,
): readonly TrueMoment[] {
  const runs: { value: boolean; from: number; to: number }[] = [];
  for (const { second, actors } of frames) {
    const value = isTrue(actors);
    const last = runs.at(-1);
    if (last?.value === value) last.to = second;
    else runs.push({ value, from: second, to: second });
  }
  return runs.flatMap(({ value, from, to }, index) => {
    if (!value) return [];
    const before = runs[index - 1];
    const isNew = before === undefined || before.to - before.from >= CLEAR_SECONDS + 1;
    return [{ second: from + forSeconds, isClear: isNew && to - from >= forSeconds + CLEAR_SECONDS + 1 }];
  });
}

function isSteady(places: Presence["actor"]): boolean {
  return places.slice(1).every(({ second }, index) => second - places[index]!.second < 1);
}

function isReturn(visits: readonly Presence[], id: string, from: number): boolean {
  return visits.some(({ actor, to }) => actor[0]!.id === id && to < from && from - to < 2 * CLEAR_SECONDS);
}
