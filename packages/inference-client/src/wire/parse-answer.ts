// JSON of a server → typed answer, or a `protocol` error that says where it differs
import type { z } from "zod";
import { clientError } from "../errors.ts";

/** Throws `protocol` when the answer is none that a known version gives. The answer itself is not repeated. */
export function parseAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown, what: string): z.infer<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.map(String).join(".")}`;
  throw clientError(
    "protocol",
    `The answer to ${what} is none that a known Inference server gives${where}. Is this address one?`,
  );
}

/** A field that servers leave out or send as null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}
