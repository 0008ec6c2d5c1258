import { describe, expect, it } from "vitest";
import { EngineError } from "../errors.ts";
import { detectionsOf } from "../testing/index.ts";
import { compileOperations, compileStatement } from "./statements.ts";

const TOOLS = { now: () => 0, random: () => 0.25 };
const PEOPLE = detectionsOf([
  { className: "person", box: [0, 0, 10, 20], confidence: 0.9 },
  { className: "car", box: [20, 10, 40, 20], confidence: 0.6 },
  { className: "person", box: [30, 10, 50, 40], confidence: 0.4 },
]).with({ trackerId: Int32Array.of(7, 8, 9) });

describe("operations", () => {
  it("write floats with a point and whole numbers without one", () => {
    expect(run(PEOPLE, { type: "SequenceLength" }, { type: "ToString" })).toBe("3");
    expect(run(3.7, { type: "NumberRound", decimal_digits: 0 }, { type: "ToString" })).toBe("4.0");
    expect(run("12", { type: "ToNumber", cast_to: "int" }, { type: "ToString" })).toBe("12");
    expect(run(PEOPLE, extract("x_min"), { type: "SequenceJoin" })).toBe("0.0, 20.0, 30.0");
    expect(run(PEOPLE, extract("center"), { type: "SequenceApply", operations: [{ type: "ToString" }] })).toEqual([
      "[5, 10]",
      "[30, 15]",
      "[40, 25]",
    ]);
  });

  it("write serialised detections as JSON with floats for places and whole numbers for ids", () => {
    const first = { type: "DetectionsSelection", mode: "first" };
    const withIds = PEOPLE.with({ data: { ...PEOPLE.data, detection_id: ["a", "b", "c"] } });
    const text = run(withIds, first, { type: "DetectionsToDictionary" }, { type: "ConvertDictionaryToJSON" });
    expect(text).toContain('"width": 10.0');
    expect(text).toContain('"tracker_id": 7');
    expect(text).toContain('"image": {"width": 64, "height": 48}');
  });

  it("take ids of tracks from the tracker, in lists and in filters", () => {
    expect(run(PEOPLE, extract("tracker_id"))).toEqual([7, 8, 9]);
    expect(run(PEOPLE, filter("tracker_id", "in (Sequence)", [7, 9]), extract("tracker_id"))).toEqual([7, 9]);
  });

  it("see the parameters of the step inside filters", () => {
    const chain = compileOperations(
      [filterBy("class_name", "in (Sequence)", { type: "DynamicOperand", operand_name: "wanted" })],
      TOOLS,
    );
    expect(chain(PEOPLE, { wanted: ["car"] })).toMatchObject({ length: 1 });
    expect(failure(() => chain(PEOPLE))).toMatchObject({
      type: "UndeclaredSymbolError",
      context: "step_execution | roboflow_query_language_evaluation | <root>[0].statements[0]",
    });
  });

  it("hand the same detections on when a filter keeps all", () => {
    expect(run(PEOPLE, filter("confidence", "(Number) >", 0))).toBe(PEOPLE);
  });

  it("say where in the chain a value was wrong", () => {
    expect(failure(() => run(PEOPLE, extract("class_id"), { type: "StringToLowerCase" }))).toMatchObject({
      type: "InvalidInputTypeError",
      context: "step_execution | roboflow_query_language_evaluation | <root>[1]",
    });
    expect(failure(() => run(PEOPLE, extract("speed")))).toMatchObject({ type: "OperationError" });
    expect(failure(() => run(1, { type: "Guess" }))).toMatchObject({ type: "OperationTypeNotRecognisedError" });
  });

  it("draw random numbers from the source they were given", () => {
    expect(run(null, { type: "RandomNumber", min_value: 10, max_value: 20 })).toBe(12.5);
  });
});

describe("statements", () => {
  it("look at every part of a group, so that a mistake in the last one shows", () => {
    const group = {
      type: "StatementGroup",
      operator: "or",
      statements: [unary("a", "Exists"), unary("a", "(Sequence) is empty")],
    };
    expect(failure(() => compileStatement(group, TOOLS)({ a: 5 }))).toMatchObject({
      type: "EvaluationEngineError",
      context: "step_execution | roboflow_query_language_evaluation | <root>.statements[1]",
    });
    expect(compileStatement(group, TOOLS)({ a: "" })).toBe(true);
  });

  it.each([
    [5, 5, true],
    [0, 5, false],
    [10, 10, false],
    [11, 5, false],
  ])("count (%d, %d) as in the zone only strictly inside: %s", (x, y, inside) => {
    const zone = [
      [0, 0],
      [10, 0],
      [10, 10],
      [0, 10],
    ];
    const statement = {
      type: "BinaryStatement",
      left_operand: { type: "StaticOperand", value: [x, y] },
      comparator: { type: "(Detection) in zone" },
      right_operand: { type: "StaticOperand", value: zone },
    };
    expect(compileStatement(statement, TOOLS)({})).toBe(inside);
    expect(compileStatement({ ...statement, negate: true }, TOOLS)({})).toBe(!inside);
  });
});

function run(value: unknown, ...operations: readonly object[]): unknown {
  return compileOperations(operations, TOOLS)(value);
}

function failure(work: () => unknown): EngineError {
  try {
    work();
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

function extract(property: string): object {
  return { type: "DetectionsPropertyExtract", property_name: property };
}

function filter(property: string, comparator: string, value: unknown): object {
  return filterBy(property, comparator, { type: "StaticOperand", value });
}

function filterBy(property: string, comparator: string, right: object): object {
  const left = { type: "DynamicOperand", operations: [{ type: "ExtractDetectionProperty", property_name: property }] };
  const statement = {
    type: "BinaryStatement",
    left_operand: left,
    comparator: { type: comparator },
    right_operand: right,
  };
  return {
    type: "DetectionsFilter",
    filter_operation: { type: "StatementGroup", operator: "and", statements: [statement] },
  };
}

function unary(name: string, operator: string): object {
  return {
    type: "UnaryStatement",
    operand: { type: "DynamicOperand", operand_name: name },
    operator: { type: operator },
  };
}
