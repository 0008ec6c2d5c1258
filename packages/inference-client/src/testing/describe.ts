// known blocks and checked specifications → the descriptions the server gives of them
import type { Json } from "@vision-agent/protocol";
import type { JsonObject } from "./check-body.ts";
import { kindsOf, referencesOf } from "./check-references.ts";
import { typesOf } from "./check-spec.ts";
import { KNOWN_BLOCKS, type KnownBlock } from "./known-blocks.data.ts";
import type { CheckedSpec, SpecStep } from "./spec-parts.ts";

const SELECTOR_PATTERN = "(^\\$steps\\.[A-Za-z_\\-0-9]+\\.[A-Za-z_*0-9\\-]+$)|(^\\$inputs.[A-Za-z_0-9\\-]+$)";

export function describeBlocks(): Json {
  const kinds = new Set(
    KNOWN_BLOCKS.flatMap((block) => Object.values(block.gives).flatMap((names) => names.split("|"))),
  );
  return {
    blocks: KNOWN_BLOCKS.map(describeBlock),
    declared_kinds: [...kinds].sort().map(describeKind),
    kinds_connections: {},
    primitives_connections: [],
    universal_query_language_description: { operations_description: [], operators_descriptions: [] },
    dynamic_block_definition_schema: {},
  };
}

export function describeInterface(spec: CheckedSpec): Json {
  const names = {
    inputs: new Map(spec.inputs.map((input) => [input.name, input])),
    steps: new Map(spec.steps.map((step) => [step.name, step])),
  };
  const outputs = spec.outputs.map(({ name, selector }): [string, Json] => {
    const step = names.steps.get(selector.split(".")[1] ?? "");
    if (selector.endsWith(".*") && step !== undefined) return [name, kindsByOutput(step.block)];
    return [name, [...(kindsOf(selector, names) ?? ["*"])]];
  });
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

export function describeWorkload(spec: CheckedSpec, engine: string): Json {
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
      max_dimensionality: 1 + Math.max(0, ...spec.steps.map((step) => step.block.deeper ?? 0)),
      steps_by_dimensionality: { "1": spec.steps.length },
    },
  };
}

function describeBlock(block: KnownBlock): Json {
  const types = typesOf(block);
  const properties = Object.entries(block.takes).map(([key, accepts]) => [
    key.replace(/!$/, ""),
    describeProperty(accepts),
  ]);
  const required = Object.keys(block.takes).filter((key) => key.endsWith("!"));
  return {
    block_schema: {
      block_type: block.category,
      name: block.name,
      short_description: block.name,
      long_description: block.name,
      license: "Apache-2.0",
      properties: {
        type: types.length === 1 ? { const: block.type } : { enum: [...types] },
        name: { type: "string", title: "Step Name" },
        ...Object.fromEntries(properties),
      },
      required: ["type", "name", ...required.map((key) => key.slice(0, -1))],
      type: "object",
      title: "BlockManifest",
    },
    outputs_manifest: Object.entries(block.gives).map(([name, kinds]) => ({
      name,
      kind: kinds.split("|").map(describeKind),
    })),
    block_source: "workflows_core",
    fully_qualified_block_class_name: `fake.${block.type}`,
    human_friendly_block_name: block.name,
    manifest_type_identifier: block.type,
    manifest_type_identifier_aliases: types.slice(1),
    execution_engine_compatibility: ">=1.3.0,<2.0.0",
    restrictions: [],
    input_dimensionality_offsets: {},
    dimensionality_reference_property: null,
    output_dimensionality_offset: block.deeper ?? 0,
  };
}

function describeProperty(accepts: string): Json {
  const kinds = accepts.replace(/^~/, "");
  if (kinds === "") return { title: "Value" };
  const kind = kinds.split("|").map(describeKind);
  const selector = { type: "string", pattern: SELECTOR_PATTERN, reference: true, selected_element: "any_data", kind };
  return accepts.startsWith("~") ? { anyOf: [{ title: "Value" }, selector] } : selector;
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
    output_dimensionality: 1 + (step.block.deeper ?? 0),
    accepts_batch_input: step.block.category === "model",
    resources: discovery(id === undefined ? [] : [resource]),
    restrictions: discovery([]),
    operations: discovery([step.block.category === "model" ? "model_inference" : "data_transformation"]),
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

function edgesOf(spec: CheckedSpec): Json[] {
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
  const uses = steps.flatMap((step) => {
    const direct = referencesOf(step).filter(({ selector }) => selector === `$inputs.${input}`);
    return direct.flatMap(({ property }) =>
      (step.block.takes[`${property}!`] ?? step.block.takes[property] ?? "*").replace(/^~/, "").split("|"),
    );
  });
  return uses.length === 0 ? [...declared] : [...new Set(uses)];
}

function kindsByOutput(block: KnownBlock): JsonObject {
  return Object.fromEntries(Object.entries(block.gives).map(([name, kinds]) => [name, kinds.split("|")]));
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
