// values of many frames → one figure for each interval
import { inputError } from "../../errors.ts";
import { compareValues, isEqual, lengthOf } from "../../query/python-values.ts";
import { createQueryCache } from "../../query/statements.ts";
import { type BlockInputs, type BlockOutputs, type BlockValue, block, numberOf, type StepText } from "../block.ts";

/** Collects values of one kind until somebody asks. */
interface Aggregate {
  take(value: BlockValue): void;
  readonly result: BlockValue;
}

const AGGREGATES: Readonly<Record<string, () => Aggregate>> = {
  sum: () => folded(0, (sum, value) => sum + numeric(value)),
  avg: () =>
    folded(
      { sum: 0, count: 0 },
      ({ sum, count }, value) => ({ sum: sum + numeric(value), count: count + 1 }),
      ({ sum, count }) => (count === 0 ? null : sum / count),
    ),
  max: () => extreme(1),
  min: () => extreme(-1),
  count: () => folded(0, (count, value) => count + sizeOf(value)),
  distinct: () => folded<BlockValue[]>([], withDistinct),
  count_distinct: () => folded<BlockValue[], BlockValue>([], withDistinct, ({ length }) => length),
  values_counts: () =>
    folded(
      new Map<string, number>(),
      (counts, value) => {
        for (const item of itemsOf(value)) counts.set(String(item), (counts.get(String(item)) ?? 0) + 1);
        return counts;
      },
      (counts) => Object.fromEntries(counts),
    ),
  values_difference: () => {
    const [most, least] = [extreme(1), extreme(-1)];
    return {
      take(value) {
        most.take(value);
        least.take(value);
      },
      get result() {
        return most.result === null ? null : numeric(most.result) - numeric(least.result);
      },
    };
  },
};

const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600 };

const OUTPUT_KINDS: Readonly<Record<string, readonly string[]>> = {
  distinct: ["list_of_values"],
  values_counts: ["dictionary"],
};

export const dataAggregator = block({
  type: "roboflow_core/data_aggregator@v1",
  description: "Sums up values over an interval: sum, mean, largest, smallest, counts, distinct values.",
  phrase: "sums values up",
  outputs: (step) =>
    namesOf(step).map(({ name, mode }) => ({ name, kinds: OUTPUT_KINDS[mode] ?? ["float", "integer"] })),
  start: ({ now, random }) => {
    const queries = createQueryCache({ now, random });
    let aggregates = new Map<string, Aggregate>();
    let runs = 0;
    let startedMs = now();
    return (inputs) => {
      runs += 1;
      for (const [name, given] of Object.entries(inputs.data as BlockInputs)) {
        const operations = (inputs.data_operations as BlockInputs | null)?.[name];
        const value = operations === undefined ? given : (queries.operations(operations)(given) as BlockValue);
        for (const mode of modesOf(inputs.aggregation_mode, name)) {
          const aggregate = aggregates.get(`${name}_${mode}`) ?? createAggregate(mode);
          aggregates.set(`${name}_${mode}`, aggregate);
          aggregate.take(value);
        }
      }
      if (!isOver(inputs, runs, (now() - startedMs) / 1000)) return toOutputs(aggregates, () => null);
      const results = toOutputs(aggregates, ({ result }) => result);
      aggregates = new Map();
      runs = 0;
      startedMs = now();
      return results;
    };
  },
});

function namesOf({ properties }: StepText): readonly { readonly name: string; readonly mode: string }[] {
  const names = Object.keys((properties.data ?? {}) as BlockInputs);
  return names.flatMap((name) =>
    modesOf(properties.aggregation_mode, name).map((mode) => ({ name: `${name}_${mode}`, mode })),
  );
}

function modesOf(value: BlockValue | undefined, name: string): readonly string[] {
  return ((value ?? {}) as Readonly<Record<string, readonly string[]>>)[name] ?? [];
}

function createAggregate(mode: string): Aggregate {
  const create = AGGREGATES[mode];
  if (create !== undefined) return create();
  throw inputError(`"aggregation_mode" knows no "${mode}": take one of ${Object.keys(AGGREGATES).join(", ")}.`);
}

function isOver(inputs: BlockInputs, runs: number, seconds: number): boolean {
  const interval = numberOf(inputs, "interval");
  const unit = SECONDS[String(inputs.interval_unit)];
  return unit === undefined ? runs >= interval : seconds >= interval * unit;
}

function toOutputs(
  aggregates: ReadonlyMap<string, Aggregate>,
  pick: (aggregate: Aggregate) => BlockValue,
): BlockOutputs {
  return Object.fromEntries([...aggregates].map(([name, aggregate]) => [name, pick(aggregate)]));
}

function folded<T, Result extends BlockValue = T & BlockValue>(
  first: T,
  add: (soFar: T, value: BlockValue) => T,
  finish: (all: T) => Result = (all) => all as unknown as Result,
): Aggregate {
  let soFar = first;
  return {
    take(value) {
      soFar = add(soFar, value);
    },
    get result() {
      return finish(soFar);
    },
  };
}

/** The largest value, or the smallest with the sign turned. */
function extreme(sign: 1 | -1): Aggregate {
  return folded<BlockValue>(null, (best, value) =>
    best === null || sign * compareValues(value, best) > 0 ? value : best,
  );
}

/** Every value once, in the order they were first seen. */
function withDistinct(values: BlockValue[], value: BlockValue): BlockValue[] {
  for (const item of itemsOf(value)) if (!values.some((known) => isEqual(known, item))) values.push(item);
  return values;
}

/** Lists are taken apart. */
function itemsOf(value: BlockValue): readonly BlockValue[] {
  return Array.isArray(value) ? value : [value];
}

function numeric(value: BlockValue): number {
  if (typeof value === "number" || typeof value === "boolean") return Number(value);
  throw inputError("Only numbers can be summed up.", "TypeError");
}

/** Elements of what has any; a single value counts as one. */
function sizeOf(value: BlockValue): number {
  return value === null || typeof value === "number" || typeof value === "boolean" ? 1 : lengthOf(value);
}
