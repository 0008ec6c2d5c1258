// folder with an ONNX file and its description → model that can be opened

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { modelError } from "../../errors.ts";
import { type ModelDescription, parseModelDescription, type TaskType } from "../model-description.ts";
import { parseModelPackage } from "../model-package.ts";
import { readOnnxSummary } from "../onnx/onnx-file.ts";

/** A model on disk, ready to be opened. */
export interface StoredModel {
  readonly description: ModelDescription;
  /** Path of the ONNX file. */
  readonly weights: string;
}

const TEXT_FILE = /\.(json|txt)$/;
/** Text files of a package are short; a larger one belongs to something else. */
const LONGEST_TEXT = 10_000_000;

/**
 * Reads a model folder: `model.json` beside `weights.onnx`, or a package in Roboflow's form (`model_config.json`,
 * `inference_config.json`, `class_names.txt`, `weights.onnx`), or an ONNX file alone that says of itself what it is.
 * Absent when there is no such thing. Throws `EngineError` kind `model` when the description is wrong or missing.
 */
export async function loadLocalModel(folder: string, id: string): Promise<StoredModel | undefined> {
  // No folder: there is no such model here.
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const isPackage = names.includes("inference_config.json") || names.includes("environment.json");
  const weights = names.includes("weights.onnx") ? "weights.onnx" : names.find((name) => name.endsWith(".onnx"));
  if (weights === undefined) {
    if (!isPackage && !names.includes("model.json")) return undefined;
    throw modelError(`The model folder ${folder} has no weights.onnx. Export the model into it.`);
  }
  const file = join(folder, weights);
  if (names.includes("model.json"))
    return { description: await loadDescription(join(folder, "model.json"), id), weights: file };
  if (isPackage) return { description: parseModelPackage(await loadTexts(folder, names), id), weights: file };
  const description = describeExport(await readFile(file), id);
  if (description !== undefined) return { description, weights: file };
  throw modelError(
    `Nothing says how ${file} is to be run. Write a model.json beside it with task, architecture, classNames and input (width, height).`,
  );
}

async function loadDescription(file: string, id: string): Promise<ModelDescription> {
  try {
    return parseModelDescription({ id, ...JSON.parse(await readFile(file, "utf8")) }, file);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw modelError(`The model description ${file} is not JSON. Correct it.`, error);
  }
}

async function loadTexts(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const name of names.filter((each) => TEXT_FILE.test(each))) {
    const file = join(folder, name);
    if ((await stat(file)).size <= LONGEST_TEXT) texts[name] = await readFile(file, "utf8");
  }
  return texts;
}

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
