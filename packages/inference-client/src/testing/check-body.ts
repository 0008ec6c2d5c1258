// a body → the list of what is wrong with it, in the words of the real server
import { randomUUID } from "node:crypto";
import type { Json } from "@vision-agent/protocol";
import { type FakeAnswer, FakeRefusal, type Request } from "./answer.ts";

export type JsonMap = { [key: string]: Json };
type Place = readonly (string | number)[];
type Problem = { type: string; loc: (string | number)[]; msg: string; input: Json; ctx?: Json };
/** Says what is wrong with a value; nothing when it fits. */
export type FieldCheck = (value: Json, place: Place) => readonly Problem[];
/** Names that end in "!" are required. */
export type FieldChecks = Readonly<Record<string, FieldCheck>>;

export function isObject(value: Json | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function problem(type: string, place: Place, msg: string, input: Json): Problem {
  return { type, loc: [...place], msg, input };
}

export const anything: FieldCheck = () => [];

export const text: FieldCheck = (value, place) =>
  typeof value === "string" ? [] : [problem("string_type", place, "Input should be a valid string", value)];

export const number: FieldCheck = (value, place) => {
  if (typeof value === "number") return [];
  if (typeof value !== "string") return [problem("float_type", place, "Input should be a valid number", value)];
  if (value.trim() !== "" && Number.isFinite(Number(value))) return [];
  return [problem("float_parsing", place, "Input should be a valid number, unable to parse string as a number", value)];
};

export const integer: FieldCheck = (value, place) => {
  if (typeof value === "number") {
    const message = "Input should be a valid integer, got a number with a fractional part";
    return Number.isInteger(value) ? [] : [problem("int_from_float", place, message, value)];
  }
  if (typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value)) return [];
  return [problem("int_type", place, "Input should be a valid integer", value)];
};

export const flag: FieldCheck = (value, place) => {
  if (typeof value === "boolean" || value === 0 || value === 1) return [];
  if (typeof value === "string" && /^(true|false|on|off|yes|no|y|n|t|f|0|1)$/i.test(value)) return [];
  const message = "Input should be a valid boolean, unable to interpret input";
  return [problem("bool_parsing", place, message, value)];
};

export const dictionary: FieldCheck = (value, place) =>
  isObject(value) ? [] : [problem("dict_type", place, "Input should be a valid dictionary", value)];

export function optional(check: FieldCheck): FieldCheck {
  return (value, place) => (value === null ? [] : check(value, place));
}

export function literal(...allowed: readonly string[]): FieldCheck {
  const quoted = allowed.map((word) => `'${word}'`);
  const expected = quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return (value, place) =>
    typeof value === "string" && allowed.includes(value)
      ? []
      : [{ ...problem("literal_error", place, `Input should be ${expected}`, value), ctx: { expected } }];
}

/** Fits when one of the alternatives does; otherwise every one of them complains, each under its own name. */
export function oneOf(alternatives: Readonly<Record<string, FieldCheck>>): FieldCheck {
  return (value, place) => {
    const complaints = Object.entries(alternatives).map(([name, check]) => check(value, [...place, name]));
    return complaints.some((problems) => problems.length === 0) ? [] : complaints.flat();
  };
}

export function list(check: FieldCheck): FieldCheck {
  return (value, place) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => check(item, [...place, index]))
      : [problem("list_type", place, "Input should be a valid list", value)];
}

export function object(fields: FieldChecks, className?: string): FieldCheck {
  return (value, place) => {
    if (!isObject(value)) {
      const wanted = className ?? "object";
      const message = `Input should be a valid dictionary or instance of ${wanted}`;
      return [{ ...problem("model_type", place, message, value), ctx: { class_name: wanted } }];
    }
    return Object.entries(fields).flatMap(([key, check]) => {
      const name = key.replace(/!$/, "");
      const given = value[name];
      if (given !== undefined) return check(given, [...place, name]);
      return key.endsWith("!") ? [problem("missing", [...place, name], "Field required", value)] : [];
    });
  };
}

export function unprocessable(problems: readonly Problem[]): FakeAnswer {
  return { status: 422, body: { detail: problems.map((item) => ({ ...item })) } };
}

/** The body as an object that fits, or 422 with the list of problems. `stamped`: the server adds an `id` before it looks. */
export function takeBody(request: Request, fields: FieldChecks, options: { readonly stamped?: boolean } = {}): JsonMap {
  const isJson = String(request.headers["content-type"] ?? "").includes("json");
  if (isJson && request.json === undefined) {
    const ctx = { error: "Expecting value" };
    throw new FakeRefusal(unprocessable([{ ...problem("json_invalid", ["body", 0], "JSON decode error", {}), ctx }]));
  }
  const body = isJson ? request.json : request.raw.toString();
  if (!isObject(body)) {
    const message = "Input should be a valid dictionary or object to extract fields from";
    throw new FakeRefusal(unprocessable([problem("model_attributes_type", ["body"], message, body ?? null)]));
  }
  const seen = options.stamped ? { ...body, id: body.id ?? randomUUID() } : body;
  const problems = object(fields)(seen, ["body"]);
  if (problems.length > 0) throw new FakeRefusal(unprocessable(problems));
  return seen;
}
