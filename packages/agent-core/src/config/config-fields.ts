// an unknown object + the fields it may have → typed values, and everything that is wrong with it
/** One key of a configuration. */
export interface ConfigField<T> {
  /** As files write it, in snake_case. */
  readonly wire: string;
  /** In words, for whoever wrote something else. */
  readonly expected: string;
  /** Undefined when the value is not what was expected. */
  parse(value: unknown): T | undefined;
  /** What came is never told, only its type. */
  readonly secret?: true;
}

type FieldTable = { readonly [key: string]: ConfigField<unknown> };
type ValuesOf<F extends FieldTable> = { readonly [K in keyof F]?: F[K] extends ConfigField<infer T> ? T : never };

/** Absent and null are no value. Each problem reads `key: expected …, got …`. */
export function readFields<F extends FieldTable>(
  value: unknown,
  table: F,
): { readonly fields: ValuesOf<F>; readonly problems: string[] } {
  if (value === undefined || value === null) return { fields: {}, problems: [] };
  if (typeof value !== "object" || Array.isArray(value)) {
    return { fields: {}, problems: [`the configuration: expected an object, got ${describe(value)}`] };
  }
  const fields: { [key: string]: unknown } = Object.create(null);
  const problems: string[] = [];
  for (const [written, given] of Object.entries(value)) {
    const [key, field] = findField(table, written);
    if (key === undefined || !field) problems.push(unknownKey(written, table));
    else if (key in fields) problems.push(`${written}: expected once, got twice, as ${key} and as ${field.wire}`);
    else fields[key] = readField(given, field, (problem) => problems.push(`${written}: ${problem}`));
  }
  return { fields: fields as ValuesOf<F>, problems };
}

function readField(given: unknown, field: ConfigField<unknown>, report: (problem: string) => void): unknown {
  if (given === undefined || given === null) return undefined;
  const value = field.parse(given);
  if (value === undefined) report(`expected ${field.expected}, got ${got(given, field)}`);
  return value;
}

function unknownKey(written: string, table: FieldTable): string {
  const known = Object.values(table).map(({ wire }) => wire);
  return `${written}: expected one of the keys ${known.join(", ")}, got an unknown one`;
}

function findField(table: FieldTable, written: string): readonly [string?, ConfigField<unknown>?] {
  return Object.entries(table).find(([key, { wire }]) => written === key || written === wire) ?? [];
}

function got(value: unknown, { secret }: ConfigField<unknown>): string {
  return secret ? nameOfType(value) : describe(value);
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : nameOfType(value);
}

function nameOfType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value === "" ? "an empty text" : "another text";
  return `a value of type ${typeof value}`;
}
