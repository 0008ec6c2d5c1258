/**
 * Twelve colours that stay at least 0.09 apart (OKLab) for normal, protan, deutan and tritan vision, all light enough
 * for dark letters on them. Found by search, kept by test.
 */
export const PALETTE = [
  "#25d2fc",
  "#ec7d6c",
  "#f7dc1f",
  "#c2f6b6",
  "#7474ef",
  "#c26e12",
  "#c19fb5",
  "#a172ac",
  "#f7ac4d",
  "#6ca1f8",
  "#83eff5",
  "#bdceac",
] as const;

/** Ink that reads on every colour of the palette. */
export const LABEL_INK = "#15171a";

const FIXED: ReadonlyMap<string, string> = new Map([
  ["person", PALETTE[0]],
  ["car", PALETTE[1]],
  ["bus", PALETTE[2]],
  ["bicycle", PALETTE[3]],
  ["motorcycle", PALETTE[4]],
  ["truck", PALETTE[5]],
  ["dog", PALETTE[6]],
  ["cat", PALETTE[7]],
  ["package", PALETTE[8]],
]);

/** The same class has the same colour on every camera and every day. */
export function classColour(className: string): string {
  return FIXED.get(className) ?? PALETTE[hashOf(className) % PALETTE.length]!;
}

// FNV-1a, 32 bits: short, and spreads short words well.
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}
