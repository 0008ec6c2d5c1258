import type { NumberStyle } from "../python-text.ts";

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
