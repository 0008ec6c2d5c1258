// known blocks and specifications → the descriptions the server gives of them
import type { Json } from "@vision-agent/protocol";
import { isObject, type JsonMap } from "./check-body.ts";
import type { RunnerBlock } from "./workflow-runner.ts";

const SELECTOR_PATTERN = "(^\\$steps\\.[A-Za-z_\\-0-9]+\\.[A-Za-z_*0-9\\-]+$)|(^\\$inputs.[A-Za-z_0-9\\-]+$)";

/** The parts of a specification that a runner has found to be right. */
export interface SpecParts {
  readonly inputs: readonly { readonly name: string; readonly kinds: readonly string[] }[];
  readonly steps: readonly SpecStep[];
  readonly outputs: readonly { readonly name: string; readonly selector: string }[];
}

interface SpecStep {
  readonly name: string;
  readonly type: string;
  readonly block: RunnerBlock | undefined;
  readonly json: JsonMap;
}

export function partsOf(spec: JsonMap, blocks: readonly RunnerBlock[] = []): SpecParts {
  const byType = new Map(
    blocks.flatMap((block) => [block.type, ...block.aliases].map((type) => [type, block] as const)),
  );
  return {
    inputs: objectsIn(spec.inputs).map((input) => ({ name: String(input.name), kinds: inputKinds(input) })),
    steps: objectsIn(spec.steps).map((json) => {
      const type = String(json.type);
      return { name: String(json.name), type, json, block: byType.get(type) };
    }),
    outputs: objectsIn(spec.outputs).map((json) => ({ name: String(json.name), selector: String(json.selector) })),
  };
}

export function describeBlocks(blocks: readonly RunnerBlock[]): Json {
  const kinds = new Set(blocks.flatMap((block) => block.outputs.flatMap((output) => output.kinds)));
  return {
    blocks: blocks.map(describeBlock),
    declared_kinds: [...kinds].sort().map(describeKind),
    kinds_connections: {},
    primitives_connections: [],
    universal_query_language_description: { operations_description: [], operators_descriptions: [] },
    dynamic_block_definition_schema: {},
  };
}

export function describeInterface(spec: SpecParts): Json {
  const outputs = spec.outputs.map(({ name, selector }): [string, Json] => [name, outputKinds(selector, spec)]);
  const inputs = spec.inputs.map((input): [string, Json] => [
    input.name,
    usedKinds(input.name, spec.steps, input.kinds),
  ]);
  const seen = new Set([...inputs, ...outputs].flatMap(([, kinds]) => flatKinds(kinds)));
  return {
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
    typing_hints: Object.fromEntries([...seen].map((kind) => [kind, hintOf(kind)])),
    kinds_schemas: Object.fromEntries(
      [...seen].filter((kind) => hintOf(kind) === "dict").map((kind) => [kind, { type: "object" }]),
    ),
  };
}

export function describeWorkload(spec: SpecParts, engine: string): Json {
  const node = (id: string, kind: string) => ({ type: "graph_node_v1", id, kind });
  const models = spec.steps.filter(
    (step) => typeof step.json.model_id === "string" && !step.json.model_id.startsWith("$"),
  );
  return {
    type: "workflow_introspection_v1",
    execution_engine_version: engine,
    nodes: [
      ...spec.inputs.map((input) => node(`$inputs.${input.name}`, "input")),
      ...spec.steps.map((step) => node(`$steps.${step.name}`, "step")),
      ...spec.outputs.map((output) => node(`$outputs.${output.name}`, "output")),
    ],
    edges: edgesOf(spec),
    steps: spec.steps.map(describeStep),
    summary: {
      type: "workflow_summary_v1",
      models: discovery(models.map(describeModel)),
      max_dimensionality: 1,
      steps_by_dimensionality: { "1": spec.steps.length },
    },
  };
}

function describeBlock(block: RunnerBlock): Json {
  const { type, aliases, name, family, properties, outputs } = block;
  return {
    block_schema: {
      block_type: family,
      name,
      short_description: name,
      long_description: name,
      license: "Apache-2.0",
      properties: {
        type: aliases.length === 0 ? { const: type } : { enum: [type, ...aliases] },
        name: { type: "string", title: "Step Name" },
        ...Object.fromEntries(properties.map((property) => [property.name, describeProperty(property)])),
      },
      required: ["type", "name", ...properties.filter(({ required }) => required).map((property) => property.name)],
      type: "object",
      title: "BlockManifest",
    },
    outputs_manifest: outputs.map((output) => ({ name: output.name, kind: output.kinds.map(describeKind) })),
    block_source: "workflows_core",
    fully_qualified_block_class_name: `fake.${type}`,
    human_friendly_block_name: name,
    manifest_type_identifier: type,
    manifest_type_identifier_aliases: [...aliases],
    execution_engine_compatibility: ">=1.3.0,<2.0.0",
    restrictions: [],
    input_dimensionality_offsets: {},
    dimensionality_reference_property: null,
    output_dimensionality_offset: 0,
  };
}

function describeProperty({ kinds, takesValues }: RunnerBlock["properties"][number]): Json {
  if (kinds.length === 0) return { title: "Value" };
  const kind = kinds.map(describeKind);
  const selector = { type: "string", pattern: SELECTOR_PATTERN, reference: true, selected_element: "any_data", kind };
  return takesValues ? { anyOf: [{ title: "Value" }, selector] } : selector;
}

function describeKind(name: string): Json {
  const hint = hintOf(name);
  return { name, description: name, docs: null, serialised_data_type: hint, internal_data_type: hint };
}

function describeStep(step: SpecStep): Json {
  const id = step.json.model_id;
  const metadata = {
    type: "roboflow_platform_model_v1",
    model_id: id ?? null,
    required_action: "execution",
    execution_location: "environment_defined",
  };
  const resource = { type: "dependent_resource_v1", resource_type: "roboflow_platform_model", metadata };
  return {
    type: "step_metadata_v1",
    node_id: `$steps.${step.name}`,
    block_type: step.type,
    input_dimensionality: 1,
    output_dimensionality: 1,
    accepts_batch_input: step.block?.family === "model",
    resources: discovery(id === undefined ? [] : [resource]),
    restrictions: discovery([]),
    operations: discovery([step.block?.family === "model" ? "model_inference" : "data_transformation"]),
  };
}

function describeModel(step: SpecStep): Json {
  return {
    type: "model_summary_v1",
    provider: "roboflow",
    model_id: step.json.model_id ?? null,
    used_by_steps: [`$steps.${step.name}`],
    steps_by_dimensionality: { "1": 1 },
    metadata: null,
    metadata_status: "unavailable",
  };
}

function edgesOf(spec: SpecParts): Json[] {
  const edge = (selector: string, target: string) => {
    return { type: "graph_edge_v1", source: selector.split(".").slice(0, 2).join("."), target, kind: "data" };
  };
  const steps = spec.steps.flatMap((step) =>
    referencesOf(step).map(({ selector }) => edge(selector, `$steps.${step.name}`)),
  );
  return [...steps, ...spec.outputs.map((output) => edge(output.selector, `$outputs.${output.name}`))];
}

function discovery(items: Json[]): Json {
  return { type: "discovery_v1", items, complete: true, unknown_reasons: [] };
}

/** What the steps that read a parameter accept says more than the parameter itself. */
function usedKinds(input: string, steps: readonly SpecStep[], declared: readonly string[]): Json[] {
  if (!declared.includes("*")) return [...declared];
  const uses = steps.flatMap((step) =>
    referencesOf(step)
      .filter(({ selector }) => selector === `$inputs.${input}`)
      .flatMap(({ property }) => step.block?.properties.find(({ name }) => name === property)?.kinds ?? ["*"]),
  );
  return uses.length === 0 ? [...declared] : [...new Set(uses)];
}

function outputKinds(selector: string, { inputs, steps }: SpecParts): Json {
  const [root, name, property] = selector.split(".");
  if (root === "$inputs") return [...(inputs.find((input) => input.name === name)?.kinds ?? ["*"])];
  const outputs = steps.find((step) => step.name === name)?.block?.outputs ?? [];
  if (property === "*") return Object.fromEntries(outputs.map((output) => [output.name, [...output.kinds]]));
  return [...(outputs.find((output) => output.name === property)?.kinds ?? ["*"])];
}

function inputKinds({ type, kind }: JsonMap): readonly string[] {
  if (String(type).endsWith("Image")) return ["image"];
  if (type === "WorkflowVideoMetadata") return ["video_metadata"];
  return Array.isArray(kind) ? kind.map((item) => String(isObject(item) ? item.name : item)) : ["*"];
}

/** Every reference of a step, nested ones too. */
function referencesOf(step: SpecStep): readonly { readonly property: string; readonly selector: string }[] {
  return Object.entries(step.json)
    .filter(([key]) => key !== "name" && key !== "type")
    .flatMap(([property, value]) => selectorsIn(value).map((selector) => ({ property, selector })));
}

function selectorsIn(value: Json): string[] {
  if (typeof value === "string") return /^\$(steps|inputs)\.[\w-]/.test(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(selectorsIn);
  return isObject(value) ? Object.values(value).flatMap(selectorsIn) : [];
}

function objectsIn(value: Json | undefined): JsonMap[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function flatKinds(kinds: Json): string[] {
  if (typeof kinds === "string") return [kinds];
  return typeof kinds === "object" && kinds !== null ? Object.values(kinds).flatMap(flatKinds) : [];
}

function hintOf(kind: string): string {
  if (kind === "image" || kind === "dictionary" || kind.endsWith("_prediction")) return "dict";
  if (kind.startsWith("float")) return "float";
  if (kind === "integer") return "int";
  if (kind === "boolean") return "bool";
  return kind === "*" ? "Any" : "str";
}
