// values → a text with them in it
import { inputError } from "../../errors.ts";
import { Timestamp } from "../../frames/frame.ts";
import { type NumberStyle, toSource, toText } from "../../query/python-text.ts";
import { createQueryCache } from "../../query/statements.ts";
import { applyOperations, type Block, type BlockInputs, block, manifestOf, numberStyles } from "../block.ts";
import { formatValue } from "./python-format.ts";

export const stringTemplate = block({
  type: "roboflow_core/string_template@v1",
  description: "Writes values into a text: 'Found {count} people'.",
  stateless: true,
  phrase: "writes a text",
  start: (context) => {
    const query = createQueryCache(context);
    return ({ template = null, data = {}, data_operations: operations = {} }) => {
      if (typeof template !== "string") throw inputError('"template" must be a text.');
      const undeclared = Object.keys(operations as BlockInputs).find(
        (name) => !Object.hasOwn(data as BlockInputs, name),
      );
      if (undeclared !== undefined)
        throw inputError(`There are operations for "${undeclared}", which is not among the data.`);
      const values = applyOperations(query, data, operations);
      return { output: renderTemplate(template, { values, numbers: numberStyles(query, operations) }) };
    };
  },
});

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

const MANIFEST = manifestOf("roboflow_core/current_time@v1");
/** Zones that the block offers. */
const ZONES = /enum\(([^)]*)\)/.exec(MANIFEST.properties.find(({ name }) => name === "timezone")!.type)![1]!.split("|");

export const currentTime: Block = {
  manifest: MANIFEST,
  description: "Gives the date and time in a time zone.",
  stateless: true,
  phrase: ({ properties }) => `takes the time in ${properties.timezone ?? "UTC"}`,
  create: ({ now }) => ({
    run({ timezone = "UTC" }) {
      if (typeof timezone !== "string" || !ZONES.includes(timezone)) {
        throw inputError(`"${timezone}" is not among the time zones of this block: ${ZONES.join(", ")}.`);
      }
      const { date, time, fraction, offset } = localTime(now(), timezone);
      const iso = `${date}T${time}${fraction}${offset}`;
      return { timestamp: new Timestamp(iso), iso_string: iso, date, time };
    },
  }),
};

function localTime(ms: number, timeZone: string) {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const name = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")!.value;
  const offset = name === "GMT" ? "+00:00" : name.slice(3);
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(offset)!;
  const shiftMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const [date, clock] = new Date(ms + shiftMs).toISOString().split("T") as [string, string];
  return { date, time: clock.slice(0, 8), fraction: `${clock.slice(8, 12)}000`, offset };
}
