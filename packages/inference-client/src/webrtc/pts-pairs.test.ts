import { describe, expect, it } from "vitest";
import { createPicturePairing, createPtsPairs, createTickUnwrapper } from "./pts-pairs.ts";

describe("createPtsPairs", () => {
  it("finds what was kept for a time, a millisecond more or less", () => {
    const pairs = createPtsPairs<string>();
    pairs.set(9000, "a");
    expect([9000, 9090, 8910].map(pairs.find)).toEqual(["a", "a", "a"]);
    expect([9091, 8909].map(pairs.find)).toEqual([undefined, undefined]);
  });

  it("takes the nearest of two", () => {
    const pairs = createPtsPairs<string>();
    pairs.set(1000, "a");
    pairs.set(1100, "b");
    expect([1040, 1060].map(pairs.find)).toEqual(["a", "b"]);
  });

  it("keeps the latest 150", () => {
    const pairs = createPtsPairs<number>();
    for (let at = 0; at < 1000; at++) pairs.set(at * 9000, at);
    expect([pairs.find(849 * 9000), pairs.find(850 * 9000)]).toEqual([undefined, 850]);
  });
});

describe("createTickUnwrapper", () => {
  it("goes on growing where 32 bits begin anew, and steps back for late ones", () => {
    const unwrap = createTickUnwrapper();
    expect([0xffffff00, 0x100, 0xffffff80].map(unwrap)).toEqual([0xffffff00, 0x100000100, 0xffffff80]);
  });
});

describe("createPicturePairing", () => {
  it("takes the first picture for the latest result and follows the times from there", () => {
    const pairing = createPicturePairing();
    expect(pairing.frameOf(500_000 - 9000)).toBeUndefined();
    pairing.note(63_000, 5);
    expect(pairing.frameOf(500_000)).toBe(5);
    pairing.note(72_000, 6);
    pairing.note(90_000, 7);
    expect([500_000 + 9000, 500_000 + 18_000, 500_000 + 27_000].map(pairing.frameOf)).toEqual([6, undefined, 7]);
  });

  it("anchors anew when nothing fits any more", () => {
    const pairing = createPicturePairing();
    pairing.note(0, 1);
    pairing.frameOf(0);
    for (let at = 1; at <= 30; at++) expect(pairing.frameOf(at * 9000 + 4500)).toBeUndefined();
    pairing.note(9000, 2);
    expect(pairing.frameOf(31 * 9000 + 4500)).toBe(2);
  });
});
