// what a schema refuses → one sentence that names the field and what it takes
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const LONGEST_SHOWN = 60;

/** Of the first thing that is wrong with a value. */
export function describeIssue({ issues: [issue] }: { readonly issues: readonly Issue[] }, value: unknown): string {
  return issue === undefined ? "This is not as it is expected." : sentenceOf(issue, value, []);
}

function sentenceOf(issue: Issue, value: unknown, above: readonly PropertyKey[]): string {
  const path = [...above, ...issue.path];
  if (issue.code === "custom") return issue.message;
  if (issue.code === "unrecognized_keys") {
    const place = path.length === 0 ? "here" : `in ${nameOf(path)}`;
    return `There is no ${issue.keys.join(", ")} ${place}: leave it out, or look at its spelling.`;
  }
  const closest = issue.code === "invalid_union" ? closestBranch(issue) : undefined;
  if (closest !== undefined) return sentenceOf(closest, value, path);
  const whole = valueAt(value, path.slice(0, -1));
  // A list that is written as one text.
  const isWhole = typeof path.at(-1) === "number" && typeof whole === "string";
  const given = isWhole ? whole : valueAt(value, path);
  const name = nameOf(isWhole ? path.slice(0, -1) : path);
  if (given === undefined) return `${name} is missing: it takes ${takes(issue)}.`;
  if (typeof given === "string" && given.trim() === "") return `${name} is empty: it takes ${takes(issue)}.`;
  const instead = shown(given, issue);
  return `${name} takes ${takes(issue)}${instead === undefined ? "" : `, not ${instead}`}.`;
}

function nameOf(path: readonly PropertyKey[]): string {
  const name = path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
  return name === "" ? "This" : name;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "a time such as 2026-05-20T14:00:00Z",
  date: "a day such as 2026-05-20",
  url: "an address such as https://example.org",
  email: "an e-mail address",
};
const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
};
const THINGS: Readonly<Record<string, { readonly one: string; readonly more: string }>> = {
  string: { one: "character", more: "characters" },
  array: { one: "entry", more: "entries" },
};

/** For "it takes …". */
function takes(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return listed(issue.values);
    case "invalid_format":
      return FORMATS[issue.format] ?? (isOurs(issue.message) ? issue.message : "another form of text");
    case "too_small":
      return limit("at least", issue.minimum, issue);
    case "too_big":
      return limit("at most", issue.maximum, issue);
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "invalid_union": {
      if ("options" in issue && Array.isArray(issue.options)) return listed(issue.options);
      const kinds = issue.errors.flatMap(([first]) => (first === undefined ? [] : takes(first)));
      return [...new Set(kinds)].join(" or ") || "something else";
    }
    default:
      return "something else";
  }
}

/** Those of the library begin so. */
function isOurs(message: string): boolean {
  return !message.startsWith("Invalid");
}

function limit(
  words: string,
  bound: number | bigint,
  { origin, inclusive = true }: { readonly origin: string; readonly inclusive?: boolean | undefined },
): string {
  const things = THINGS[origin];
  if (things === undefined)
    return inclusive ? `${words} ${bound}` : `a number ${words === "at least" ? "above" : "below"} ${bound}`;
  return bound === 1 && words === "at least" && origin === "string"
    ? "a text"
    : `${words} ${bound} ${bound === 1 ? things.one : things.more}`;
}

function listed(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** The one that got furthest, where one did: a list of points with one wrong number is no wrong name. */
function closestBranch(issue: Extract<Issue, { code: "invalid_union" }>): Issue | undefined {
  const deep = issue.errors.map(([first]) => first).filter((first) => first !== undefined);
  const isType = (one: Issue): boolean => one.code === "invalid_type" && one.path.length === 0;
  const [only, ...more] = deep.filter((one) => !isType(one));
  const values = deep.flatMap((one) => (one.code === "invalid_value" ? one.values : []));
  const isChoice = deep.every((one) => one.code === "invalid_value" && String(one.path) === String(only?.path));
  if (isChoice && only?.code === "invalid_value") return { ...only, values };
  return more.length === 0
    ? only
    : more.reduce((best, one) => (one.path.length > best.path.length ? one : best), only!);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    value,
  );
}

/** A text that may be a password is not repeated. */
function shown(value: unknown, { code, ...about }: Issue): string | undefined {
  const isType = code === "invalid_type" || code === "invalid_union";
  if (Array.isArray(value)) return isType ? "a list" : undefined;
  if (typeof value === "object" && value !== null) return isType ? "an object" : undefined;
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain =
    code === "invalid_value" ||
    code === "invalid_format" ||
    "options" in about ||
    ("expected" in about && OPEN.has(about.expected as string));
  if (isPlain && value.length <= LONGEST_SHOWN) return JSON.stringify(value);
  return isType ? "a text" : undefined;
}

/** Nobody writes a password where one of these belongs. */
const OPEN: ReadonlySet<string> = new Set(["number", "int", "boolean"]);
