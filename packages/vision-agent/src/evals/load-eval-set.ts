// a folder of families → instructions, sorted
import { basename, dirname, join, resolve } from "node:path";
import type { z } from "zod";
import { parseYamlLines } from "../config/yaml-lines.ts";
import { type Instruction, instructionSchema } from "./instruction.ts";

/** The disk, as far as a set needs it. Paths are absolute. */
export interface SetFiles {
  /** Names of what is in a folder; undefined when there is no such folder. */
  list(folder: string): Promise<readonly string[] | undefined>;
  readText(path: string): Promise<string>;
}

const INSTRUCTION_FILE = /\.(?:ya?ml|json)$/;

/**
 * Reads every `.yaml`, `.yml` and `.json` in the folder and in the folders of families below it.
 * `only` keeps those whose name is this one, or that are of this family. Throws `EvalSetError` with everything wrong in all files.
 */
export async function loadEvalSet(files: SetFiles, folder: string, only?: string): Promise<readonly Instruction[]> {
  const paths = await findFiles(files, folder);
  const instructions: Instruction[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    try {
      instructions.push(parseInstructionFile(path, await files.readText(path)));
    } catch (error) {
      if (!(error instanceof EvalSetError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new EvalSetError(problems);
  if (instructions.length === 0)
    throw new EvalSetError([`${folder}: there is no instruction file in it (.yaml, .yml or .json).`]);
  const kept = instructions.filter(({ name, family }) => only === undefined || only === name || only === family);
  if (kept.length > 0) return kept;
  throw new EvalSetError([`${folder}: no instruction and no family is called ${only}.`]);
}

async function findFiles(files: SetFiles, folder: string): Promise<readonly string[]> {
  const names = await files.list(folder);
  if (names === undefined) throw new EvalSetError([`${folder}: there is no such folder.`]);
  const found: string[] = [];
  for (const name of names.toSorted()) {
    const path = join(folder, name);
    if (INSTRUCTION_FILE.test(name)) found.push(path);
    else
      for (const inner of (await files.list(path)) ?? [])
        if (INSTRUCTION_FILE.test(inner)) found.push(join(path, inner));
  }
  return found.toSorted();
}

/** A file of a set cannot be used; one line for each thing wrong: file, line, what was expected. */
export class EvalSetError extends Error {
  override readonly name = "EvalSetError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** `path` is absolute. Throws `EvalSetError`. */
export function parseInstructionFile(path: string, text: string): Instruction {
  const { value, errors, lineOf } = parseYamlLines(text);
  const at = (line: number, message: string): string => `${path}:${line}: ${message}`;
  if (errors.length > 0) {
    throw new EvalSetError(errors.map(({ line, message }) => at(line, `this is not valid YAML (${message})`)));
  }
  const parsed = instructionSchema.safeParse(value);
  if (!parsed.success) {
    throw new EvalSetError(
      parsed.error.issues.flatMap(describe).map(([place, words]) => at(lineNear(place, lineOf), words)),
    );
  }
  const { say, correct, images, house, agrees, expect, expect_each } = parsed.data;
  return {
    name: basename(path).replace(/\.\w+$/, ""),
    family: basename(dirname(path)),
    turns: typeof say === "string" ? [say] : say,
    ...(correct !== undefined && { correction: correct }),
    images: images.map((image) => resolve(dirname(path), image)),
    house,
    agrees,
    expected: expect,
    expectedEach: expect_each,
  };
}

type Place = readonly PropertyKey[];

function describe(issue: z.core.$ZodIssue): readonly (readonly [place: Place, words: string])[] {
  const place = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => [[...issue.path, key], `there is no key ${key}${place && ` in ${place}`}`]);
  }
  return [[issue.path, place === "" ? issue.message : `${place}: ${issue.message}`]];
}

/** The line of the place, or of the nearest one above it that is in the file. */
function lineNear(place: Place, lineOf: (place: Place) => number | undefined): number {
  return lineOf(place) ?? (place.length === 0 ? 1 : lineNear(place.slice(0, -1), lineOf));
}
