// an operation as its author wrote it → what it does with a value
import type { NumberStyle } from "../python-text.ts";
import { failingAs, type QueryErrorType, queryError, typeNameOf } from "../query-value.ts";

/** Names that statements and operations may refer to, and what they stand for. */
export type QueryScope = Readonly<Record<string, unknown>>;

/** One step of a chain: a value in, a value out. Throws a query error. */
export type Operation = (value: unknown, scope: QueryScope) => unknown;

/** What operations need from outside; a block's context fits. */
export interface QueryTools {
  /** Wall clock in milliseconds: the time of pictures that have none. */
  readonly now: () => number;
  /** 0 up to 1. */
  readonly random: () => number;
}

/** An operation as its author wrote it. */
export interface OperationDefinition {
  readonly type: string;
  readonly [property: string]: unknown;
}

/** What an operation is built from. */
export interface OperationSetting {
  readonly definition: OperationDefinition;
  /** Way to the operation, for errors: `<root>[0]`. */
  readonly place: string;
  /** What is known of the numbers that come in. */
  readonly numbers: NumberStyle;
  readonly tools: QueryTools;
}

export interface BuiltOperation {
  readonly run: Operation;
  /** What is known of the numbers that go out. */
  readonly numbers: NumberStyle;
}

export type OperationBuilder = (setting: OperationSetting) => BuiltOperation;

export type OperationBuilders = Readonly<Record<string, OperationBuilder>>;

/** How the operations of one kind are built. */
interface OperationKind<T> {
  /** What is told of a value that is not taken: "A text is needed, not a int." Absent: everything is taken. */
  readonly wants?: string;
  readonly takes?: (value: unknown) => value is T;
  /** What goes wrong inside becomes an error of this type; absent: it stays what it is. */
  readonly failsAs?: QueryErrorType;
}

/** Numbers go out as they came in, unless `numbers` says otherwise. */
type BuildOperation<T> = (
  build: (setting: OperationSetting) => (value: T, scope: QueryScope) => unknown,
  numbers?: NumberStyle | ((setting: OperationSetting) => NumberStyle),
) => OperationBuilder;

export function operationsOn<T = unknown>({ wants, takes, failsAs }: OperationKind<T>): BuildOperation<T> {
  return (build, numbers) => (setting) => {
    const { place } = setting;
    const change = build(setting);
    return {
      numbers: typeof numbers === "function" ? numbers(setting) : (numbers ?? setting.numbers),
      run: (value, scope) => {
        if (takes !== undefined && !takes(value)) throw unfit(`${wants} is needed at ${place}`, value, place);
        const run = (): unknown => change(value as T, scope);
        return failsAs === undefined ? run() : failingAs(failsAs, place, run);
      },
    };
  };
}

/** An operation for which nothing is to be made ready beforehand. */
export function directly<T>(
  run: (value: T, setting: OperationSetting) => unknown,
): (setting: OperationSetting) => (value: T) => unknown {
  return (setting) => (value) => run(value, setting);
}

/** "A text is needed, not a int." */
export function unfit(what: string, value: unknown, place?: string): Error {
  return queryError("InvalidInputTypeError", `${what}, not a ${typeNameOf(value)}.`, place);
}
