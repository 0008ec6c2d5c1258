// block types of a backend → one line per family, within a bound
import { createCharCounter } from "@vision-agent/agent-core";

/** A block type, as far as the summary needs it. */
export interface ListedBlock {
  readonly type: string;
  readonly family: string;
  readonly name: string;
  /** Whether the backend in use runs it. */
  readonly runsHere: boolean;
}

const MOST_TOKENS = 2_500;
const HEAD = `# Workflow blocks of this backend
By family, newest versions; a type without a slash begins with roboflow_core/. get_block_details tells the properties of one.`;
const USUAL = "roboflow_core/";

/** Blocks that do not run here are counted, not named. When it is too long, long families are cut and say so. */
export function summarizeCapabilities(blocks: readonly ListedBlock[]): string {
  const counter = createCharCounter();
  const families = toFamilies(blocks.filter(({ runsHere }) => runsHere));
  const elsewhere = blocks.filter(({ runsHere }) => !runsHere).length;
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
    .map(([family, members]) => ({ family, types: newest(members.map(({ type }) => type)) }))
    .toSorted((a, b) => a.family.localeCompare(b.family));
}

/** `line_counter@v1`, `line_counter@v2` → `line_counter@v2`, in the order of first appearance. */
function newest(types: readonly string[]): readonly string[] {
  const versions = new Map<string, number>();
  for (const type of types) {
    const [, name = type, version = "0"] = /^(.*)@v(\d+)$/.exec(type) ?? [];
    versions.set(name, Math.max(versions.get(name) ?? 0, Number(version)));
  }
  return [...versions].map(([name, version]) => {
    const short = name.startsWith(USUAL) ? name.slice(USUAL.length) : name;
    return version === 0 ? short : `${short}@v${version}`;
  });
}

function toLine({ family, types }: Family, most: number): string {
  const left = types.length - most;
  const more = left > 0 ? `, … ${left} more` : "";
  return `- ${family}: ${types.slice(0, most).join(", ")}${more}`;
}
