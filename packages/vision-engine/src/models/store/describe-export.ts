// what an exporter wrote into an ONNX file → model description
import type { ModelDescription, TaskType } from "../model-description.ts";
import { readOnnxSummary } from "../onnx/read-onnx.ts";

/** Words of the Ultralytics exporter for what a model is for. */
const TASKS: Readonly<Record<string, TaskType>> = {
  detect: "object-detection",
  segment: "instance-segmentation",
  classify: "classification",
};

/** `0: 'person'` or `0: "driver's seat"`. */
const CLASS_NAME = /(\d+):\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;

/**
 * Describes a file that says of itself what it is, as exports of YOLOv8 and later do. Absent when it does not.
 * Throws `EngineError` kind `model` when it is no ONNX file.
 */
export function describeExport(bytes: Uint8Array, id: string): ModelDescription | undefined {
  const { metadata, inputs, outputs } = readOnnxSummary(bytes);
  const task = TASKS[metadata.task ?? ""];
  const classNames = classNamesOf(metadata.names ?? "");
  const [height, width] = sizesOf(metadata.imgsz ?? "", inputs[0]?.dims ?? []);
  if (task === undefined || classNames.length === 0 || height === undefined || width === undefined) return undefined;
  return {
    id,
    task,
    architecture: task === "classification" ? "yolo-classification" : "yolov8",
    classNames,
    input: {
      width,
      height,
      resize: task === "classification" ? "center-crop" : "letterbox",
      padding: 114,
      colors: "rgb",
      scale: 255,
    },
    // Boxes in rows of six or more have been sorted out by the graph itself.
    ...(task !== "classification" && { fusedNms: isRows(outputs[0]?.dims ?? []) }),
    ...(task === "classification" && { scores: "none" as const }),
    licence: metadata.license,
  };
}

function classNamesOf(text: string): readonly string[] {
  const names: string[] = [];
  for (const [, classId, single, double] of text.matchAll(CLASS_NAME)) {
    names[Number(classId)] = (single ?? double ?? "").replace(/\\(.)/g, "$1");
  }
  return Array.from(names, (name, classId) => name ?? String(classId));
}

/** Height and width as the exporter noted them, or as the graph has them. */
function sizesOf(text: string, dims: readonly (number | string)[]): readonly number[] {
  const noted = [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  if (noted.length === 2) return noted;
  return dims.slice(2).filter((size) => typeof size === "number");
}

function isRows([, rows, columns]: readonly (number | string)[]): boolean {
  return typeof rows === "number" && typeof columns === "number" && columns < rows && columns <= 38;
}
