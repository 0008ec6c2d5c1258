// category → the block types that the backend in use runs, one line each
import type { BlockSummary } from "@vision-agent/protocol";
import { nearestName } from "@vision-agent/vision-engine";
import type { BlockListing } from "../backends/block-catalog.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";

export interface ListWorkflowBlocksOptions {
  /** Blocks of the backend in use. */
  readonly listBlocks: (signal: AbortSignal) => Promise<BlockListing>;
}

interface ListWorkflowBlocksArgs {
  readonly category?: string;
}

/** The seed's words for families, where they differ. */
const FAMILY_OF: Readonly<Record<string, string>> = {
  classical_cv: "classical_computer_vision",
  models: "model",
  sinks: "sink",
};
const TRACKING = "tracking";
const LONGEST_DESCRIPTION = 110;

export function createListWorkflowBlocksTool(options: ListWorkflowBlocksOptions): GradedTool<ListWorkflowBlocksArgs> {
  return lookOnly<ListWorkflowBlocksArgs>({
    name: "list_workflow_blocks",
    description: "List the workflow blocks that run here, all by name or one category with descriptions.",
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        category: {
          type: "string",
          description:
            "model, analytics, visualization, transformation, sink, flow_control, classical_cv, fusion, formatter, tracking; or a word to search for.",
        },
      },
    },
    annotations: { readOnly: true },
    limits: { resultTokens: 6000 },
    async execute({ category }, { signal }) {
      const { source, note, blocks } = await options.listBlocks(signal);
      const running = newestVersions(blocks.filter(({ runs }) => runs));
      const text = category === undefined ? describeAll(running) : describeCategory(running, category, blocks);
      return [`${source}:`, text, ...(note === undefined ? [] : [note])].join("\n");
    },
  });
}

/** One line for each block: older versions only fill the list. */
function newestVersions(blocks: readonly BlockSummary[]): readonly BlockSummary[] {
  const newest = new Map<string, BlockSummary>();
  for (const block of blocks) {
    const [stem = block.type, version = ""] = block.type.split("@");
    const known = newest.get(stem)?.type.split("@")[1] ?? "";
    if (version.localeCompare(known, undefined, { numeric: true }) >= 0) newest.set(stem, block);
  }
  return [...newest.values()];
}

function describeAll(blocks: readonly BlockSummary[]): string {
  const families = Map.groupBy(blocks, ({ family }) => family);
  return [...families]
    .map(([family, members]) => `${family}: ${members.map(({ type }) => shortType(type)).join(", ")}`)
    .concat("Types begin with roboflow_core/ unless they say otherwise. get_block_details tells more.")
    .join("\n");
}

function describeCategory(running: readonly BlockSummary[], category: string, all: readonly BlockSummary[]): string {
  const wanted = category
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  const family = FAMILY_OF[wanted] ?? wanted;
  const found = running.filter((block) => fits(block, family));
  if (found.length > 0) return found.map(formatBlock).join("\n");
  const elsewhere = newestVersions(all.filter((block) => fits(block, family)));
  if (elsewhere.length > 0) {
    const types = elsewhere.map(({ type }) => type).join(", ");
    return `None of these runs on the backend in use: ${types}. They need an Inference server (the http backend).`;
  }
  const families = [...new Set(running.map((block) => block.family)), TRACKING];
  const nearest = nearestName(wanted, [...families, ...Object.keys(FAMILY_OF)]);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new Error(`No block fits "${category}".${hint} Categories: ${families.join(", ")}.`);
}

function fits({ type, name, family, description }: BlockSummary, wanted: string): boolean {
  if (wanted === TRACKING) return /track/i.test(`${type} ${name}`);
  if (family === wanted) return true;
  const words = wanted.split("_");
  const text = `${type} ${name} ${description}`.toLowerCase();
  // A family's name is not searched for in the texts of other families.
  return !FAMILIES.has(wanted) && words.every((word) => text.includes(word));
}

const FAMILIES: ReadonlySet<string> = new Set([
  "model",
  "analytics",
  "visualization",
  "transformation",
  "sink",
  "flow_control",
  "classical_computer_vision",
  "fusion",
  "formatter",
  "math",
  "video",
  "secrets_provider",
]);

function formatBlock({ type, name, description }: BlockSummary): string {
  const said = (description || name).split("\n")[0] ?? "";
  return `- ${type}: ${said.length > LONGEST_DESCRIPTION ? `${said.slice(0, LONGEST_DESCRIPTION)}…` : said}`;
}

function shortType(type: string): string {
  return type.replace(/^roboflow_core\//, "");
}
