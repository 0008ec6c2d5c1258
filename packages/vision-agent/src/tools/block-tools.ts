// workflow language → the blocks that run here, what each takes and gives, and what is wrong with a workflow
import type { BlockSummary, ToolDataOf, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import { describeWorkflow, type KnownBlock, nearestName, workflowWarnings } from "@vision-agent/vision-engine";
import type { BlockListing } from "../backends/block-catalog.ts";
import { toBlockExample } from "./block-example.ts";
import { schemaFor, visionTool } from "./graded-tool.ts";
import { formatProblems, parseWorkflow, rejection } from "./workflow-argument.ts";

/** Blocks of the backend in use. */
type ListBlocks = (signal: AbortSignal) => Promise<BlockListing>;
/** Everything wrong with a workflow; empty when it can run on the backend in use. */
type Validate = (spec: WorkflowSpec) => Promise<readonly WorkflowProblem[]>;

export interface BlockDetailsOptions {
  readonly listBlocks: ListBlocks;
  /** Every block type of the language with its properties: the engine's function of the same name. */
  readonly listKnownBlocks: () => readonly KnownBlock[];
  readonly validate: Validate;
}

/** The seed's words for families, where they differ. */
const FAMILY_OF: Readonly<Record<string, string>> = {
  classical_cv: "classical_computer_vision",
  models: "model",
  sinks: "sink",
};
const TRACKING = "tracking";
const LONGEST_DESCRIPTION = 110;
const LONGEST_TYPE = 160;

export function listBlocksTool(listBlocks: ListBlocks) {
  return visionTool({
    name: "list_workflow_blocks",
    deferLoading: true,
    description: "List the workflow blocks that run here, all by name or one category with descriptions.",
    properties: {
      category: {
        type: "string",
        description:
          "model, analytics, visualization, transformation, sink, flow_control, classical_cv, fusion, formatter, tracking; or a word to search for.",
      },
    },
    annotations: { readOnly: true },
    limits: { resultTokens: 6000 },
    async run({ category }, { signal }) {
      const { source, note, blocks: all } = await listBlocks(signal);
      const running = newestVersions(all.filter(({ runs }) => runs));
      const { blocks, elsewhere } =
        category === undefined ? { blocks: running, elsewhere: [] } : ofCategory(running, category, all);
      return { data: { source, note, category, blocks: blocks.map(toLine), elsewhere: [...elsewhere] } };
    },
    render: renderBlocks,
  });
}

type BlockLine = ToolDataOf<"list_workflow_blocks">["blocks"][number];

function toLine({ type, name, family, description }: BlockSummary): BlockLine {
  const said = (description || name).split("\n")[0] ?? "";
  const short = said.length > LONGEST_DESCRIPTION ? `${said.slice(0, LONGEST_DESCRIPTION)}…` : said;
  return { type, name, family, description: short };
}

/** One line for each block: older versions only fill the list. */
export function newestVersions<B extends Pick<BlockSummary, "type">>(blocks: readonly B[]): readonly B[] {
  const newest = new Map<string, B>();
  for (const block of blocks) {
    const [stem = block.type, version = ""] = block.type.split("@");
    const known = newest.get(stem)?.type.split("@")[1] ?? "";
    if (version.localeCompare(known, undefined, { numeric: true }) >= 0) newest.set(stem, block);
  }
  return [...newest.values()];
}

/** Throws with the nearest category when nothing fits. */
function ofCategory(running: readonly BlockSummary[], category: string, all: readonly BlockSummary[]) {
  const wanted = category
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  const family = FAMILY_OF[wanted] ?? wanted;
  // A family's name is not searched for in the texts of other families.
  const isFamily = all.some((block) => block.family === family);
  const isMeant = (block: BlockSummary): boolean => block.family === family || (!isFamily && isNamed(block, family));
  const blocks = running.filter(isMeant);
  const elsewhere = blocks.length > 0 ? [] : newestVersions(all.filter(isMeant));
  if (blocks.length > 0 || elsewhere.length > 0) return { blocks, elsewhere: elsewhere.map(({ type }) => type) };
  const families = [...new Set(running.map((block) => block.family)), TRACKING];
  const nearest = nearestName(wanted, [...families, ...Object.keys(FAMILY_OF)]);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new Error(`No block matches "${category}".${hint} Categories: ${families.join(", ")}.`);
}

function isNamed({ type, name, description }: BlockSummary, wanted: string): boolean {
  if (wanted === TRACKING) return /track/i.test(`${type} ${name}`);
  const text = `${type} ${name} ${description}`.toLowerCase();
  return wanted.split("_").every((word) => text.includes(word));
}

function renderBlocks({ source, note, category, blocks, elsewhere }: ToolDataOf<"list_workflow_blocks">): string {
  const notes = note === undefined ? [] : [note];
  if (elsewhere.length > 0) {
    const nowhere = `None of these run on the current backend: ${elsewhere.join(", ")}. They need an Inference server (the http backend).`;
    return [`${source}:`, nowhere, ...notes].join("\n");
  }
  const lines =
    category === undefined
      ? [
          ...families(blocks),
          "Types begin with roboflow_core/ unless they say otherwise. get_block_details tells more.",
        ]
      : blocks.map(({ type, description }) => `- ${type}: ${description}`);
  return [`${source}:`, ...lines, ...notes].join("\n");
}

function families(blocks: readonly BlockLine[]): readonly string[] {
  return [...Map.groupBy(blocks, ({ family }) => family)].map(
    ([family, members]) => `${family}: ${members.map(({ type }) => type.replace(/^roboflow_core\//, "")).join(", ")}`,
  );
}

export function blockDetailsTool(options: BlockDetailsOptions) {
  return visionTool({
    name: "get_block_details",
    deferLoading: true,
    description:
      "Properties, outputs and a small valid workflow of one block. Use before composing with a block that is new to you.",
    required: ["block_type"],
    properties: { block_type: { type: "string", description: "e.g. roboflow_core/line_counter@v2" } },
    annotations: { readOnly: true },
    async run({ block_type }, { signal }) {
      const { blocks } = await options.listBlocks(signal);
      const block = findBlock(blocks, block_type);
      const known = options.listKnownBlocks().find(({ type }) => type === block.type);
      const properties =
        known?.properties.map(({ required = false, ...one }) => ({ ...one, required })) ?? block.properties;
      const example = known && block.runs ? await checkedExample(known, options.validate) : undefined;
      return { data: { block, properties, example } };
    },
    render: renderDetails,
  });
}

/** By type, alias, or the type without its maker or version. Throws with the nearest names. */
function findBlock(blocks: readonly BlockSummary[], written: string): BlockSummary {
  const wanted = written.trim().toLowerCase();
  const exact = blocks.find(({ type, aliases }) => [type, ...aliases].some((name) => name.toLowerCase() === wanted));
  if (exact !== undefined) return exact;
  const stem = stemOf(written);
  const versions = blocks.filter(({ type }) => stemOf(type) === stem || stemOf(type.split("@")[0] ?? "") === stem);
  const newest = versions.toSorted((a, b) => a.type.localeCompare(b.type, undefined, { numeric: true })).at(-1);
  if (newest !== undefined) return newest;
  const stems = new Map(blocks.map((block) => [block.type.replace(/^roboflow_core\//, ""), block]));
  const nearest = nearestName(wanted.replace(/^roboflow_core\//, ""), stems.keys());
  const hint =
    nearest === undefined
      ? "list_workflow_blocks lists those there are."
      : `Did you mean "${stems.get(nearest)?.type}"?`;
  throw new Error(`There is no block "${written}". ${hint}`);
}

/** `ByteTracker`, `byte tracker` and `roboflow_core/byte_tracker` are the same. */
function stemOf(type: string): string {
  return type
    .trim()
    .toLowerCase()
    .replace(/^roboflow_core\//, "")
    .replace(/[\s_-]+/g, "");
}

/** Undefined unless the backend takes it. */
async function checkedExample(block: KnownBlock, validate: Validate): Promise<WorkflowSpec | undefined> {
  const example = toBlockExample(block);
  return example !== undefined && (await validate(example)).length === 0 ? example : undefined;
}

function renderDetails({ block, properties, example }: ToolDataOf<"get_block_details">): string {
  const outputs = block.outputs.map(({ name, kinds }) => `${name} (${kinds.join(", ")})`).join("; ");
  const isKnown = properties.some(({ type }) => type !== undefined) || properties.length === 0;
  const sample =
    example === undefined
      ? "There is no small example; check yours with validate_workflow."
      : `Valid example: ${JSON.stringify(example)}`;
  return [
    `${block.type} (${block.name}, ${block.family}): ${block.description || "No description."}`,
    ...(block.runs ? [] : ["Does not run on the current backend: it needs an Inference server (the http backend)."]),
    "Properties (* required; sel<kind> is a selector of that kind):",
    ...properties.map(renderProperty),
    `Outputs: ${outputs || "none"}`,
    ...(isKnown && block.runs ? [sample] : []),
  ].join("\n");
}

type BlockProperty = ToolDataOf<"get_block_details">["properties"][number];

function renderProperty({ name, type, required, default: value }: BlockProperty): string {
  if (type === undefined) return `- ${name}${required ? "*" : ""}`;
  const shown = type.length > LONGEST_TYPE ? `${type.slice(0, LONGEST_TYPE)}…` : type;
  const otherwise =
    required || value === undefined || value === null ? "" : `, default ${JSON.stringify(value).slice(0, 60)}`;
  return `- ${name}${required ? "*" : ""}: ${shown}${otherwise}`;
}

export function validateWorkflowTool(validate: Validate) {
  return visionTool({
    name: "validate_workflow",
    deferLoading: true,
    description: "Check a workflow without running it: every problem with its step, property and nearest valid name.",
    required: ["workflow_spec"],
    properties: { workflow_spec: schemaFor<unknown>({ type: "object" }) },
    annotations: { readOnly: true },
    async run({ workflow_spec }) {
      const spec = parseWorkflow(workflow_spec);
      const problems = [...(await validate(spec))];
      if (problems.length > 0) return { data: { valid: false, problems, warnings: [] } };
      const warnings = [...workflowWarnings(spec)];
      return { data: { valid: true, problems, warnings, description: describeWorkflow(spec) } };
    },
    render({ problems, warnings, description = "" }) {
      if (problems.length > 0) return rejection(problems);
      return `Valid. ${description}${warnings.length === 0 ? "" : `\nProbably not intended:\n${formatProblems(warnings)}`}`;
    },
  });
}
