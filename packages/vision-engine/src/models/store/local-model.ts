// folder with an ONNX file and its description → model that can be opened
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type ModelDescription, parseModelDescription } from "../model-description.ts";
import { modelError } from "../model-error.ts";
import { parseModelPackage } from "../model-package.ts";
import { describeExport } from "./describe-export.ts";

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
