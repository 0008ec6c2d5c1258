// text of a YAML or JSON file → one instruction, or everything wrong with it by line
import { basename, dirname, resolve } from "node:path";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { type Instruction, instructionSchema } from "./instruction.ts";

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
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (line: number, message: string): string => `${path}:${line}: ${message}`;
  if (document.errors.length > 0) {
    throw new EvalSetError(
      document.errors.map(({ pos, message }) => at(lines.linePos(pos[0]).line, `this is not valid YAML (${message})`)),
    );
  }
  const parsed = instructionSchema.safeParse(document.toJS());
  if (!parsed.success) {
    const lineOf = (place: readonly PropertyKey[]): number => findLine(document, lines, place);
    throw new EvalSetError(
      parsed.error.issues.flatMap((issue) => describe(issue, lineOf)).map(([line, words]) => at(line, words)),
    );
  }
  const { say, correct, images, house, expect } = parsed.data;
  return {
    name: basename(path).replace(/\.\w+$/, ""),
    family: basename(dirname(path)),
    turns: typeof say === "string" ? [say] : say,
    ...(correct !== undefined && { correction: correct }),
    images: images.map((image) => resolve(dirname(path), image)),
    house,
    expected: expect,
  };
}

function describe(
  issue: z.core.$ZodIssue,
  lineOf: (place: readonly PropertyKey[]) => number,
): readonly (readonly [line: number, words: string])[] {
  const place = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => [lineOf([...issue.path, key]), `there is no key ${key}${place && ` in ${place}`}`]);
  }
  return [[lineOf(issue.path), place === "" ? issue.message : `${place}: ${issue.message}`]];
}

/** The line of the place, or of the nearest one above it that is in the file. */
function findLine(document: Document, lines: LineCounter, place: readonly PropertyKey[]): number {
  for (let depth = place.length; depth > 0; depth -= 1) {
    const parent = document.getIn(place.slice(0, depth - 1), true);
    const marker = markerIn(parent, place[depth - 1]);
    if (isNode(marker) && marker.range) return lines.linePos(marker.range[0]).line;
  }
  return 1;
}

function markerIn(parent: unknown, name: PropertyKey | undefined): unknown {
  if (isSeq(parent)) return parent.items[Number(name)];
  if (!isMap(parent)) return undefined;
  return parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(name))?.key;
}
