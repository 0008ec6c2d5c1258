// an event as it came → the same, if its fields are of the kinds that are read of them
import { isObject } from "../types/json.ts";
import { protocolError } from "./wire-error.ts";

/** Whether a value is of its kind. */
export type EventShape = (value: unknown) => boolean;

export const text: EventShape = (value) => typeof value === "string";

export const filledText: EventShape = (value) => typeof value === "string" && value !== "";

/** Or null: servers leave out what is empty in either way. */
export function optional(shape: EventShape): EventShape {
  return (value) => value === undefined || value === null || shape(value);
}

export function either(one: EventShape, other: EventShape): EventShape {
  return (value) => one(value) || other(value);
}

export function listOf(shape: EventShape): EventShape {
  return (value) => Array.isArray(value) && value.every(shape);
}

/** Other fields may be anything: a provider adds some at any time. */
export function object(fields: Readonly<Record<string, EventShape>> = {}): EventShape {
  const shapes = Object.entries(fields);
  return (value) => isObject(value) && shapes.every(([name, shape]) => shape(value[name]));
}

/** An object whose `type` says what else it has; of an unknown type only that is looked at. */
export function byType(shapes: Readonly<Record<string, EventShape>>): EventShape {
  return (value) => {
    if (!isObject(value) || typeof value.type !== "string" || value.type === "") return false;
    return !Object.hasOwn(shapes, value.type) || shapes[value.type]?.(value) === true;
  };
}

/** Throws `AgentError` code `protocol`. Quotes nothing. */
export function assertShape(event: unknown, shape: EventShape): void {
  if (!shape(event)) throw protocolError("an event lacks a field, or has one of another kind");
}
