import type { Detections } from "@vision-agent/protocol";

/** How far two answers may be apart. */
export interface Tolerance {
  /** Of each side of a box, in pixels. */
  readonly boxPx: number;
  readonly score: number;
}

export interface BoxComparison {
  /** Boxes of each side. */
  readonly counts: readonly [number, number];
  /** Boxes of the same class at the same place. */
  readonly matched: number;
  /** Largest difference of a side among the matched, in pixels. */
  readonly worstPx: number;
  /** Largest difference of a score among the matched. */
  readonly worstScore: number;
  readonly agrees: boolean;
}

/** Pairs overlap by more than this. */
const SAME_PLACE = 0.5;

/** Pairs boxes of the same class, those that overlap most first, each once. */
export function compareDetections(a: Detections, b: Detections, tolerance: Tolerance): BoxComparison {
  const pairs = matchBoxes(a, b);
  const worstPx = Math.max(0, ...pairs.map(([left, right]) => furthestSide(boxOf(a, left), boxOf(b, right))));
  const scores = pairs.map(([left, right]) => Math.abs(a.confidence[left]! - b.confidence[right]!));
  const worstScore = Math.max(0, ...scores);
  const counts = [a.confidence.length, b.confidence.length] as const;
  const agrees =
    counts.every((count) => count === pairs.length) && worstPx <= tolerance.boxPx && worstScore <= tolerance.score;
  return { counts, matched: pairs.length, worstPx, worstScore, agrees };
}

function matchBoxes(a: Detections, b: Detections): readonly (readonly [number, number])[] {
  const candidates = a.class_name
    .flatMap((name, left) =>
      b.class_name.flatMap((other, right) =>
        other === name ? [{ left, right, overlap: overlapOf(boxOf(a, left), boxOf(b, right)) }] : [],
      ),
    )
    .filter(({ overlap }) => overlap > SAME_PLACE)
    .sort((one, other) => other.overlap - one.overlap);
  const [lefts, rights] = [new Set<number>(), new Set<number>()];
  const pairs: [number, number][] = [];
  for (const { left, right } of candidates) {
    if (lefts.has(left) || rights.has(right)) continue;
    lefts.add(left);
    rights.add(right);
    pairs.push([left, right]);
  }
  return pairs;
}

type Box = readonly [left: number, top: number, right: number, bottom: number];

function boxOf({ xyxy }: Detections, row: number): Box {
  return [xyxy[4 * row]!, xyxy[4 * row + 1]!, xyxy[4 * row + 2]!, xyxy[4 * row + 3]!];
}

function furthestSide(a: Box, b: Box): number {
  return Math.max(...a.map((side, at) => Math.abs(side - b[at]!)));
}

/** Shared area by joined area. */
function overlapOf(a: Box, b: Box): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  const shared = Math.max(0, width) * Math.max(0, height);
  const joined = areaOf(a) + areaOf(b) - shared;
  return joined > 0 ? shared / joined : 0;
}

function areaOf([left, top, right, bottom]: Box): number {
  return (right - left) * (bottom - top);
}
