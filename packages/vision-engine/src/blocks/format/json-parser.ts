// JSON text → its fields as outputs of the step
import type { Json } from "@vision-agent/protocol";
import type { Block, StepText } from "../block.ts";
import { textsOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { firstJsonBlock, isJsonObject, type JsonObject } from "./json-in-text.ts";

export const jsonParser: Block = {
  manifest: manifestOf("roboflow_core/json_parser@v1"),
  description: "Reads named fields out of a JSON text, for example the answer of a language model.",
  stateless: true,
  phrase: () => "reads fields out of JSON",
  problems: (step) =>
    fieldsIn(step).includes("error_status")
      ? [
          {
            property: "expected_fields",
            message: '"error_status" is an output of the block; name the field otherwise.',
          },
        ]
      : [],
  outputs: (step) => fieldsIn(step).map((name) => ({ name, kinds: ["*"] })),
  create: () => ({
    run(inputs) {
      const fields = textsOf(inputs, "expected_fields") ?? [];
      const parsed = parseObject(inputs.raw_json);
      const values = Object.fromEntries(fields.map((name) => [name, parsed?.[name] ?? null]));
      const complete = parsed !== undefined && fields.every((name) => Object.hasOwn(parsed, name));
      return { ...values, error_status: !complete };
    },
  }),
};

function fieldsIn({ properties: { expected_fields: fields } }: StepText): readonly string[] {
  return Array.isArray(fields) ? fields.filter((field) => typeof field === "string") : [];
}

function parseObject(text: unknown): JsonObject | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const value: Json = JSON.parse(firstJsonBlock(text) ?? text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
