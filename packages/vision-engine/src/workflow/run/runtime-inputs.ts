// what a caller gives → values for every input of the plan
import type { BlockValue } from "../../blocks/block.ts";
import { describeLiterals, literalFits, parsePropertyType } from "../../blocks/manifests/property-type.ts";
import { type DeserializeOptions, deserializeValue, isDeserializedKind } from "../../query/deserialize-value.ts";
import { runtimeInputError } from "../../query/query-value.ts";
import type { ParsedInput } from "../parsed-workflow.ts";
import type { ParameterCheck } from "./compile-plan.ts";

/** Input name → what was given for it. */
export type GivenInputs = Readonly<Record<string, unknown>>;

/**
 * Batches as lists of one length, read as the kinds they declare; parameters as given, or their default.
 * Throws `EngineError` of type `RuntimeInputError`.
 */
export async function readRuntimeInputs(
  inputs: readonly ParsedInput[],
  given: GivenInputs,
  options: DeserializeOptions,
): Promise<(BlockValue | readonly BlockValue[])[]> {
  const size = batchSize(inputs, given);
  const values: (BlockValue | readonly BlockValue[])[] = [];
  for (const input of inputs) {
    const isGiven = Object.hasOwn(given, input.name) && given[input.name] !== undefined;
    const value = isGiven ? given[input.name] : null;
    if (input.lineage.length > 0) values.push(await readBatch(input, value, size, options));
    else values.push(isGiven ? (value as BlockValue) : input.defaultValue);
  }
  return values;
}

/** Length of the first batch of more than one. */
function batchSize(inputs: readonly ParsedInput[], given: GivenInputs): number {
  for (const { name, lineage } of inputs) {
    const value = lineage.length > 0 ? given[name] : undefined;
    if (Array.isArray(value) && value.length > 1) return value.length;
  }
  return 1;
}

async function readBatch(
  input: ParsedInput,
  value: unknown,
  size: number,
  options: DeserializeOptions,
): Promise<readonly BlockValue[]> {
  const { name, type } = input;
  if (value === null)
    throw runtimeInputError(`Nothing was given for input "${name}" (${type} of ${input.kinds.join(" or ")}).`);
  const readNested = async (item: unknown, depth: number, place: string): Promise<BlockValue> => {
    if (depth === input.lineage.length) return readElement(input, item, place, options);
    if (Array.isArray(item)) {
      return Promise.all(item.map((part, at) => readNested(part, depth + 1, `${place}.[${at}]`)));
    }
    const message = `Input "${name}" is a batch ${input.lineage.length} deep; at "${place}" a list is missing.`;
    throw runtimeInputError(message);
  };
  const elements = Array.isArray(value)
    ? await Promise.all(value.map((item, at) => readNested(item, 1, `${name}.[${at}]`)))
    : [await readElement(input, value, name, options)];
  const spread = elements.length === 1 && size > 1 ? new Array<BlockValue>(size).fill(elements[0]!) : elements;
  if (spread.length === size) return spread;
  const message = `Input "${name}" has ${spread.length} elements, others have ${size}: batches are of one length, or of length 1.`;
  throw runtimeInputError(message);
}

/** As the first declared kind that it fits. */
async function readElement(
  { kinds }: ParsedInput,
  value: unknown,
  place: string,
  options: DeserializeOptions,
): Promise<BlockValue> {
  const readable = kinds.filter(isDeserializedKind);
  if (value === null || readable.length === 0) return value as BlockValue;
  const failures: string[] = [];
  for (const kind of readable) {
    try {
      return (await deserializeValue(kind, value, place, options)) as BlockValue;
    } catch (error) {
      failures.push(`as ${kind}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw runtimeInputError(`What was given for "${place}" cannot be read. ${failures.join(" ")}`);
}

/** A parameter must fit every property that it fills; selector-only properties take any. Throws `EngineError`. */
export function checkParameters(
  checks: readonly ParameterCheck[],
  values: readonly (BlockValue | readonly BlockValue[])[],
): void {
  for (const { input, parameter, step, property, type } of checks) {
    const { literals } = parsePropertyType(type);
    if (literals.length === 0 || literalFits(literals, values[input] as never)) continue;
    const message = `Parameter "${parameter}" fills "${property}" of step "${step}", which takes ${describeLiterals(literals)}, not ${inWords(values[input])}.`;
    throw runtimeInputError(message);
  }
}

function inWords(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return JSON.stringify(value) ?? "nothing";
}
