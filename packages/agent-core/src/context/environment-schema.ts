// state + JSON Schema → a list of what is wrong
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { AgentError } from "../types/errors.ts";
import type { Json, JsonSchema } from "../types/json.ts";

const TEXTS: JsonSchema = { type: "array", items: { type: "string" } };
const NAMED_TEXTS: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
const COUNT: JsonSchema = { type: "integer", minimum: 0 };

/** AF-8 … AF-12: the sections that every environment has. */
const SECTIONS: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["system", "task", "knowledge", "workspace", "extensions"],
  properties: {
    system: {
      type: "object",
      additionalProperties: false,
      required: ["workingDirectory", "permissions", "resources"],
      properties: { workingDirectory: { type: "string" }, permissions: TEXTS, resources: NAMED_TEXTS },
    },
    task: {
      type: "object",
      additionalProperties: false,
      required: ["objective", "status", "stepsCompleted", "stepsTotal"],
      properties: {
        objective: { type: "string" },
        status: { enum: ["not_started", "in_progress", "completed", "failed"] },
        stepsCompleted: COUNT,
        stepsTotal: COUNT,
        currentStep: { type: "string" },
      },
    },
    knowledge: {
      type: "object",
      required: ["discoveredFacts", "sources", "keyConcepts"],
      properties: { discoveredFacts: TEXTS, sources: NAMED_TEXTS, keyConcepts: TEXTS },
    },
    workspace: {
      type: "object",
      required: ["files", "artifacts"],
      properties: { files: { type: "object" }, artifacts: { type: "array" } },
    },
    extensions: { type: "object" },
  },
};

/** Throws `AgentError` kind `invalid`, code `env_invalid`, when the state does not fit. */
export type StateCheck = (state: Json) => void;

/** AF-3: the sections' own shape first, then the schema of the host. */
export function createStateCheck(schema?: JsonSchema): StateCheck {
  const checks = (schema === undefined ? [SECTIONS] : [SECTIONS, schema]).map(compile);
  return (state) => {
    for (const check of checks) {
      if (check(state)) continue;
      const [first] = check.errors ?? [];
      throw new AgentError({
        kind: "invalid",
        code: "env_invalid",
        message: `The environment does not allow this: ${first?.instancePath || "the state"} ${first?.message ?? "is not valid"}. Nothing was changed.`,
      });
    }
  };
}

/** Compiling takes far longer than checking, and every run makes an environment. */
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

function compile(document: JsonSchema): ValidateFunction {
  const known = compiled.get(document);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, logger: false });
  formats.default(ajv);
  const { $schema: _dialect, ...schema } = document;
  const check = ajv.compile(schema);
  compiled.set(document, check);
  return check;
}
