// type notation of a manifest → what a property accepts
import type { Json } from "@vision-agent/protocol";

/** A value written into the workflow itself. */
export type LiteralType =
  | { readonly kind: "any" }
  | { readonly kind: "null" }
  | { readonly kind: "text" }
  | { readonly kind: "boolean" }
  | { readonly kind: "number"; readonly whole: boolean; readonly limits: readonly Limit[] }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly items: PropertyType; readonly minItems: number }
  | { readonly kind: "tuple"; readonly items: readonly PropertyType[] }
  | { readonly kind: "dictionary"; readonly values: PropertyType };

interface Limit {
  readonly comparison: ">" | ">=" | "<" | "<=";
  readonly bound: number;
}

/** All that a property accepts. */
export interface PropertyType {
  readonly literals: readonly LiteralType[];
  /** Kinds of value that a selector may point to; empty when selectors are not accepted. */
  readonly kinds: readonly string[];
  /** Takes the name of a step to continue with. */
  readonly stepTargets: boolean;
}

const parsed = new Map<string, PropertyType>();
const DATA_SELECTOR = /^\$(?:inputs\.[\w-]+|steps\.[\w-]+\.[\w*-]+)$/;
const STEP_SELECTOR = /^\$steps\.[\w-]+$/;

/** Reads `int{>0} | sel<integer> | null` and the like. Names it does not know accept anything. */
export function parsePropertyType(notation: string): PropertyType {
  const known = parsed.get(notation);
  if (known !== undefined) return known;
  const terms = splitOutside(notation, " | ");
  const type: PropertyType = {
    literals: terms.filter((term) => !isSelectorTerm(term)).map(parseLiteral),
    kinds: terms.filter((term) => term.startsWith("sel<")).flatMap((term) => term.slice(4, -1).split("|")),
    stepTargets: terms.includes("step-selector"),
  };
  parsed.set(notation, type);
  return type;
}

/** Whether a literal is one of the accepted; selectors inside lists and dictionaries fit where selectors belong. */
export function literalFits(types: readonly LiteralType[], value: Json): boolean {
  return types.some((type) => fits(type, value));
}

/** Whether a text is a selector of the form that is accepted here. */
export function selectorFits({ kinds, stepTargets }: PropertyType, text: string): boolean {
  return (kinds.length > 0 && DATA_SELECTOR.test(text)) || (stepTargets && STEP_SELECTOR.test(text));
}

/** In words: "a number >= 0 and <= 1, or null". */
export function describeLiterals(types: readonly LiteralType[]): string {
  return types.map(describe).join(" or ");
}

function isSelectorTerm(term: string): boolean {
  return term.startsWith("sel<") || term === "step-selector";
}

function parseLiteral(term: string): LiteralType {
  const [, name = term, inside] = /^([\w-]+)(?:[([](.*)[)\]])?/.exec(term) ?? [];
  const limits = /\{([^}]*)\}$/.exec(term)?.[1]?.split(",") ?? [];
  switch (name) {
    case "str":
      return { kind: "text" };
    case "bool":
      return { kind: "boolean" };
    case "null":
      return { kind: "null" };
    case "int":
    case "float":
      return { kind: "number", whole: name === "int", limits: limits.map(parseLimit) };
    case "enum":
      return { kind: "choice", values: splitOutside(inside ?? "", "|") };
    case "list":
      return { kind: "list", items: parsePropertyType(inside ?? "any"), minItems: minItemsOf(limits) };
    case "tuple":
      return { kind: "tuple", items: splitOutside(inside ?? "any", ", ").map(parsePropertyType) };
    case "dict":
      return { kind: "dictionary", values: parsePropertyType(inside ?? "any") };
    default:
      return term.startsWith('"') ? { kind: "choice", values: [term.slice(1, -1)] } : { kind: "any" };
  }
}

function parseLimit(text: string): Limit {
  const [, comparison, bound] = /^(>=|<=|>|<)(.+)$/.exec(text) ?? [];
  return { comparison: comparison as Limit["comparison"], bound: Number(bound) };
}

function minItemsOf(limits: readonly string[]): number {
  const limit = limits.find((text) => text.startsWith("items>="));
  return limit === undefined ? 0 : Number(limit.slice("items>=".length));
}

/** Splits at a separator that stands outside all brackets. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    // Comparisons inside braces are no brackets.
    if (letter === "{") at = text.indexOf("}", at);
    else if ("([<".includes(letter)) depth += 1;
    else if (")]>".includes(letter)) depth -= 1;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(begin, at));
      begin = at + separator.length;
      at = begin - 1;
    }
  }
  return [...parts, text.slice(begin)];
}

function fits(type: LiteralType, value: Json): boolean {
  switch (type.kind) {
    case "any":
      return true;
    case "null":
      return value === null;
    case "text":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && (!type.whole || Number.isInteger(value)) && type.limits.every(holds(value));
    case "choice":
      return typeof value === "string" && type.values.includes(value);
    case "list":
      return Array.isArray(value) && value.length >= type.minItems && value.every((item) => itemFits(type.items, item));
    case "tuple":
      return (
        Array.isArray(value) &&
        value.length === type.items.length &&
        value.every((item, i) => itemFits(type.items[i]!, item))
      );
    case "dictionary":
      return (
        typeof value === "object" &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).every((item) => itemFits(type.values, item))
      );
  }
}

function itemFits(type: PropertyType, item: Json): boolean {
  if (typeof item === "string" && selectorFits(type, item)) return true;
  return literalFits(type.literals, item);
}

function holds(value: number): (limit: Limit) => boolean {
  return ({ comparison, bound }) => {
    switch (comparison) {
      case ">":
        return value > bound;
      case ">=":
        return value >= bound;
      case "<":
        return value < bound;
      case "<=":
        return value <= bound;
    }
  };
}

function describe(type: LiteralType): string {
  switch (type.kind) {
    case "any":
      return "any value";
    case "null":
      return "null";
    case "text":
      return "a text";
    case "boolean":
      return "true or false";
    case "number": {
      const limits = type.limits.map(({ comparison, bound }) => `${comparison} ${bound}`).join(" and ");
      return `${type.whole ? "a whole number" : "a number"}${limits === "" ? "" : ` ${limits}`}`;
    }
    case "choice":
      return `one of ${type.values.map((value) => `"${value}"`).join(", ")}`;
    case "list": {
      const items = describeLiterals(type.items.literals);
      return `a list of ${type.minItems > 0 ? `at least ${type.minItems} ` : ""}(${items === "" ? "selectors" : items})`;
    }
    case "tuple":
      return `a list of exactly ${type.items.length}`;
    case "dictionary":
      return "a dictionary";
  }
}
