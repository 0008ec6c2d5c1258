// findings of several crops → findings in which the same thing is there once
import type { ColumnValue } from "../../frames/detections.ts";
import { type Mask, moveMask, uniteMasks } from "../../frames/mask.ts";
import { DisjointSets, fillHoles, maskParts } from "../../geometry/mask-parts.ts";
import { boxOverlap, maskOverlap } from "../../geometry/overlap.ts";
import { distance, type Point } from "../../geometry/points.ts";

/** Something found in a crop, in coordinates of the whole picture. */
export interface CropFinding {
  readonly classId: number;
  readonly confidence: number;
  readonly box: readonly number[];
  readonly mask: Mask | undefined;
  readonly keypoints?: readonly Point[] | undefined;
  readonly keypointConfidence?: readonly number[] | undefined;
  readonly keypointNames?: ColumnValue | undefined;
  readonly keypointIds?: ColumnValue | undefined;
}

export type ConfidenceStrategy = "max" | "mean" | "min";

export interface JoinOptions {
  readonly confidence: ConfidenceStrategy;
  /** Intersection over union from which on two are one; 0 takes any that overlap. */
  readonly overlapThreshold: number;
  /** Mean distance of keypoints in pixels below which two are one. */
  readonly keypointThreshold: number;
  /** Keypoints decide instead of boxes and masks. */
  readonly byKeypoints: boolean;
}

/** Class by class, in the order in which the classes were met. */
export function joinFindings(findings: readonly CropFinding[], options: JoinOptions): readonly CropFinding[] {
  const hasMasks = findings.some(({ mask }) => mask !== undefined);
  const classes = new Set(findings.map(({ classId }) => classId));
  return [...classes].flatMap((classId) => {
    const ofClass = findings.filter((finding) => finding.classId === classId);
    if (options.byKeypoints) return joinByKeypoints(ofClass, options);
    return hasMasks ? joinMasks(ofClass, options) : joinBoxes(ofClass, options);
  });
}

function joinBoxes(
  findings: readonly CropFinding[],
  { confidence, overlapThreshold }: JoinOptions,
): readonly CropFinding[] {
  const groups = linked(findings, (a, b) => {
    const overlap = boxOverlap({ xyxy: a.box, row: 0 }, { xyxy: b.box, row: 0 });
    return overlap > 0 && overlap >= overlapThreshold;
  });
  return groups.map((group) => ({
    ...bare(group[0]!),
    confidence: combined(group, confidence),
    box: group[0]!.box.map((_, side) => (side < 2 ? Math.min : Math.max)(...group.map(({ box }) => box[side]!))),
  }));
}

/** Parts of masks that overlap or lie side by side become one, without holes. */
function joinMasks(
  findings: readonly CropFinding[],
  { confidence, overlapThreshold }: JoinOptions,
): readonly CropFinding[] {
  const parts = findings.flatMap((finding) =>
    (finding.mask === undefined ? [] : maskParts(finding.mask, 4)).map((mask) => ({
      ...finding,
      mask: fillHoles(mask),
    })),
  );
  const groups = linked(parts, (a, b) =>
    overlapThreshold > 0 ? maskOverlap(a.mask, b.mask) >= overlapThreshold : areTouching(a.mask, b.mask),
  );
  return groups.map((group) => ({
    ...bare(group[0]!),
    confidence: combined(group, confidence),
    mask: fillHoles(uniteMasks(group.map(({ mask }) => mask) as [Mask, ...Mask[]])),
  }));
}

function areTouching(one: Mask, other: Mask): boolean {
  const { width, height } = one;
  const steps = [
    [0, 0],
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
  ] as const;
  return steps.some((step) => maskOverlap(moveMask(one, step, width, height), other) > 0);
}

/** Each finding takes all later ones whose keypoints lie close to its own; places are averaged. */
function joinByKeypoints(findings: readonly CropFinding[], options: JoinOptions): readonly CropFinding[] {
  const joined: CropFinding[] = [];
  let rest = findings.filter(({ keypoints }) => keypoints !== undefined);
  for (let head = rest[0]; head !== undefined; head = rest[0]) {
    const first = head;
    const isClose = (other: CropFinding): boolean =>
      other === first || meanDistance(first.keypoints!, other.keypoints!) < options.keypointThreshold;
    const group = rest.filter(isClose);
    rest = rest.filter((other) => !isClose(other));
    joined.push(group.length === 1 ? first : averaged(first, group, options.confidence));
  }
  return [...joined, ...findings.filter(({ keypoints }) => keypoints === undefined)];
}

function averaged(first: CropFinding, group: readonly CropFinding[], confidence: ConfidenceStrategy): CropFinding {
  return {
    ...first,
    mask: undefined,
    confidence: combined(group, confidence),
    box: first.box.map((_, side) => mean(group.map(({ box }) => box[side]!))),
    keypoints: first.keypoints!.map(
      (_, at): Point => [
        mean(group.map(({ keypoints }) => keypoints![at]![0])),
        mean(group.map(({ keypoints }) => keypoints![at]![1])),
      ],
    ),
    keypointConfidence: first.keypointConfidence?.map((_, at) =>
      mean(group.map((member) => member.keypointConfidence![at]!)),
    ),
  };
}

function meanDistance(a: readonly Point[], b: readonly Point[]): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  return mean(a.map((point, at) => distance(point, b[at]!)));
}

/** Groups of things joined by a chain of pairs. */
function linked<T>(things: readonly T[], isPair: (a: T, b: T) => boolean): readonly (readonly T[])[] {
  const sets = new DisjointSets(things.length);
  for (let one = 0; one < things.length; one++) {
    for (let other = one + 1; other < things.length; other++) {
      if (isPair(things[one]!, things[other]!)) sets.join(one, other);
    }
  }
  return sets.groups().map((group) => group.map((at) => things[at]!));
}

function bare({ classId, box, mask }: CropFinding): Omit<CropFinding, "confidence"> {
  return { classId, box, mask };
}

function combined(group: readonly CropFinding[], strategy: ConfidenceStrategy): number {
  const values = group.map(({ confidence }) => confidence);
  if (strategy === "mean") return mean(values);
  return strategy === "min" ? Math.min(...values) : Math.max(...values);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
