// frame with its motion → the model looks again, at a part, or not at all
import { type DetectionTable, filterRows, mergeDetections } from "../frames/detections.ts";
import { cutPixels, type Frame, type Motion, type Rect } from "../frames/frame.ts";
import { anchorPoint, boxAt, moveBoxes } from "../geometry/boxes.ts";
import type { DetectionModel, DetectOptions, ModelRegistry, ModelsByTask, ModelTask } from "../models/model.ts";

export interface MotionPolicy {
  /** A still picture is looked at again after so many seconds. Raise to spare the machine, lower against misses. */
  readonly refreshSeconds: number;
  /** Frames that are still looked at when motion has ended. */
  readonly settleFrames: number;
  /** Share of the picture up to which only the moving part is looked at; more is looked at whole. */
  readonly largestRegion: number;
}

const STANDARD_MOTION_POLICY: MotionPolicy = { refreshSeconds: 10, settleFrames: 2, largestRegion: 0.35 };

/** Further back it is not a slow workflow but a clock that was set. */
const MOST_BEHIND_SECONDS = 10;

/** What is known of one video, with the options of one step. */
interface LastLook {
  /** Time of the frame, in seconds. */
  seenAt: number;
  /** What the last look gave, or will give. */
  found: Promise<DetectionTable>;
  wholeAt: number;
  settling: number;
}

/** The same models; those that find boxes look only where and when frames say that something moved. */
export function gateModels(models: ModelRegistry, policy: MotionPolicy = STANDARD_MOTION_POLICY): ModelRegistry {
  return {
    async open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> {
      const model = await models.open(id, task);
      if (task !== "object-detection" || (model as DetectionModel).cheap) return model;
      return gateDetection(model as DetectionModel, policy) as ModelsByTask[T];
    },
  };
}

export function gateDetection(model: DetectionModel, policy: MotionPolicy): DetectionModel {
  const lastLooks = new Map<string, LastLook>();

  function look(frame: Frame, motion: Motion, options: DetectOptions): Promise<DetectionTable> {
    const { source_id, timestamp } = frame.metadata;
    const seconds = Date.parse(timestamp) / 1000;
    const key = `${source_id} ${JSON.stringify(options)}`;
    const last = lastLooks.get(key);
    // A slower workflow comes with a frame that others have passed.
    if (last !== undefined && seconds < last.seenAt && last.seenAt - seconds < MOST_BEHIND_SECONDS) {
      return model.detect(frame, options);
    }
    const fresh = last !== undefined && Math.abs(seconds - last.wholeAt) < policy.refreshSeconds;
    if (!fresh) {
      const found = model.detect(frame, options);
      const settling = motion.moving ? policy.settleFrames : 0;
      lastLooks.set(key, { found, seenAt: seconds, wholeAt: seconds, settling });
      return found;
    }
    last.seenAt = seconds;
    if (!motion.moving && last.settling <= 0) return last.found;
    last.settling = motion.moving ? policy.settleFrames : last.settling - 1;
    last.found = lookAgain(last.found, frame, motion, options);
    return last.found;
  }

  async function lookAgain(
    before: Promise<DetectionTable>,
    frame: Frame,
    motion: Motion,
    options: DetectOptions,
  ): Promise<DetectionTable> {
    if (motion.regions.length === 0) return model.detect(frame, options);
    const { width, height } = frame.metadata;
    const known = await before;
    const region = growOver([...motion.regions, ...boxesAcross(known, motion.regions)], width, height);
    if (region.width * region.height > policy.largestRegion * width * height) return model.detect(frame, options);
    const found = await model.detect(cutOut(frame, region), options);
    const moved = found.with({ xyxy: moveBoxes(found.xyxy, [region.x, region.y]), metadata: known.metadata });
    return mergeDetections([outside(known, region), moved]);
  }

  return {
    ...model,
    detect: (frame, options) =>
      frame.motion === undefined ? model.detect(frame, options) : look(frame, frame.motion, options),
  };
}

/** All moving parts with room around them, so that things in them are seen whole; even sides, inside the picture. */
function growOver(regions: readonly Rect[], width: number, height: number): Rect {
  const left = Math.min(...regions.map(({ x }) => x));
  const top = Math.min(...regions.map(({ y }) => y));
  const right = Math.max(...regions.map((region) => region.x + region.width));
  const bottom = Math.max(...regions.map((region) => region.y + region.height));
  // At least a third of the picture: models know things better with what is around them.
  const grow = (from: number, to: number, size: number): readonly [from: number, to: number] => {
    const room = Math.max(0.25 * (to - from), (size / 3 - (to - from)) / 2);
    const low = Math.max(0, Math.floor(from - room));
    return [low, Math.min(size, Math.ceil(to + room))];
  };
  const [x, x2] = grow(left, right, width);
  const [y, y2] = grow(top, bottom, height);
  return { x, y, width: x2 - x, height: y2 - y };
}

/** Known things that a moving part touches: cut in two they would be found twice. */
function boxesAcross({ xyxy, length }: DetectionTable, regions: readonly Rect[]): readonly Rect[] {
  const boxes = Array.from({ length }, (_, row): Rect => {
    const [left, top, right, bottom] = boxAt(xyxy, row);
    return { x: left, y: top, width: right - left, height: bottom - top };
  });
  return boxes.filter((box) => regions.some((region) => touches(box, region)));
}

function touches(one: Rect, other: Rect): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

function cutOut({ metadata, rgba }: Frame, part: Rect): Frame {
  const { width, height } = part;
  const pixels = cutPixels({ rgba, width: metadata.width, height: metadata.height }, part);
  const partOf = { x: part.x, y: part.y, width: metadata.width, height: metadata.height };
  return { metadata: { ...metadata, width, height }, rgba: pixels, partOf };
}

/** What has its middle outside of the part that was looked at anew. */
function outside(detections: DetectionTable, { x, y, width, height }: Rect): DetectionTable {
  return filterRows(detections, (row) => {
    const [centerX, centerY] = anchorPoint(detections.xyxy, "CENTER", row);
    return centerX < x || centerX > x + width || centerY < y || centerY > y + height;
  });
}
