// text with {names} → pieces, and pieces with values → text
import { inputError } from "../../errors.ts";
import { type NumberStyle, toSource, toText } from "../../query/python-text.ts";
import { formatValue } from "./python-format.ts";

/** Literal text, or a place where a value goes. */
type Piece = string | Field;

interface Field {
  readonly name: string;
  readonly conversion: string | undefined;
  readonly specification: string;
}

/** Largest width or precision, and longest text. */
const MAX_SPECIFICATION_NUMBER = 10_000;
const MAX_LENGTH = 1_000_000;

export interface TemplateValues {
  readonly values: Readonly<Record<string, unknown>>;
  /** What is known of the numbers among them. */
  readonly numbers: Readonly<Record<string, NumberStyle>>;
}

/** Fields are names only; `{{` and `}}` are braces. Throws a `ValueError`. */
export function renderTemplate(template: string, given: TemplateValues): string {
  const text = render(template, given, 0);
  if (text.length <= MAX_LENGTH) return text;
  throw inputError(`The text would have ${text.length} characters; ${MAX_LENGTH} are allowed.`);
}

function render(template: string, given: TemplateValues, depth: number): string {
  return parseTemplate(template)
    .map((piece) => (typeof piece === "string" ? piece : renderField(piece, given, depth)))
    .join("");
}

function renderField({ name, conversion, specification }: Field, given: TemplateValues, depth: number): string {
  const { values, numbers } = given;
  if (name === "" || /^\d+$/.test(name)) throw inputError("Fields of a template need a name: {count}.");
  if (/[.[]/.test(name)) throw inputError(`"{${name}}" looks into a value: take the part out by operations instead.`);
  if (!Object.hasOwn(values, name)) throw inputError(`The template names "${name}", which is not among the data.`);
  if (specification.includes("{") && depth > 0) throw inputError("Fields inside of fields go one level deep.");
  const format = render(specification, given, depth + 1);
  if (/\d+/g.exec(format)?.some((digits) => Number(digits) > MAX_SPECIFICATION_NUMBER)) {
    throw inputError(`"${format}" asks for more than ${MAX_SPECIFICATION_NUMBER} places.`);
  }
  return formatValue(converted(values[name], conversion, numbers[name]), format, numbers[name]);
}

function converted(value: unknown, conversion: string | undefined, numbers: NumberStyle | undefined): unknown {
  if (conversion === undefined) return value;
  if (conversion === "s") return toText(value, numbers);
  if (conversion === "r" || conversion === "a") return toSource(value, numbers);
  throw inputError(`There is no conversion "!${conversion}".`);
}

function parseTemplate(template: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < template.length; ) {
    const brace = template.slice(at).search(/[{}]/);
    if (brace < 0) return [...pieces, template.slice(at)];
    const place = at + brace;
    pieces.push(template.slice(at, place));
    if (template[place + 1] === template[place]) {
      pieces.push(template[place]!);
      at = place + 2;
    } else if (template[place] === "}") {
      throw inputError("A single } stands in the template: write }} for the character.");
    } else {
      const end = endOfField(template, place);
      pieces.push(parseField(template.slice(place + 1, end)));
      at = end + 1;
    }
  }
  return pieces;
}

function endOfField(template: string, start: number): number {
  let depth = 0;
  for (let at = start; at < template.length; at++) {
    if (template[at] === "{") depth += 1;
    if (template[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  throw inputError("A { of the template is never closed: write {{ for the character.");
}

function parseField(text: string): Field {
  const [, name = "", conversion, specification = ""] = /^([^!:]*)(?:!([^:]*))?(?::(.*))?$/s.exec(text) ?? [];
  return { name, conversion, specification };
}
