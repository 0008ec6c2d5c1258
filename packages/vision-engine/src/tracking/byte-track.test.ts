import { describe, expect, it } from "vitest";
import { type ByteTrackOptions, createByteTrack } from "./byte-track.ts";

type Row = readonly [left: number, top: number, right: number, bottom: number, score: number];

describe("createByteTrack", () => {
  it("keeps the id of an object that moves", () => {
    expect(ids({}, [walker(0)], [walker(4)], [walker(8)])).toEqual([[1], [1], [1]]);
  });

  it("keeps ids with their objects when two pass each other", () => {
    const frames = Array.from({ length: 30 }, (_, i) => [
      walker(4 * i),
      [120 - 4 * i, 60, 160 - 4 * i, 120, 0.9] as const,
    ]);
    expect(ids({}, ...frames).every(([one, other]) => one === 1 && other === 2)).toBe(true);
  });

  it("shows a newcomer from its second sighting on", () => {
    expect(ids({}, [], [walker(0)], [walker(4)])).toEqual([[], [-1], [1]]);
  });

  it("waits for the wanted number of sightings", () => {
    const options = { minimumConsecutiveFrames: 3 };
    expect(ids(options, [walker(0)], [walker(4)], [walker(8)])).toEqual([[-1], [-1], [1]]);
  });

  it("holds on to a weak box but begins no track with it", () => {
    const weak = [4, 0, 44, 60, 0.2] as const;
    expect(ids({}, [walker(0)], [weak])).toEqual([[1], [1]]);
    expect(ids({}, [weak], [weak])).toEqual([[-1], [-1]]);
  });

  it("finds an object again after a gap, and forgets it after a long one", () => {
    const gap = (frames: number): Row[][] => [
      [walker(0)],
      [walker(0)],
      ...Array.from({ length: frames }, () => []),
      [walker(0)],
      [walker(0)],
    ];
    expect(ids({ lostTrackBuffer: 5 }, ...gap(4)).at(-1)).toEqual([1]);
    expect(ids({ lostTrackBuffer: 5 }, ...gap(20)).at(-1)).toEqual([2]);
  });

  it("ignores boxes without area and numbers that are none", () => {
    const broken: Row[] = [
      [0, 0, 0, 10, 0.9],
      [Number.NaN, 0, 10, 10, 0.9],
      [0, 0, 10, 10, Number.NaN],
    ];
    expect(ids({}, broken, broken)).toEqual([
      [-1, -1, -1],
      [-1, -1, -1],
    ]);
  });
});

function walker(x: number): Row {
  return [x, 0, x + 40, 60, 0.9];
}

function ids(options: ByteTrackOptions, ...frames: (readonly Row[])[]): number[][] {
  const tracker = createByteTrack(options);
  return frames.map((boxes) => {
    const { rows, ids } = tracker.update({
      length: boxes.length,
      xyxy: Float32Array.from(boxes.flatMap((row) => row.slice(0, 4))),
      confidence: Float32Array.from(boxes, (row) => row[4]),
    });
    return boxes.map((_, row) => (rows.includes(row) ? ids[rows.indexOf(row)]! : -1));
  });
}
