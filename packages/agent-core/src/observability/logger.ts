import type { Json } from "../types/json.ts";
import type { Redactor } from "./redact.ts";

/** Where this package and its tools write what happens. Must not throw. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** VI-13: nothing reaches `inner` but what the redactor lets through. */
export function createRedactingLogger(inner: Logger, redactor: Redactor): Logger {
  const write =
    (level: keyof Logger) =>
    (message: string, fields?: object): void => {
      const text = redactor.text(message);
      if (fields === undefined) inner[level](text);
      else inner[level](text, toFields(redactor.value(fields)));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** Bytes in place of fields have become a text. */
function toFields(redacted: Json): object {
  return typeof redacted === "object" && redacted !== null ? redacted : { fields: redacted };
}
