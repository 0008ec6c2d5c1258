// values of many frames → one figure for each interval
import { inputError } from "../../errors.ts";
import { compareValues, isEqual, lengthOf } from "../../query/python-values.ts";
import { createQueryCache } from "../../query/query-cache.ts";
import { type BlockInputs, type BlockOutputs, type BlockValue, block, numberOf, type StepText } from "../block.ts";

type Dictionary = Readonly<Record<string, BlockValue>>;

/** Collects values of one kind until somebody asks. */
interface Aggregate {
  take(value: BlockValue): void;
  readonly result: BlockValue;
}

const AGGREGATES: Readonly<Record<string, () => Aggregate>> = {
  sum: () => folded<number>(0, (sum, value) => sum + numeric(value)),
  avg: () => {
    const values: { sum: number; count: number } = { sum: 0, count: 0 };
    return {
      take(value) {
        values.sum += numeric(value);
        values.count += 1;
      },
      get result() {
        return values.count === 0 ? null : values.sum / values.count;
      },
    };
  },
  max: () =>
    folded<BlockValue>(null, (most, value) => (most === null || compareValues(value, most) > 0 ? value : most)),
  min: () =>
    folded<BlockValue>(null, (least, value) => (least === null || compareValues(value, least) < 0 ? value : least)),
  count: () => folded<number>(0, (count, value) => count + sizeOf(value)),
  distinct: () => distinctValues((values) => values),
  count_distinct: () => distinctValues((values) => values.length),
  values_counts: () => {
    const counts = new Map<string, number>();
    return {
      take(value) {
        for (const item of Array.isArray(value) ? value : [value]) {
          counts.set(String(item), (counts.get(String(item)) ?? 0) + 1);
        }
      },
      get result() {
        return Object.fromEntries(counts);
      },
    };
  },
  values_difference: () => {
    const [most, least] = [AGGREGATES.max!(), AGGREGATES.min!()];
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
      for (const [name, given] of Object.entries(inputs.data as Dictionary)) {
        const operations = (inputs.data_operations as Dictionary | null)?.[name];
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
  const names = Object.keys((properties.data ?? {}) as Dictionary);
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

function folded<T extends BlockValue>(first: T, add: (soFar: T, value: BlockValue) => T): Aggregate {
  let result = first;
  return {
    take(value) {
      result = add(result, value);
    },
    get result() {
      return result;
    },
  };
}

/** Lists are taken apart; every value once, in the order of its first sight. */
function distinctValues(toResult: (values: readonly BlockValue[]) => BlockValue): Aggregate {
  const values: BlockValue[] = [];
  return {
    take(value) {
      for (const item of (Array.isArray(value) ? value : [value]) as readonly BlockValue[]) {
        if (!values.some((known) => isEqual(known, item))) values.push(item);
      }
    },
    get result() {
      return toResult(values);
    },
  };
}

function numeric(value: BlockValue): number {
  if (typeof value === "number" || typeof value === "boolean") return Number(value);
  throw inputError("Only numbers can be summed up.", "TypeError");
}

/** Elements of what has any; a single value counts as one. */
function sizeOf(value: BlockValue): number {
  return value === null || typeof value === "number" || typeof value === "boolean" ? 1 : lengthOf(value);
}
