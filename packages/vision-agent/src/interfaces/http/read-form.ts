// a form → its one file and its fields
import type { FastifyRequest } from "fastify";
import { parseJson } from "../../workspace/parse-json.ts";
import { refuseForm } from "./artifact-routes.ts";

export interface Form {
  readonly file: Uint8Array | undefined;
  /** What is JSON comes parsed, everything else as text. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Fields that are text whatever they look like. */
const TEXT: ReadonlySet<string> = new Set(["image", "model", "workspace_name", "workflow_id", "backend"]);

/** Throws `HttpProblem` 400 for a form that is broken. */
export async function readForm(request: FastifyRequest): Promise<Form> {
  let file: Uint8Array | undefined;
  const fields: Record<string, unknown> = {};
  try {
    for await (const part of request.parts()) {
      if (part.type === "file") file = await part.toBuffer();
      else fields[part.fieldname] = toValue(part.fieldname, String(part.value));
    }
  } catch (error) {
    refuseForm(error);
  }
  return { file, fields };
}

function toValue(name: string, text: string): unknown {
  return TEXT.has(name) ? text : (parseJson(text) ?? text);
}
