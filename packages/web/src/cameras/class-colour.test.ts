import { describe, expect, it } from "vitest";
import { classColour, LABEL_INK, PALETTE } from "./class-colour.ts";

type Rgb = readonly [number, number, number];

/** Linear RGB as seen with normal, protan, deutan and tritan vision (Machado, Oliveira and Fernandes 2009, full severity). */
const VISIONS: Readonly<Record<string, readonly Rgb[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

describe("the palette", () => {
  it("has twelve colours", () => {
    expect(new Set(PALETTE).size).toBe(12);
  });

  it.each(Object.keys(VISIONS))("keeps every two colours apart for %s vision", (vision) => {
    const seen = PALETTE.map((colour) => toOklab(seenBy(vision, toLinear(colour))));
    const distances = seen.flatMap((one, place) => seen.slice(place + 1).map((other) => distance(one, other)));
    expect(Math.min(...distances)).toBeGreaterThan(0.09);
  });

  it("carries dark letters with enough contrast", () => {
    const contrasts = PALETTE.map((colour) => (luminance(colour) + 0.05) / (luminance(LABEL_INK) + 0.05));
    expect(Math.min(...contrasts)).toBeGreaterThan(4.5);
  });
});

describe("classColour", () => {
  it("gives known classes their own colours", () => {
    const known = ["person", "car", "bus", "bicycle", "motorcycle", "truck", "dog", "cat", "package"];
    expect(new Set(known.map(classColour)).size).toBe(known.length);
  });

  it("gives an unknown class the same colour of the palette every time", () => {
    expect(classColour("forklift")).toBe(classColour("forklift"));
    expect(PALETTE).toContain(classColour("forklift"));
    expect(PALETTE).toContain(classColour(""));
  });
});

function toLinear(hex: string): Rgb {
  const channel = (start: number): number => {
    const value = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function seenBy(vision: string, [red, green, blue]: Rgb): Rgb {
  const [one, two, three] = (VISIONS[vision] ?? []).map((row) => row[0] * red + row[1] * green + row[2] * blue);
  return [one ?? 0, two ?? 0, three ?? 0];
}

function toOklab([red, green, blue]: Rgb): Rgb {
  const root = (value: number): number => Math.cbrt(Math.max(0, value));
  const long = root(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const middle = root(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = root(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ];
}

function distance(one: Rgb, other: Rgb): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

function luminance(hex: string): number {
  const [red, green, blue] = toLinear(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
