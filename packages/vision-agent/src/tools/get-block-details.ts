// block type → what it takes and gives, and a workflow with it that was checked
import type { BlockSummary, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import { type KnownBlock, nearestName } from "@vision-agent/vision-engine";
import type { BlockListing } from "../backends/block-catalog.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";
import { toBlockExample } from "./block-example.ts";

export interface GetBlockDetailsOptions {
  /** Blocks of the backend in use. */
  readonly listBlocks: (signal: AbortSignal) => Promise<BlockListing>;
  /** Every block type of the language with its properties: the engine's function of the same name. */
  readonly listKnownBlocks: () => readonly KnownBlock[];
  /** Everything wrong with a workflow; empty when it can run on the backend in use. */
  readonly validate: (spec: WorkflowSpec) => Promise<readonly WorkflowProblem[]>;
}

interface GetBlockDetailsArgs {
  readonly block_type: string;
}

const LONGEST_TYPE = 160;

export function createGetBlockDetailsTool(options: GetBlockDetailsOptions): GradedTool<GetBlockDetailsArgs> {
  return lookOnly<GetBlockDetailsArgs>({
    name: "get_block_details",
    description:
      "Properties, outputs and a small valid workflow of one block. Use before composing with a block that is new to you.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["block_type"],
      properties: { block_type: { type: "string", description: "e.g. roboflow_core/line_counter@v2" } },
    },
    annotations: { readOnly: true },
    async execute({ block_type }, { signal }) {
      const { blocks } = await options.listBlocks(signal);
      const summary = findBlock(blocks, block_type);
      const known = options.listKnownBlocks().find(({ type }) => type === summary.type);
      return [
        `${summary.type} (${summary.name}, ${summary.family}): ${summary.description || "No description."}`,
        ...(summary.runs
          ? []
          : ["Does not run on the backend in use: it needs an Inference server (the http backend)."]),
        "Properties (* required; sel<kind> is a selector of that kind):",
        ...(known === undefined ? summary.properties.map(formatName) : known.properties.map(formatProperty)),
        `Outputs: ${summary.outputs.map(({ name, kinds }) => `${name} (${kinds.join(", ")})`).join("; ") || "none"}`,
        ...(known && summary.runs ? [await exampleOf(known, options.validate)] : []),
      ].join("\n");
    },
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

function formatName({ name, required }: BlockSummary["properties"][number]): string {
  return `- ${name}${required ? "*" : ""}`;
}

function formatProperty({ name, type, required, default: value }: KnownBlock["properties"][number]): string {
  const shown = type.length > LONGEST_TYPE ? `${type.slice(0, LONGEST_TYPE)}…` : type;
  const otherwise =
    required || value === undefined || value === null ? "" : `, default ${JSON.stringify(value).slice(0, 60)}`;
  return `- ${name}${required ? "*" : ""}: ${shown}${otherwise}`;
}

/** Shown only when the backend takes it. */
async function exampleOf(block: KnownBlock, validate: GetBlockDetailsOptions["validate"]): Promise<string> {
  const example = toBlockExample(block);
  const isValid = example !== undefined && (await validate(example)).length === 0;
  return isValid
    ? `Valid example: ${JSON.stringify(example)}`
    : "There is no small example of it; check yours with validate_workflow.";
}
