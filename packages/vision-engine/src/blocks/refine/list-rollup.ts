// detections made on crops → detections of the whole picture
import { inputError } from "../../errors.ts";
import { type ColumnValue, columnOf, DetectionTable, emptyDetections } from "../../frames/detections.ts";
import { type Mask, maskBounds, moveMask, uniteMasks } from "../../frames/mask.ts";
import { boxAt, boxCorners } from "../../geometry/boxes.ts";
import { DisjointSets, fillHoles, maskParts } from "../../geometry/mask-shapes.ts";
import { boxOverlap, maskOverlap } from "../../geometry/overlap.ts";
import { distance, mean, type Point } from "../../geometry/polygons.ts";
import { BlockBatch, type BlockInputs, block, detectionsOf, numberOf } from "../block.ts";

/** Columns of keypoints travel with the finding; these tell of the crop and are told anew. */
const KEYPOINT_COLUMNS = ["keypoints_xy", "keypoints_class_name", "keypoints_class_id", "keypoints_confidence"];
const SIZE_COLUMNS = ["image_dimensions", "parent_dimensions", "root_parent_dimensions"];
const ORIGIN_COLUMNS = ["parent_coordinates", "root_parent_coordinates"];

export const detectionsListRollup = block({
  type: "roboflow_core/detections_list_rollup@v1",
  description: "Puts detections made on crops back onto the picture and joins those of one class that overlap.",
  phrase: "puts what was found in the crops back onto the picture",
  run: (inputs, { newId }) => {
    const parent = detectionsOf(inputs, "parent_detection");
    const children = childrenOf(inputs);
    if (parent.length !== children.length) {
      throw inputError(
        `There are ${parent.length} crops but detections of ${children.length}: give one for each crop.`,
      );
    }
    const [size] = parent.data.root_parent_dimensions ?? [];
    if (size === undefined)
      throw inputError(`"parent_detection" has no "root_parent_dimensions": take it from a model.`);
    const [height, width] = size as readonly [number, number];
    const findings = children.flatMap((child, row) => findingsOf(child, parent, row, { width, height }));
    const joined = joinFindings(findings, {
      confidence: inputs.confidence_strategy as ConfidenceStrategy,
      overlapThreshold: numberOf(inputs, "overlap_threshold"),
      keypointThreshold: numberOf(inputs, "keypoint_merge_threshold"),
      byKeypoints: children.some((child) => child.data.prediction_type?.[0] === "keypoint-detection"),
    });
    return {
      rolled_up_detections:
        joined.length === 0 ? emptyDetections() : toDetections(joined, children, [height, width], newId),
      crop_zones: Array.from({ length: parent.length }, (_, row) => boxCorners(boxAt(parent.xyxy, row))),
    };
  },
});

function childrenOf({ child_detections: value }: BlockInputs): readonly DetectionTable[] {
  const items = value instanceof BlockBatch ? value.items : value;
  if (Array.isArray(items) && items.every((item) => item instanceof DetectionTable))
    return items as readonly DetectionTable[];
  throw inputError(`"child_detections" must be a list of detections, one for each crop.`);
}

function findingsOf(
  child: DetectionTable,
  parent: DetectionTable,
  crop: number,
  { width, height }: { readonly width: number; readonly height: number },
): readonly CropFinding[] {
  const offset: Point = [Math.trunc(parent.xyxy[4 * crop]!), Math.trunc(parent.xyxy[4 * crop + 1]!)];
  return Array.from({ length: child.length }, (_, row) => {
    const keypoints = child.data.keypoints_xy?.[row] as readonly Point[] | undefined;
    return {
      classId: child.classId?.[row] ?? 0,
      confidence: child.confidence?.[row] ?? 0,
      box: Array.from(child.xyxy.subarray(4 * row, 4 * row + 4), (value, at) => value + offset[at % 2]!),
      mask: child.masks && moveMask(child.masks[row]!, offset, width, height),
      keypoints: keypoints?.map(([x, y]): Point => [x + offset[0], y + offset[1]]),
      keypointConfidence: child.data.keypoints_confidence?.[row] as readonly number[] | undefined,
      keypointNames: child.data.keypoints_class_name?.[row],
      keypointIds: child.data.keypoints_class_id?.[row],
    };
  });
}

function toDetections(
  findings: readonly CropFinding[],
  children: readonly DetectionTable[],
  size: readonly [number, number],
  newId: () => string,
): DetectionTable {
  const masks = findings.map(({ mask }) => mask).filter((mask) => mask !== undefined);
  return new DetectionTable({
    xyxy: Float64Array.from(findings.flatMap(({ mask, box }) => (mask === undefined ? box : boxAround(mask)))),
    confidence: Float64Array.from(findings, ({ confidence }) => Math.fround(confidence)),
    classId: Int32Array.from(findings, ({ classId }) => classId),
    masks: masks.length > 0 ? masks : undefined,
    data: { ...columnsOf(findings, children, size, newId), ...keypointColumns(findings) },
  });
}

/** What is told of a class once holds for all of it. */
function columnsOf(
  findings: readonly CropFinding[],
  children: readonly DetectionTable[],
  size: readonly [number, number],
  newId: () => string,
): Readonly<Record<string, readonly ColumnValue[]>> {
  const names = new Set(children.flatMap(({ data }) => Object.keys(data)));
  const columns: Record<string, readonly ColumnValue[]> = {};
  for (const name of names) {
    if (KEYPOINT_COLUMNS.includes(name)) continue;
    columns[name] = findings.map(({ classId }) => columnValue(name, classId));
  }
  return columns;

  function columnValue(name: string, classId: number): ColumnValue {
    if (name === "detection_id") return newId();
    if (name === "parent_id" || name === "inference_id") return children[0]?.data[name]?.[0] ?? newId();
    if (name === "prediction_type") return "instance-segmentation";
    if (SIZE_COLUMNS.includes(name)) return size;
    return sampleOf(children, classId, name) ?? (ORIGIN_COLUMNS.includes(name) ? [0, 0] : null);
  }
}

function sampleOf(children: readonly DetectionTable[], classId: number, name: string): ColumnValue | undefined {
  for (const child of children) {
    const row = child.classId?.indexOf(classId) ?? -1;
    if (row >= 0) return child.data[name] === undefined ? undefined : columnOf(child, name)[row];
  }
  return undefined;
}

function keypointColumns(findings: readonly CropFinding[]): Readonly<Record<string, readonly ColumnValue[]>> {
  if (!findings.some(({ keypoints }) => keypoints !== undefined)) return {};
  return {
    keypoints_xy: findings.map(({ keypoints }) => keypoints ?? null),
    keypoints_class_name: findings.map(({ keypointNames }) => keypointNames ?? null),
    keypoints_class_id: findings.map(({ keypointIds }) => keypointIds ?? null),
    keypoints_confidence: findings.map(({ keypointConfidence }) => keypointConfidence ?? null),
  };
}

/** Right and bottom edge just beyond the last pixel. */
function boxAround(mask: Mask): readonly number[] {
  const [left, top, right, bottom] = maskBounds(mask) ?? [0, 0, -1, -1];
  return [left, top, right + 1, bottom + 1];
}

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
