// a specification → its steps in the order they run, or the server's refusal
import type { Json } from "@vision-agent/protocol";
import { Refusal } from "./answer.ts";
import { isObject, type JsonObject } from "./check-body.ts";
import { checkReferences } from "./check-references.ts";
import { KNOWN_BLOCKS, type KnownBlock } from "./known-blocks.data.ts";
import { isBefore18, type Settings } from "./settings.ts";
import type { CheckedSpec, SpecInput, SpecStep } from "./spec-parts.ts";
import { type BlockProblem, DYNAMIC, ENGINE, SPECIFICATION, shortError, syntaxError } from "./workflow-errors.ts";

const INPUT_TYPES = [
  "WorkflowImage",
  "InferenceImage",
  "WorkflowVideoMetadata",
  "WorkflowParameter",
  "InferenceParameter",
  "WorkflowBatchInput",
];
export const SELECTOR = /^\$steps\.[A-Za-z_\-0-9]+(\.[A-Za-z_*0-9-]+)?$|^\$inputs\.[A-Za-z_0-9-]+$/;
const PATTERN =
  "String should match pattern '(^\\$steps\\.[A-Za-z_\\-0-9]+\\.[A-Za-z_*0-9\\-]+$)|(^\\$inputs.[A-Za-z_0-9\\-]+$)'";
const BY_TYPE = new Map(KNOWN_BLOCKS.flatMap((block) => typesOf(block).map((type) => [type, block] as const)));

export function engineVersion(settings: Settings): string {
  return isBefore18(settings) ? "1.15.0" : "1.17.0";
}

export function typesOf(block: KnownBlock): readonly string[] {
  return [block.type, ...block.aliases.split(" ").filter((alias) => alias !== "")];
}

export function checkSpec(spec: JsonObject, settings: Settings): CheckedSpec {
  checkVersion(spec.version, engineVersion(settings));
  const blocks = new Map<string, KnownBlock>([...BY_TYPE, ...dynamicBlocks(spec, settings)]);
  const lines: string[] = [];
  const problems: BlockProblem[] = [];
  for (const field of ["version", "inputs", "steps", "outputs"]) {
    if (spec[field] === undefined) lines.push(...reason(field, "Field required", "missing"));
  }
  const inputs = objects(spec.inputs).map((input, index) => parseInput(input, index, lines));
  const steps = objects(spec.steps).map((json, index) => parseStep({ json, index, blocks, lines, problems }));
  const outputs = objects(spec.outputs).map((json) => ({
    name: String(json.name),
    selector: String(json.selector),
    inOwnPixels: json.coordinates_system === "own",
  }));
  if (lines.length > 0) throw syntaxError(lines, problems);
  checkNames("parameter", inputs);
  checkNames("steps", steps);
  checkNames("outputs", outputs);
  return { inputs, outputs, steps: checkReferences({ inputs, steps, outputs }) };
}

function checkVersion(version: Json | undefined, engine: string): void {
  if (version === undefined) return;
  const text = String(version);
  if (!/^\d+(\.\d+){0,2}$/.test(text)) {
    const message = `Workflow definition contains \`version\` defined as \`${text}\` which cannot be parsed as valid version definition.`;
    const inner = ["InvalidVersion", `Invalid version: '${text}'`] as const;
    throw shortError("WorkflowDefinitionError", ENGINE, `${message} Error details: ${inner[1]}`, { inner });
  }
  const [major = 0, minor = 0] = text.split(".").map(Number);
  const [ours = 0, newest = 0] = engine.split(".").map(Number);
  if (major === ours && minor <= newest) return;
  const asked = `\`<${major + 1}.0.0,>=${text}\``;
  const message = `Workflow definition requested Execution Engine in version: ${asked} which cannot be found in existing setup.`;
  const available = `Available Execution Engines versions: \`[<Version('${engine}')>]\`.`;
  throw shortError("NotSupportedExecutionEngineError", ENGINE, `${message} ${available}`);
}

function dynamicBlocks(spec: JsonObject, settings: Settings): Map<string, KnownBlock> {
  const definitions = objects(spec.dynamic_blocks_definitions);
  if (definitions.length > 0 && !settings.customPython) {
    const message = "Cannot use dynamic blocks with custom Python code in this installation of `workflows`.";
    const refusal = shortError("WorkflowEnvironmentConfigurationError", DYNAMIC, message, { status: 500 });
    const body = {
      ...(refusal.answer.body as JsonObject),
      python_blocks_output_streams: null,
      python_blocks_debug_traces: null,
    };
    throw new Refusal({ status: 500, body });
  }
  const blocks = definitions.map((definition): [string, KnownBlock] => {
    const manifest = isObject(definition.manifest) ? definition.manifest : {};
    const type = String(manifest.block_type);
    const outputs = isObject(manifest.outputs) ? Object.keys(manifest.outputs) : [];
    const gives = Object.fromEntries(outputs.map((name) => [name, "*"]));
    return [type, { type, aliases: "", category: "dynamic", name: type, takes: {}, gives }];
  });
  return new Map(blocks);
}

function parseInput(json: JsonObject, index: number, lines: string[]): SpecInput {
  const type = String(json.type);
  if (!INPUT_TYPES.includes(type)) {
    const tags = INPUT_TYPES.map((tag) => `'${tag}'`).join(", ");
    const message = `Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`;
    lines.push(...reason(`inputs.${index}`, message, "union_tag_invalid"));
  }
  return { name: String(json.name), kinds: inputKinds(type, json.kind), defaultValue: json.default_value };
}

function inputKinds(type: string, kind: Json | undefined): readonly string[] {
  if (type.endsWith("Image")) return ["image"];
  if (type === "WorkflowVideoMetadata") return ["video_metadata"];
  if (!Array.isArray(kind)) return ["*"];
  return kind.map((item) => (isObject(item) ? String(item.name) : String(item)));
}

function parseStep(parts: {
  json: JsonObject;
  index: number;
  blocks: ReadonlyMap<string, KnownBlock>;
  lines: string[];
  problems: BlockProblem[];
}): SpecStep {
  const { json, index, blocks, lines, problems } = parts;
  const [name, type] = [String(json.name), String(json.type)];
  const block = blocks.get(type);
  if (block === undefined) {
    const tags = [...blocks.keys()].map((tag) => `'${tag}'`).join(", ");
    const details = `Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`;
    lines.push(...reason(`steps.${index}`, details, "union_tag_invalid"));
    problems.push({ block: name, type, details });
    return { name, type, json, block: { type, aliases: "", category: "", name: "", takes: {}, gives: {} } };
  }
  for (const [key, accepts] of Object.entries(block.takes)) {
    const property = key.replace(/!$/, "");
    for (const wrong of propertyProblems(json[property], accepts, key.endsWith("!"))) {
      lines.push(...reason(`steps.${index}.${type}.${property}`, wrong.details, wrong.code));
      problems.push({ block: name, type, property, details: wrong.details });
    }
  }
  return { name, type, json, block };
}

export function propertyProblems(
  value: Json | undefined,
  accepts: string,
  required: boolean,
): { details: string; code: string }[] {
  if (value === undefined) return required ? [{ details: "Field required", code: "missing" }] : [];
  if (typeof value === "string" && SELECTOR.test(value)) return [];
  const mismatch = { details: PATTERN, code: "string_pattern_mismatch" };
  if (!accepts.startsWith("~")) {
    if (typeof value === "string") return [mismatch];
    if (accepts.includes("*") || Array.isArray(value) || value === null) return [];
    return [{ details: "Input should be a valid string", code: "string_type" }];
  }
  if (accepts === "~float_zero_to_one" && typeof value === "string") {
    const details = "Input should be a valid number, unable to parse string as a number";
    return [{ details, code: "float_parsing" }, mismatch];
  }
  return [];
}

function checkNames(what: string, items: readonly { readonly name: string }[]): void {
  if (new Set(items.map((item) => item.name)).size === items.length) return;
  const message =
    what === "parameter" ? "Found duplicated input parameter names" : `Found duplicated input ${what} names`;
  throw shortError("DuplicatedNameError", SPECIFICATION, message);
}

function reason(place: string, message: string, code: string): string[] {
  return [
    place,
    `  ${message} [type=${code}]`,
    `    For further information visit https://errors.pydantic.dev/2.11/v/${code}`,
  ];
}

export function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
