// node conformance/main.ts [DIR] [--topic NAME] [--target TEXT] [--verbose]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type ReplayVerdict, replayRecord } from "./replay-record.ts";
import type { VectorRecord } from "./vector-record.ts";

/** Files of a folder of vectors that hold no records. */
const NO_RECORDS = ["index.json", "stub-blocks.json"];

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    topic: { type: "string" },
    target: { type: "string" },
    verbose: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

const HELP = `Replays recorded calls of the Python engine on this one.

  npm run test:conformance [-- DIR] [-- --topic NAME] [-- --target TEXT] [-- --verbose]

  DIR            folder with *.json vectors (default: vectors in VISION_AGENT_SHARED or ../shared)
  --topic NAME   only the file NAME.json
  --target TEXT  only records whose target contains TEXT
  --verbose      say why records were skipped
`;

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const folder = positionals[0] ?? join(process.env.VISION_AGENT_SHARED ?? "../shared", "vectors");
  if (!existsSync(folder)) {
    process.stdout.write(`No vectors at ${folder}: left out. Name the folder that has them.\n`);
    return positionals[0] === undefined ? 0 : 1;
  }
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of topicsIn(folder)) {
    const counts = await replayTopic(join(folder, file));
    for (const kind of ["passed", "failed", "skipped"] as const) total[kind] += counts[kind];
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
  const counted = total.passed + total.failed;
  return counted > 0 && total.passed / counted >= 0.98 ? 0 : 1;
}

function topicsIn(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json") && !NO_RECORDS.includes(file));
  return files.filter((file) => values.topic === undefined || file === `${values.topic}.json`).sort();
}

async function replayTopic(path: string): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const records: readonly VectorRecord[] = JSON.parse(readFileSync(path, "utf8"));
  const lines: string[] = [];
  for (const [at, record] of records.entries()) {
    if (values.target !== undefined && !record.target.includes(values.target)) continue;
    const verdict = await replayRecord(record);
    counts[verdict.kind] += 1;
    lines.push(...linesOn(record, at, verdict));
  }
  if (counts.passed + counts.failed + counts.skipped > 0) {
    const { passed, failed, skipped } = counts;
    process.stdout.write(`${basename(path, ".json")}: ${passed} passed, ${failed} failed, ${skipped} out of scope\n`);
    process.stdout.write(lines.map((line) => `  ${line}\n`).join(""));
  }
  return counts;
}

function linesOn({ target, source }: VectorRecord, at: number, verdict: ReplayVerdict): readonly string[] {
  if (verdict.kind === "passed" || (verdict.kind === "skipped" && !values.verbose)) return [];
  return [`${verdict.kind} #${at} ${target} (${source.split("::").at(-1)}): ${verdict.reason}`];
}

process.exitCode = await main();
