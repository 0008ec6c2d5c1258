// an answer that was to be JSON → its value
import { createArgumentCompiler } from "../tools/argument-check.ts";
import type { Json, JsonSchema } from "../types/json.ts";
import type { RunScope } from "./run-scope.ts";

/** Undefined when no schema was asked for, or with a warning when the answer does not fit it. */
export function toStructured(text: string, { settings, journal }: RunScope): Json | undefined {
  const output = settings.config?.output;
  if (!output) return undefined;
  const value = parseJson(text);
  const problems = value === undefined ? ["it is not JSON"] : checkValue(value, output.schema);
  if (problems.length === 0) return value;
  journal.warn("structured_output", `The answer does not have the shape "${output.name}": ${problems.join("; ")}`);
  return undefined;
}

/** What is wrong with a value, one sentence each. A schema that cannot be read is a problem too. */
export function checkValue(value: Json, schema: JsonSchema): readonly string[] {
  try {
    const check = createArgumentCompiler()({
      type: "object",
      properties: { value: schema },
      required: ["value"],
    });
    return check({ value });
  } catch (thrown) {
    return [`its schema cannot be used: ${String(thrown)}`];
  }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
