// answer of a Florence 2 task → detections
import { createHash } from "node:crypto";
import { inputError } from "../../errors.ts";
import { type ColumnValue, Detections, emptyDetections, repeated, withColumns } from "../../frames/detections.ts";
import { noteOrigin } from "../note-origin.ts";
import { isJsonObject, type JsonObject } from "./json-in-text.ts";
import type { VlmSetting } from "./vlm-detections.ts";

/** How a task writes its boxes, and what their classes are. */
interface FlorenceTask {
  readonly boxes: string;
  readonly labels?: string;
  readonly classId: (label: string, classes: readonly string[]) => number;
}

const BY_NAME = (label: string): number =>
  Number.parseInt(createHash("md5").update(label).digest("hex").slice(0, 9), 16) % 10000;
const ALL_ONE = (): number => 0;

/** Task of the block → task of the model. */
const TASKS: Readonly<Record<string, FlorenceTask>> = {
  "object-detection": { boxes: "bboxes", labels: "labels", classId: BY_NAME },
  "phrase-grounded-object-detection": { boxes: "bboxes", labels: "labels", classId: BY_NAME },
  "object-detection-and-caption": { boxes: "bboxes", labels: "labels", classId: ALL_ONE },
  "open-vocabulary-object-detection": {
    boxes: "bboxes",
    labels: "bboxes_labels",
    classId: (label, classes) => classes.indexOf(label),
  },
  "region-proposal": { boxes: "bboxes", classId: ALL_ONE },
  "ocr-with-text-detection": { boxes: "quad_boxes", labels: "labels", classId: ALL_ONE },
};

export function isFlorenceTask(task: string): boolean {
  return Object.hasOwn(TASKS, task);
}

/** Throws a `ValueError` when the answer is not that of the task. */
export function readFlorenceAnswer(payload: unknown, taskName: string, setting: VlmSetting): Detections {
  const task = TASKS[taskName]!;
  if (!isJsonObject(payload)) throw inputError("The answer of Florence 2 must be an object.");
  const corners = listIn(payload, task.boxes) as readonly (readonly number[])[];
  const labels =
    task.labels === undefined ? repeated("roi", corners.length) : (listIn(payload, task.labels) as readonly string[]);
  const { image, inferenceId, newId, classes } = setting;
  if (corners.length === 0) return noteOrigin(emptyDetections(), image, "object-detection");
  if (labels.length !== corners.length) throw inputError("The answer has another number of labels than of boxes.");
  const columns: Record<string, readonly ColumnValue[]> = {
    class_name: labels,
    inference_id: repeated(inferenceId, corners.length),
    detection_id: corners.map(newId),
  };
  if (task.boxes === "quad_boxes") columns.xyxyxyxy = corners.map(toPoints);
  const detections = new Detections({
    xyxy: Float64Array.from(corners.flatMap(boundsOf), Math.fround),
    confidence: new Float64Array(corners.length).fill(1),
    classId: Int32Array.from(labels, (label) => task.classId(label, classes)),
  });
  return noteOrigin(withColumns(detections, columns), image, "object-detection");
}

function listIn(payload: JsonObject, name: string): readonly unknown[] {
  const list = payload[name];
  if (Array.isArray(list)) return list;
  throw inputError(`The answer of Florence 2 has no list "${name}".`);
}

function toPoints(corners: readonly number[]): readonly (readonly [number, number])[] {
  return Array.from({ length: corners.length / 2 }, (_, at) => [corners[2 * at]!, corners[2 * at + 1]!]);
}

/** Left, top, right, bottom of two or of four corners. */
function boundsOf(corners: readonly number[]): readonly number[] {
  const points = toPoints(corners);
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
