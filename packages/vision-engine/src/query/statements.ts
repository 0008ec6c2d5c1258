// operations and statements as JSON → functions, built once
import { EngineError, inputError } from "../errors.ts";
import { selectRows } from "../frames/detections.ts";
import { type Point, type Polygon, placeOf } from "../geometry/polygons.ts";
import { DETECTIONS_OPERATIONS, detectionsIn } from "./operations/detections-operations.ts";
import type {
  BuiltOperation,
  Operation,
  OperationBuilders,
  OperationDefinition,
  OperationSetting,
  QueryScope,
  QueryTools,
} from "./operations/operation.ts";
import {
  CLASSIFICATION_OPERATIONS,
  IMAGE_OPERATIONS,
  NUMBER_OPERATIONS,
  SEQUENCE_OPERATIONS,
  TEXT_OPERATIONS,
} from "./operations/value-operations.ts";
import type { NumberStyle } from "./python-text.ts";
import { compareValues, DetectionRow, elementsOf, isEqual, isIn, lengthOf, typeError } from "./python-values.ts";
import { failingAs, isQueryError, type QueryValue, queryError, typeNameOf } from "./query-value.ts";

/** A chain of operations, ready to run. Throws a query error. */
export interface CompiledOperations {
  (value: unknown, parameters?: QueryScope): QueryValue;
  /** What is known of the numbers that come out, for those who write them as text. */
  readonly numbers: NumberStyle;
}

/** A statement, ready to run on its parameters. Throws a query error. */
export type CompiledStatement = (parameters: QueryScope) => boolean;

/** Name of the current element, in filters. */
const CURRENT = "_";

const BUILDERS: OperationBuilders = {
  ...TEXT_OPERATIONS,
  ...NUMBER_OPERATIONS,
  ...SEQUENCE_OPERATIONS,
  ...DETECTIONS_OPERATIONS,
  ...CLASSIFICATION_OPERATIONS,
  ...IMAGE_OPERATIONS,
  SequenceApply: buildSequenceApply,
  DetectionsFilter: buildDetectionsFilter,
};

/** `operations` is a list as a step holds it. Throws `OperationTypeNotRecognisedError`. */
export function compileOperations(operations: unknown, tools: QueryTools): CompiledOperations {
  const { run, numbers } = buildChain(definitionsIn(operations), tools, (at) => `<root>[${at}]`, "plain");
  return Object.assign((value: unknown, parameters: QueryScope = {}) => run(value, parameters) as QueryValue, {
    numbers,
  });
}

/** `statement` is a `StatementGroup`, `BinaryStatement` or `UnaryStatement` as a step holds it. */
export function compileStatement(statement: unknown, tools: QueryTools): CompiledStatement {
  return buildStatement(statement as StatementDefinition, tools, "<root>");
}

/** Builds each definition once, told apart by identity: a step hands the same object to every run. */
export interface QueryCache {
  operations(definition: unknown): CompiledOperations;
  statement(definition: unknown): CompiledStatement;
}

export function createQueryCache(tools: QueryTools): QueryCache {
  const operations = new WeakMap<object, CompiledOperations>();
  const statements = new WeakMap<object, CompiledStatement>();
  return {
    operations: (definition) => kept(operations, definition ?? [], (json) => compileOperations(json, tools)),
    statement: (definition) => kept(statements, definition ?? {}, (json) => compileStatement(json, tools)),
  };
}

function kept<T>(cache: WeakMap<object, T>, definition: unknown, build: (definition: unknown) => T): T {
  const key = definition as object;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const built = build(definition);
  cache.set(key, built);
  return built;
}

function definitionsIn(operations: unknown): readonly OperationDefinition[] {
  return (operations ?? []) as readonly OperationDefinition[];
}

function buildChain(
  definitions: readonly OperationDefinition[],
  tools: QueryTools,
  placeOf: (at: number) => string,
  given: NumberStyle,
): BuiltOperation {
  let numbers = given;
  const steps: Operation[] = [];
  for (const [at, definition] of definitions.entries()) {
    const built = buildOperation({ definition, place: placeOf(at), numbers, tools });
    steps.push(built.run);
    numbers = built.numbers;
  }
  return { run: (value, scope) => steps.reduce((current, step) => step(current, scope), value), numbers };
}

function buildOperation(setting: OperationSetting): BuiltOperation {
  const { type } = setting.definition;
  const build = Object.hasOwn(BUILDERS, type) ? BUILDERS[type] : undefined;
  if (build !== undefined) return build(setting);
  throw new EngineError({
    kind: "input",
    type: "OperationTypeNotRecognisedError",
    context: "step_execution | roboflow_query_language_compilation",
    message: `There is no operation "${type}".`,
  });
}

function buildSequenceApply({ definition, place, numbers, tools }: OperationSetting): BuiltOperation {
  const chain = buildChain(definitionsIn(definition.operations), tools, () => place, numbers);
  return {
    numbers: chain.numbers,
    run: (value, scope) =>
      failingAs("InvalidInputTypeError", place, () => elementsOf(value).map((element) => chain.run(element, scope))),
  };
}

function buildDetectionsFilter({ definition, place, numbers, tools }: OperationSetting): BuiltOperation {
  const isWanted = buildStatement(definition.filter_operation as StatementDefinition, tools, place);
  return {
    numbers,
    run: (value, scope) => {
      const detections = detectionsIn(value);
      const cursor = new DetectionRow(detections, 0);
      const rowScope = { ...scope, [CURRENT]: cursor };
      const rows: number[] = [];
      for (; cursor.row < detections.length; cursor.row++) if (isWanted(rowScope)) rows.push(cursor.row);
      return rows.length === detections.length ? detections : selectRows(detections, rows);
    },
  };
}

type StatementDefinition =
  | {
      readonly type: "StatementGroup";
      readonly statements: readonly StatementDefinition[];
      readonly operator?: "and" | "or";
    }
  | {
      readonly type: "BinaryStatement";
      readonly left_operand: OperandDefinition;
      readonly comparator: { readonly type: string };
      readonly right_operand: OperandDefinition;
      readonly negate?: boolean;
    }
  | {
      readonly type: "UnaryStatement";
      readonly operand: OperandDefinition;
      readonly operator: { readonly type: string };
      readonly negate?: boolean;
    };

interface OperandDefinition {
  readonly type: "StaticOperand" | "DynamicOperand";
  readonly value?: unknown;
  readonly operand_name?: string;
  readonly operations?: readonly OperationDefinition[];
}

function buildStatement(definition: StatementDefinition, tools: QueryTools, place: string): CompiledStatement {
  if (definition.type === "StatementGroup") return buildGroup(definition, tools, place);
  const holds = buildComparison(definition, tools, place);
  const { negate = false, type } = definition;
  return (scope) => {
    try {
      return holds(scope) !== negate;
    } catch (error) {
      throw toStatementError(error, type, place);
    }
  };
}

/** Every statement is looked at, also where the result is already known: an error in a later one is told. */
function buildGroup(
  { statements, operator = "or" }: Extract<StatementDefinition, { type: "StatementGroup" }>,
  tools: QueryTools,
  place: string,
): CompiledStatement {
  const parts = statements.map((statement, at) => buildStatement(statement, tools, `${place}.statements[${at}]`));
  if (parts.length === 0) throw queryError("EvaluationEngineError", "A group needs at least one statement.", place);
  const every = operator === "and";
  return (scope) => {
    let result = every;
    for (const part of parts) {
      const holds = part(scope);
      result = every ? result && holds : result || holds;
    }
    return result;
  };
}

function buildComparison(
  definition: Exclude<StatementDefinition, { type: "StatementGroup" }>,
  tools: QueryTools,
  place: string,
): CompiledStatement {
  if (definition.type === "UnaryStatement") {
    const compare = comparatorIn(UNARY_COMPARATORS, definition.operator.type, place);
    const operand = buildOperand(definition.operand, tools, place);
    return (scope) => compare(operand(scope));
  }
  const compare = comparatorIn(BINARY_COMPARATORS, definition.comparator.type, place);
  const left = buildOperand(definition.left_operand, tools, place);
  const right = buildOperand(definition.right_operand, tools, place);
  return (scope) => compare(left(scope), right(scope));
}

function comparatorIn<T>(table: Readonly<Record<string, T>>, type: string, place: string): T {
  const compare = table[type];
  if (compare === undefined) throw queryError("EvaluationEngineError", `There is no comparator "${type}".`, place);
  return compare;
}

function buildOperand(definition: OperandDefinition, tools: QueryTools, place: string): (scope: QueryScope) => unknown {
  const { type, value = null, operand_name: name = CURRENT, operations } = definition;
  const { run } = buildChain(definitionsIn(operations), tools, (at) => `${place}.operations[${at}]`, "plain");
  if (type === "StaticOperand") return (scope) => run(value, scope);
  return (scope) => {
    if (name in scope) return run(scope[name], scope);
    throw queryError("UndeclaredSymbolError", `"${name}" is not among the parameters.`);
  };
}

function toStatementError(error: unknown, type: string, place: string): EngineError {
  if (isQueryError(error) && error.type !== "UndeclaredSymbolError") return error;
  const reason = error instanceof Error ? error.message : String(error);
  const errorType = isQueryError(error) ? "UndeclaredSymbolError" : "EvaluationEngineError";
  return queryError(errorType, `The ${type} at ${place} failed: ${reason}`, place, error);
}

/** Every one throws a `TypeError` for operands that it cannot compare. */
const BINARY_COMPARATORS: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  "==": isEqual,
  "(Number) ==": isEqual,
  "!=": (left, right) => !isEqual(left, right),
  "(Number) !=": (left, right) => !isEqual(left, right),
  "(Number) >": (left, right) => compareValues(left, right) > 0,
  "(Number) >=": (left, right) => compareValues(left, right) >= 0,
  "(Number) <": (left, right) => compareValues(left, right) < 0,
  "(Number) <=": (left, right) => compareValues(left, right) <= 0,
  "(Number) in range": (left, right) => {
    const [low, high] = elementsOf(right);
    return compareValues(low, left) <= 0 && compareValues(left, high) <= 0;
  },
  "(String) startsWith": (left, right) => textIn(left).startsWith(textIn(right)),
  "(String) endsWith": (left, right) => textIn(left).endsWith(textIn(right)),
  "(String) contains": (left, right) => isIn(right, left),
  "in (Sequence)": isIn,
  "any in (Sequence)": (left, right) => elementsOf(left).some((item) => isIn(item, right)),
  "all in (Sequence)": (left, right) => elementsOf(left).every((item) => isIn(item, right)),
  "(Detection) in zone": (left, right) => isStrictlyInside(pointIn(left), elementsOf(right).map(pointIn)),
};

const UNARY_COMPARATORS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Exists: (value) => (value ?? null) !== null,
  DoesNotExist: (value) => (value ?? null) === null,
  "(Boolean) is True": (value) => value === true,
  "(Boolean) is False": (value) => value === false,
  "(Sequence) is empty": (value) => lengthOf(value) === 0,
  "(Sequence) is not empty": (value) => lengthOf(value) > 0,
};

function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  throw typeError(`A text is needed, not a ${typeNameOf(value)}.`);
}

function pointIn(value: unknown): Point {
  const [x, y] = elementsOf(value);
  if (typeof x === "number" && typeof y === "number") return [x, y];
  throw typeError("A point of two numbers is needed.");
}

/** Inside and not on the border. Throws a `ValueError` below 3 points. */
function isStrictlyInside(point: Point, polygon: Polygon): boolean {
  if (polygon.length < 3) throw inputError("A zone needs at least 3 points.");
  return placeOf(polygon, point) === "inside";
}
