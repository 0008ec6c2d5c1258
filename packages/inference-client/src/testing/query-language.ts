// operations and conditions of a step → values; only the usual ones, the rest is refused aloud
import type { Json } from "@vision-agent/protocol";
import { isObject, type JsonObject } from "./check-body.ts";
import { objects } from "./check-spec.ts";
import { Deeper, Found, type FoundThing, type Value } from "./step-values.ts";

/** Thrown for an operation the fake does not know, so that no test believes an answer it made up. */
export class UnknownOperation extends Error {}

export type Names = Readonly<Record<string, Value>>;

export function applyOperations(value: Value, operations: Json | undefined): Value {
  return objects(operations).reduce<Value>((current, operation) => applyOperation(current, operation), value);
}

export function holds(statement: JsonObject, names: Names): boolean {
  if (Array.isArray(statement.statements)) {
    const results = objects(statement.statements).map((inner) => holds(inner, names));
    return statement.operator === "or" ? results.some(Boolean) : results.every(Boolean);
  }
  const result = statement.type === "UnaryStatement" ? holdsAlone(statement, names) : holdsBetween(statement, names);
  return statement.negate === true ? !result : result;
}

function applyOperation(value: Value, operation: JsonObject): Value {
  switch (operation.type) {
    case "SequenceLength":
      return lengthOf(value);
    case "DetectionsPropertyExtract":
      if (value instanceof Found) return value.things.map((thing) => propertyOf(thing, operation.property_name));
      break;
    case "ClassificationPropertyExtract":
      if (isObject(value as Json)) return classificationProperty(value as JsonObject, operation.property_name);
      break;
    case "DetectionsFilter":
      if (value instanceof Found && isObject(operation.filter_operation))
        return filterFound(value, operation.filter_operation);
      break;
    case "ToString":
      return String(value);
    case "ToNumber":
      return Number(value);
    default:
      break;
  }
  throw new UnknownOperation(`The fake server does not know the operation ${String(operation.type)} on this value.`);
}

function filterFound(found: Found, statement: JsonObject): Found {
  return found.with(found.things.filter((thing) => holds(statement, { _: thingMark(thing) })));
}

/** A single detection travels through a condition as a plain object. */
function thingMark(thing: FoundThing): Json {
  const properties = ["class_name", "confidence", "class_id", "size", "x", "y"];
  return Object.fromEntries(properties.map((name) => [name, propertyOf(thing, name)]));
}

function holdsAlone(statement: JsonObject, names: Names): boolean {
  const value = operandOf(statement.operand, names);
  const operator = isObject(statement.operator) ? statement.operator.type : undefined;
  switch (operator) {
    case "Exists":
      return value !== null;
    case "DoesNotExist":
      return value === null;
    case "(Boolean) is True":
      return value === true;
    case "(Boolean) is False":
      return value === false;
    case "(Sequence) is empty":
      return lengthOf(value) === 0;
    case "(Sequence) is not empty":
      return lengthOf(value) > 0;
    default:
      throw new UnknownOperation(`The fake server does not know the operator ${String(operator)}.`);
  }
}

function holdsBetween(statement: JsonObject, names: Names): boolean {
  const [left, right] = [operandOf(statement.left_operand, names), operandOf(statement.right_operand, names)];
  const comparator = isObject(statement.comparator) ? statement.comparator.type : undefined;
  switch (comparator) {
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "(Number) ==":
      return Number(left) === Number(right);
    case "(Number) !=":
      return Number(left) !== Number(right);
    case "(Number) >":
      return Number(left) > Number(right);
    case "(Number) >=":
      return Number(left) >= Number(right);
    case "(Number) <":
      return Number(left) < Number(right);
    case "(Number) <=":
      return Number(left) <= Number(right);
    case "in (Sequence)":
      return Array.isArray(right) && right.includes(left as Json);
    default:
      throw new UnknownOperation(`The fake server does not know the comparator ${String(comparator)}.`);
  }
}

function operandOf(operand: Json | undefined, names: Names): Value {
  if (!isObject(operand)) return null;
  if (operand.type === "StaticOperand") return operand.value ?? null;
  const value = names[String(operand.operand_name ?? "_")] ?? null;
  const [first, ...rest] = objects(operand.operations);
  if (first?.type === "ExtractDetectionProperty" && isObject(value as Json)) {
    return applyOperations((value as JsonObject)[String(first.property_name)] ?? null, rest);
  }
  return applyOperations(value, operand.operations);
}

function propertyOf(thing: FoundThing, name: Json | undefined): Json {
  switch (name) {
    case "class_name":
      return thing.className;
    case "confidence":
      return thing.confidence;
    case "class_id":
      return thing.classId;
    case "tracker_id":
      return thing.trackerId ?? null;
    case "detection_id":
      return thing.detectionId;
    case "size":
      return thing.width * thing.height;
    case "x":
    case "center_x":
      return thing.x;
    case "y":
    case "center_y":
      return thing.y;
    default:
      throw new UnknownOperation(`The fake server does not know the property ${String(name)} of a detection.`);
  }
}

function classificationProperty(value: JsonObject, name: Json | undefined): Json {
  if (name === "top_class") return value.top ?? null;
  if (name === "top_class_confidence") return value.confidence ?? null;
  if (name === "predicted_class" || name === "predicted_classes") return value.predicted_classes ?? value.top ?? null;
  throw new UnknownOperation(`The fake server does not know the property ${String(name)} of a classification.`);
}

function lengthOf(value: Value): number {
  if (value instanceof Found) return value.things.length;
  if (value instanceof Deeper) return value.items.length;
  if (Array.isArray(value) || typeof value === "string") return value.length;
  return 0;
}
