// a question → passages of memory with where they stand
import type { Memory, MemoryPassage } from "../memory/memory.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";

interface RecallArgs {
  readonly query: string;
  readonly max_results?: number;
  readonly camera_id?: string;
  readonly from?: string;
  readonly to?: string;
}

const DAY = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" } as const;
const LONGEST_PASSAGE = 500;

export function createRecallTool(options: { readonly memory: Pick<Memory, "search"> }): GradedTool<RecallArgs> {
  return lookOnly<RecallArgs>({
    name: "recall",
    description: "Search memory: past observations, knowledge, preferences. For what cameras saw use search_events.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["query"],
      properties: {
        query: { type: "string", minLength: 1 },
        max_results: { type: "integer", minimum: 1, maximum: 50, default: 5 },
        camera_id: { type: "string" },
        from: { ...DAY, description: "First day, YYYY-MM-DD." },
        to: { ...DAY, description: "Last day." },
      },
    },
    annotations: { readOnly: true },
    async execute({ query, max_results = 5, camera_id, from, to }) {
      const { passages, notice } = await options.memory.search(query, {
        maxResults: max_results,
        camera: camera_id,
        from,
        to,
      });
      const found = passages.length === 0 ? ["Nothing in memory fits."] : passages.map(formatPassage);
      return [...found, ...(notice === undefined ? [] : [notice])].join("\n");
    },
  });
}

/** e.g. `- 2026-01-02 14:05 [dock] The blue van comes at two. (memory/2026-01-02.md:7)` */
function formatPassage({ text, day, time, camera, path, line }: MemoryPassage): string {
  const when = [day, time].filter((part) => part !== undefined).join(" ");
  const head = [when, camera === undefined ? "" : `[${camera}]`].filter((part) => part !== "").join(" ");
  const said = text.length > LONGEST_PASSAGE ? `${text.slice(0, LONGEST_PASSAGE)}…` : text;
  return `- ${head === "" ? "" : `${head} `}${said.replaceAll("\n", " ")} (${path}:${line})`;
}
