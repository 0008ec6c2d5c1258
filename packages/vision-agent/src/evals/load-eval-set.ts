// a folder of families → instructions, sorted
import { join } from "node:path";
import type { Instruction } from "./instruction.ts";
import { EvalSetError, parseInstructionFile } from "./parse-instruction-file.ts";

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
