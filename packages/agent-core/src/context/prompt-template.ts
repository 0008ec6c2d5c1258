import { AgentError } from "../types/errors.ts";

/**
 * AF-24, AF-35: puts values for `{{name}}`. A value is not looked into again, so what a stranger wrote stays text.
 * Throws `AgentError` kind `invalid`, code `missing_value`, for a name without a value.
 */
export function fillTemplate(template: string, values: { readonly [name: string]: string }): string {
  return template.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => {
    if (Object.hasOwn(values, name)) return values[name] ?? "";
    throw new AgentError({
      kind: "invalid",
      code: "missing_value",
      message: `The template asks for "${name}", which nobody gave. Given: ${Object.keys(values).join(", ") || "nothing"}.`,
    });
  });
}
