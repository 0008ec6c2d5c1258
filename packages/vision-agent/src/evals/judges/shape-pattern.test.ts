import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PicturePlace } from "../expectation.ts";
import { fitsLine, fitsZone } from "./match-patterns.ts";

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const place = fc.tuple(fraction, fraction);

describe("fitsLine", () => {
  it("does not care which end is the first", () => {
    fc.assert(
      fc.property(place, place, place, (through, start, end) => {
        const pattern = { through, within: 0.1 };
        expect(fitsLine(pattern, [start, end])).toBe(fitsLine(pattern, [end, start]));
      }),
    );
  });

  it("measures to the line between its ends, not beyond them", () => {
    const short: readonly PicturePlace[] = [
      [0.1, 0.5],
      [0.3, 0.5],
    ];
    expect(fitsLine({ through: [0.2, 0.55], within: 0.1 }, short)).toBe(true);
    expect(fitsLine({ through: [0.5, 0.5], within: 0.1 }, short)).toBe(false);
  });

  it("tells a slanted line from a level and an upright one", () => {
    const slanted: readonly PicturePlace[] = [
      [0, 0],
      [1, 1],
    ];
    expect(fitsLine({ runs: "horizontal", within: 0.1 }, slanted)).toBe(false);
    expect(fitsLine({ runs: "vertical", within: 0.1 }, slanted)).toBe(false);
    expect(
      fitsLine({ runs: "vertical", within: 0.1 }, [
        [0.5, 0],
        [0.52, 1],
      ]),
    ).toBe(true);
  });

  it("finds no line where there is none", () => {
    expect(fitsLine({ within: 0.1 }, undefined)).toBe(false);
  });
});

describe("fitsZone", () => {
  it("knows what is inside a box", () => {
    fc.assert(
      fc.property(place, ([x, y]) => {
        fc.pre(Math.abs(x - 0.5) > 1e-9);
        const leftHalf: readonly PicturePlace[] = [
          [0, -1],
          [0.5, -1],
          [0.5, 2],
          [0, 2],
        ];
        expect(fitsZone({ holds: [[x, y]], leaves_out: [] }, leftHalf)).toBe(x < 0.5);
        expect(fitsZone({ holds: [], leaves_out: [[x, y]] }, leftHalf)).toBe(x > 0.5);
      }),
    );
  });

  it("finds no zone where there is none", () => {
    expect(
      fitsZone({ holds: [], leaves_out: [] }, [
        [0, 0],
        [1, 1],
      ]),
    ).toBe(false);
  });
});
