// boxes that scored too low for a step → told with the result of their frame
import type { FrameMetadata, WeakDetection } from "@vision-agent/protocol";
import { classNamesOf, type DetectionTable } from "../frames/detections.ts";
import type { Frame } from "../frames/frame.ts";
import { boxAt } from "../geometry/boxes.ts";
import type { DetectionModel, ModelRegistry, ModelsByTask, ModelTask } from "../models/model.ts";

/** More of a frame are of no use to anybody. */
const MOST_OF_A_FRAME = 5;
/** Frames of which it is remembered: those inside workflows, and slower ones. */
const MOST_FRAMES = 64;

export interface WeakLooks {
  /** The same models; what they find below the threshold is remembered with the frame. */
  readonly models: ModelRegistry;
  /** The best of a frame; undefined where nobody looked, or the models do not tell. */
  of(frame: Pick<FrameMetadata, "source_id" | "frame_number">): WeakDetection[] | undefined;
}

export function noteWeakLooks(models: ModelRegistry): WeakLooks {
  const looks = new Map<string, WeakDetection[]>();
  const keyOf = ({ source_id, frame_number }: Pick<FrameMetadata, "source_id" | "frame_number">): string =>
    `${source_id} ${frame_number}`;
  const note = (frame: Frame, weak: DetectionTable): void => {
    const key = keyOf(frame.metadata);
    const known = [...(looks.get(key) ?? []), ...toWeak(frame, weak)];
    looks.delete(key);
    looks.set(key, known.sort((one, other) => other.confidence - one.confidence).slice(0, MOST_OF_A_FRAME));
    const [oldest] = looks.keys();
    if (looks.size > MOST_FRAMES && oldest !== undefined) looks.delete(oldest);
  };
  return {
    models: {
      async open<T extends ModelTask>(id: string, task: T): Promise<ModelsByTask[T]> {
        const model = await models.open(id, task);
        if (task !== "object-detection") return model;
        const detector = model as DetectionModel;
        const noted: DetectionModel = {
          ...detector,
          detect: (frame, options) => detector.detect(frame, { ...options, onWeak: (weak) => note(frame, weak) }),
        };
        return noted as ModelsByTask[T];
      },
    },
    of: (frame) => looks.get(keyOf(frame)),
  };
}

/** Fractions of the whole picture, also of what was seen in a part of it. */
function toWeak({ metadata, partOf }: Frame, weak: DetectionTable): WeakDetection[] {
  const { x, y, width, height } = partOf ?? { x: 0, y: 0, width: metadata.width, height: metadata.height };
  const names = classNamesOf(weak);
  return Array.from({ length: weak.length }, (_, row) => {
    const [left, top, right, bottom] = boxAt(weak.xyxy, row);
    const box: WeakDetection["box"] = [
      (left + x) / width,
      (top + y) / height,
      (right + x) / width,
      (bottom + y) / height,
    ];
    return { class_name: names[row] ?? "thing", confidence: weak.confidence?.[row] ?? 0, box };
  });
}
