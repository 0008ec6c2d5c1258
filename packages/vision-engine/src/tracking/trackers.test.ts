import { describe, expect, it } from "vitest";
import { createBotSort } from "./bot-sort.ts";
import { createByteTrack } from "./byte-track.ts";
import { createByteTrackCorners, createSort } from "./corner-trackers.ts";
import { createOcSort } from "./oc-sort.ts";
import type { Tracker } from "./tracker.ts";

type Box = readonly [left: number, top: number];

const TRACKERS: readonly (readonly [name: string, create: () => Tracker])[] = [
  ["ByteTrack", () => createByteTrack()],
  ["ByteTrack over corners", () => createByteTrackCorners()],
  ["SORT", () => createSort()],
  ["OC-SORT", () => createOcSort()],
  ["BoT-SORT", () => createBotSort()],
];

describe.each(TRACKERS)("%s", (_, create) => {
  it("says nothing of frames without boxes", () => {
    const tracker = create();
    expect([tracker.update(boxes()), tracker.update(boxes())]).toMatchObject([{ rows: [] }, { rows: [] }]);
  });

  it("gives two walkers an id each and keeps them when they pass each other", () => {
    const tracker = create();
    const told = Array.from({ length: 40 }, (_, i) => idsByRow(tracker, [4 * i, 0], [156 - 4 * i, 70]));
    const [first, second] = told.at(-1)!;
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first).not.toBe(second);
    expect(told.slice(5).every(([one, other]) => one === first && other === second)).toBe(true);
  });

  it("finds a walker again that was hidden for some frames", () => {
    const tracker = create();
    for (let i = 0; i < 10; i++) idsByRow(tracker, [4 * i, 0]);
    const [before] = idsByRow(tracker, [40, 0]);
    for (let i = 0; i < 4; i++) tracker.update(boxes());
    for (let i = 16; i < 20; i++) idsByRow(tracker, [4 * i, 0]);
    expect(idsByRow(tracker, [80, 0])).toEqual([before]);
  });

  it("gives a newcomer a new id once the old one is forgotten", () => {
    const tracker = create();
    for (let i = 0; i < 5; i++) idsByRow(tracker, [0, 0]);
    const [before] = idsByRow(tracker, [0, 0]);
    for (let i = 0; i < 40; i++) tracker.update(boxes());
    for (let i = 0; i < 5; i++) idsByRow(tracker, [0, 0]);
    expect(idsByRow(tracker, [0, 0])).toEqual([before! + 1]);
  });
});

function boxes(...places: readonly Box[]) {
  return {
    length: places.length,
    xyxy: Float64Array.from(places.flatMap(([left, top]) => [left, top, left + 40, top + 60])),
    confidence: new Float64Array(places.length).fill(0.9),
  };
}

/** -1 for a row without id. */
function idsByRow(tracker: Tracker, ...places: readonly Box[]): number[] {
  const { rows, ids } = tracker.update(boxes(...places));
  return places.map((_, row) => ids[rows.indexOf(row)] ?? -1);
}
