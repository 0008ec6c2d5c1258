import { join } from "node:path";
import { parseArgs } from "node:util";

/** The folder that this process replays, as its command line names it, and the standard one. */
export function vectorFolders(): readonly string[] {
  const { positionals } = parseArgs({
    allowPositionals: true,
    strict: false,
    options: { topic: { type: "string" }, target: { type: "string" } },
  });
  return [...positionals.slice(0, 1), join(process.env.VISION_AGENT_SHARED ?? "../shared", "vectors")];
}
