// recorded workflow and its runs → the same on our engine
import type { BlockIndex } from "../../src/blocks/block-catalog.ts";
import { EngineError } from "../../src/errors.ts";
import type { ImageValue } from "../../src/frames/image-value.ts";
import { modelRegistryOf } from "../../src/testing/index.ts";
import { type CompiledWorkflow, type CompileOptions, openWorkflow } from "../../src/workflow/open-workflow.ts";
import { decodeValue } from "../decode-value.ts";
import { createStubCatalog } from "../stub-blocks/stub-catalog.ts";
import { isObject, type Recorded, type RecordedObject } from "../vector-record.ts";

let catalog: BlockIndex | undefined;

/** Opens the workflow of a record. */
export async function compile({ workflow_definition }: RecordedObject): Promise<CompiledWorkflow> {
  catalog ??= createStubCatalog();
  return openWorkflow(workflow_definition, catalog, createOptions());
}

/** Runs one after the other on one workflow; a run that fails is told by its error. */
export async function runAll(input: RecordedObject): Promise<{ results: readonly unknown[] }> {
  const workflow = await compile(input);
  const results: unknown[] = [];
  for (const run of input.runs as readonly RecordedObject[]) {
    const inputs = (await decodeGiven(run)) as Record<string, unknown>;
    try {
      results.push(await workflow.run(inputs, { serialize: input.serialize_results === true }));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      results.push(error);
    }
  }
  await workflow.close();
  return { results };
}

/** Pictures as raw pixels: they become pictures of an input when they are read. */
export async function decodeGiven(value: Recorded): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(decodeGiven));
  if (!isObject(value)) return value;
  if ("$image" in value) return toPixels((await decodeValue(value)) as ImageValue);
  if (isPixelArray(value)) return pixelsOf(value.$ndarray as readonly (readonly Recorded[])[]);
  if (Object.keys(value).some((name) => name.startsWith("$"))) return decodeValue(value);
  const entries = Object.entries(value).map(async ([name, item]) => [name, await decodeGiven(item)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

function createOptions(): CompileOptions {
  let ids = 0;
  return {
    models: modelRegistryOf([]),
    now: () => Date.parse("2026-01-01T00:00:00Z"),
    random: () => 0.5,
    effects: { secrets: () => undefined },
    newId: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`;
    },
  };
}

function toPixels({ width, height, rgba, channels }: ImageValue): unknown {
  return { width, height, rgba, channels };
}

/** Rows of pixels, blue first, or of grey values. */
function isPixelArray({ $ndarray, dtype }: RecordedObject): boolean {
  return dtype === "uint8" && Array.isArray($ndarray) && Array.isArray($ndarray[0]);
}

function pixelsOf(rows: readonly (readonly Recorded[])[]): unknown {
  const pixels = rows.flat().map((pixel) => [pixel].flat() as readonly number[]);
  const rgba = Uint8ClampedArray.from(
    pixels.flatMap(([blue = 0, green = blue, red = blue]) => [red, green, blue, 255]),
  );
  return { width: rows[0]?.length ?? 0, height: rows.length, rgba, channels: pixels[0]?.length === 1 ? 1 : 3 };
}
