// list or text → one value, or a value for each element
import { toText } from "../python-text.ts";
import { compareValues, elementsOf, isNumeric, lengthOf, typeError } from "../python-values.ts";
import { failingAs, queryError } from "../query-error.ts";
import { typeNameOf } from "../query-value.ts";
import type { OperationBuilder, OperationBuilders, OperationSetting } from "./operation.ts";

/** Longest text that is joined. */
const MAX_JOINED = 1_000_000;
/** Longest text of an element that is counted; the rest is cut. */
const MAX_COUNTED = 128;

export const SEQUENCE_OPERATIONS: OperationBuilders = {
  LookupTable: onSequence(
    ({ definition }) =>
      (value) =>
        lookUp(definition.lookup_table, value),
  ),
  SequenceMap: onSequence(({ definition }) => (value) => {
    return elementsOf(value).map((element) => lookUp(definition.lookup_table, element));
  }),
  SequenceLength: (setting) => ({ ...onSequence(() => lengthOf)(setting), numbers: "integer" }),
  SequenceElementsCount: (setting) => ({ ...onSequence(countElements)(setting), numbers: "integer" }),
  SequenceJoin: onSequence(joinElements),
  SequenceAggregate: onSequence(
    ({ definition }) =>
      (value) =>
        aggregate(elementsOf(value), String(definition.mode)),
  ),
  NumericSequenceAggregate: onSequence(({ definition }) => (value) => {
    if (lengthOf(value) === 0) return definition.neutral_value ?? null;
    return aggregateNumbers(elementsOf(value), String(definition.function));
  }),
};

/** What goes wrong is an `InvalidInputTypeError`, unless it says otherwise. */
function onSequence(build: (setting: OperationSetting) => (value: unknown) => unknown): OperationBuilder {
  return (setting) => {
    const change = build(setting);
    const { place, numbers } = setting;
    return { numbers, run: (value) => failingAs("InvalidInputTypeError", place, () => change(value)) };
  };
}

function lookUp(table: unknown, key: unknown): unknown {
  // Names in a JSON object are texts: nothing else is found.
  if (typeof key === "string" && Object.hasOwn(table as object, key)) return (table as Record<string, unknown>)[key];
  throw typeError(`The table has no entry for ${toText(key).slice(0, 60)}.`);
}

function countElements({ numbers }: OperationSetting): (value: unknown) => unknown {
  return (value) => {
    const counts: Record<string, number> = {};
    for (const element of elementsOf(value)) {
      const text = toText(element, numbers);
      const name = text.length > MAX_COUNTED ? `${text.slice(0, MAX_COUNTED)} [...]` : text;
      counts[name] = (Object.hasOwn(counts, name) ? counts[name]! : 0) + 1;
    }
    return counts;
  };
}

function joinElements({
  definition: { separator = ", " },
  place,
  numbers,
}: OperationSetting): (value: unknown) => string {
  const between = String(separator);
  return (value) => {
    const parts = elementsOf(value).map((element) => toText(element, numbers));
    const length = parts.reduce((sum, part) => sum + part.length, between.length * Math.max(0, parts.length - 1));
    if (length <= MAX_JOINED) return parts.join(between);
    throw queryError(
      "OperationError",
      `The joined text would have ${length} characters; ${MAX_JOINED} are allowed.`,
      place,
    );
  };
}

function aggregate(elements: readonly unknown[], mode: string): unknown {
  if (elements.length === 0) throw typeError("There is nothing to choose from: the list is empty.");
  if (mode === "first") return elements[0];
  if (mode === "last") return elements.at(-1);
  const counts = new Map<unknown, { element: unknown; count: number }>();
  for (const element of elements) {
    if (typeof element === "object" && element !== null) throw typeError(`A ${typeNameOf(element)} cannot be counted.`);
    const key = isNumeric(element) ? Number(element) : element;
    const counted = counts.get(key);
    if (counted === undefined) counts.set(key, { element, count: 1 });
    else counted.count += 1;
  }
  const ordered = [...counts.values()].sort((a, b) => b.count - a.count);
  return (mode === "most_common" ? ordered[0]! : ordered.at(-1)!).element;
}

function aggregateNumbers(elements: readonly unknown[], name: string): unknown {
  if (name === "sum") {
    return elements.reduce<number>((sum, element) => {
      if (isNumeric(element)) return sum + Number(element);
      throw typeError(`A ${typeNameOf(element)} cannot be added.`);
    }, 0);
  }
  const sign = name === "min" ? 1 : -1;
  return elements.reduce((best, element) => (sign * compareValues(element, best) < 0 ? element : best));
}
