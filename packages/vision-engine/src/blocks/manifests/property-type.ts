// type notation of a manifest → what a property accepts
import type { Json } from "@vision-agent/protocol";

/** A value written into the workflow itself. Selectors inside lists and dictionaries fit where selectors belong. */
export interface LiteralType {
  /** "a number >= 0 and <= 1". */
  readonly words: string;
  readonly fits: (value: Json) => boolean;
  /** Of a choice: its texts. */
  readonly choices?: readonly string[];
  /** Of a list and of a dictionary: what is inside. */
  readonly list?: PropertyType;
  readonly dictionary?: PropertyType;
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

/** Whether a literal is one of the accepted. */
export function literalFits(types: readonly LiteralType[], value: Json): boolean {
  return types.some(({ fits }) => fits(value));
}

/** Whether a text is a selector of the form that is accepted here. */
export function selectorFits({ kinds, stepTargets }: PropertyType, text: string): boolean {
  return (kinds.length > 0 && DATA_SELECTOR.test(text)) || (stepTargets && STEP_SELECTOR.test(text));
}

/** In words: "a number >= 0 and <= 1, or null". */
export function describeLiterals(types: readonly LiteralType[]): string {
  return types.map(({ words }) => words).join(" or ");
}

function isSelectorTerm(term: string): boolean {
  return term.startsWith("sel<") || term === "step-selector";
}

function parseLiteral(term: string): LiteralType {
  const [, name = term, inside] = /^([\w-]+)(?:[([](.*)[)\]])?/.exec(term) ?? [];
  const limits = /\{([^}]*)\}$/.exec(term)?.[1]?.split(",") ?? [];
  switch (name) {
    case "str":
      return { words: "a text", fits: (value) => typeof value === "string" };
    case "bool":
      return { words: "true or false", fits: (value) => typeof value === "boolean" };
    case "null":
      return { words: "null", fits: (value) => value === null };
    case "int":
    case "float":
      return numberType(name === "int", limits);
    case "enum":
      return choiceType(splitOutside(inside ?? "", "|"));
    case "list":
      return listType(parsePropertyType(inside ?? "any"), minItemsOf(limits));
    case "tuple":
      return tupleType(splitOutside(inside ?? "any", ", ").map(parsePropertyType));
    case "dict":
      return dictionaryType(parsePropertyType(inside ?? "any"));
    default:
      return term.startsWith('"') ? choiceType([term.slice(1, -1)]) : { words: "any value", fits: () => true };
  }
}

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  ">": (value, bound) => value > bound,
  ">=": (value, bound) => value >= bound,
  "<": (value, bound) => value < bound,
  "<=": (value, bound) => value <= bound,
};

function numberType(whole: boolean, limits: readonly string[]): LiteralType {
  const bounds = limits.map((text) => {
    const [, comparison = "", bound] = /^(>=|<=|>|<)(.+)$/.exec(text) ?? [];
    return { comparison, bound: Number(bound) };
  });
  const words = bounds.map(({ comparison, bound }) => ` ${comparison} ${bound}`).join(" and");
  return {
    words: `${whole ? "a whole number" : "a number"}${words}`,
    fits: (value) =>
      typeof value === "number" &&
      (!whole || Number.isInteger(value)) &&
      bounds.every(({ comparison, bound }) => COMPARISONS[comparison]!(value, bound)),
  };
}

function choiceType(choices: readonly string[]): LiteralType {
  const words = `one of ${choices.map((choice) => `"${choice}"`).join(", ")}`;
  return { words, fits: (value) => typeof value === "string" && choices.includes(value), choices };
}

function listType(list: PropertyType, minItems: number): LiteralType {
  const items = describeLiterals(list.literals);
  return {
    words: `a list of ${minItems > 0 ? `at least ${minItems} ` : ""}(${items === "" ? "selectors" : items})`,
    fits: (value) => Array.isArray(value) && value.length >= minItems && value.every((item) => itemFits(list, item)),
    list,
  };
}

function tupleType(items: readonly PropertyType[]): LiteralType {
  return {
    words: `a list of exactly ${items.length}`,
    fits: (value) =>
      Array.isArray(value) && value.length === items.length && value.every((item, at) => itemFits(items[at]!, item)),
  };
}

function dictionaryType(dictionary: PropertyType): LiteralType {
  const fits = (value: Json): boolean =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((item) => itemFits(dictionary, item));
  return { words: "a dictionary", fits, dictionary };
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

function itemFits(type: PropertyType, item: Json): boolean {
  if (typeof item === "string" && selectorFits(type, item)) return true;
  return literalFits(type.literals, item);
}
