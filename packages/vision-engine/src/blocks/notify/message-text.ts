// template, parameters and their operations → text
import { inputError } from "../../errors.ts";
import { toText } from "../../query/python-text.ts";
import type { QueryCache } from "../../query/query-cache.ts";
import type { BlockInputs, BlockValue } from "../block.ts";

/** Values by name. */
export type Parameters = Readonly<Record<string, BlockValue>>;

export interface Template {
  readonly message: string;
  readonly parameters: Parameters;
  /** Name of a parameter → list of operations on it. */
  readonly operations: Parameters;
}

const PLACEHOLDER = /\{\{\s*\$parameters\.([\p{L}\p{N}_]+)\s*\}\}/gu;

/** A value of a template with the text that it usually becomes. */
export interface FilledValue {
  readonly name: string;
  readonly value: unknown;
  readonly text: string;
}

/** Fills in `{{ $parameters.name }}`; unknown names stay as they are. `write` gives another text for a value. */
export function fillTemplate(
  { message, parameters, operations }: Template,
  queries: QueryCache,
  write: (filled: FilledValue) => string = ({ text }) => text,
): string {
  return message.replace(PLACEHOLDER, (placeholder, name: string) => {
    if (!Object.hasOwn(parameters, name)) return placeholder;
    const compiled = queries.operations(operationsOn(operations, name));
    const value = compiled(parameters[name]);
    return write({ name, value, text: toText(value, compiled.numbers) });
  });
}

/** Parameters with their operations carried out. */
export function applyOperations(parameters: Parameters, operations: Parameters, queries: QueryCache): Parameters {
  const entries = Object.entries(parameters).map(([name, value]) => {
    const list = operationsOn(operations, name);
    return [name, list === undefined ? value : (queries.operations(list)(value) as BlockValue)] as const;
  });
  return Object.fromEntries(entries);
}

function operationsOn(operations: Parameters, name: string): object | undefined {
  const list = Object.hasOwn(operations, name) ? operations[name] : undefined;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

/** Cut to `limit` characters, with a mark that says so. */
export function truncate(text: string, limit: number): string {
  const mark = "[...]";
  return text.length > limit ? `${text.slice(0, Math.max(0, limit - 1 - mark.length))} ${mark}` : text;
}

export function templateOf(inputs: BlockInputs, message: string): Template {
  return {
    message,
    parameters: dictionaryOf(inputs, "message_parameters"),
    operations: dictionaryOf(inputs, "message_parameters_operations"),
  };
}

/** Absent and null give an empty one. */
export function dictionaryOf(inputs: BlockInputs, property: string): Parameters {
  const value = inputs[property] ?? {};
  const isDictionary = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isDictionary) throw inputError(`"${property}" must be a dictionary.`);
  return value as Parameters;
}
