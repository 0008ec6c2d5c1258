// block types of a backend → one line per family, within a bound
import { createCharCounter } from "@vision-agent/agent-core";
import type { BlockSummary } from "@vision-agent/protocol";
import { newestVersions } from "../tools/block-tools.ts";

/** A block type, as far as the summary needs it. */
export type ListedBlock = Pick<BlockSummary, "type" | "family" | "runs">;

const MOST_TOKENS = 2_500;
const HEAD = `# Workflow blocks of this backend
By family, newest versions; a type without a slash begins with roboflow_core/. get_block_details tells the properties of one.`;

/** Blocks that do not run here are counted, not named. When it is too long, long families are cut and say so. */
export function summarizeCapabilities(blocks: readonly ListedBlock[]): string {
  const counter = createCharCounter();
  const families = toFamilies(blocks.filter(({ runs }) => runs));
  const elsewhere = blocks.filter(({ runs }) => !runs).length;
  const foot = elsewhere === 0 ? "" : `\nNot run by this backend: ${elsewhere} more (list_workflow_blocks names them).`;
  const write = (most: number): string =>
    `${HEAD}\n${families.map((family) => toLine(family, most)).join("\n")}${foot}`;
  let most = Math.max(0, ...families.map(({ types }) => types.length));
  while (most > 0 && counter.text(write(most)) > MOST_TOKENS) most -= 1;
  return write(most);
}

interface Family {
  readonly family: string;
  readonly types: readonly string[];
}

function toFamilies(blocks: readonly ListedBlock[]): readonly Family[] {
  const byFamily = Map.groupBy(blocks, ({ family }) => (family === "" ? "other" : family));
  return [...byFamily]
    .map(([family, members]) => ({
      family,
      types: newestVersions(members).map(({ type }) => type.replace(/^roboflow_core\//, "")),
    }))
    .toSorted((a, b) => a.family.localeCompare(b.family));
}

function toLine({ family, types }: Family, most: number): string {
  const left = types.length - most;
  const more = left > 0 ? `, … ${left} more` : "";
  return `- ${family}: ${types.slice(0, most).join(", ")}${more}`;
}
