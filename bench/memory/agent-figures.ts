// the command and the prompt as a person gets them → how soon there is help, how long the prefix is
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { listKnownBlocks } from "@vision-agent/vision-engine";
import { createSystemPrompt } from "../../packages/vision-agent/src/agent/system-prompt.ts";
import { DEFAULT_SKILLS } from "../../packages/vision-agent/src/skills/default-skills.data.ts";
import { parseSkill } from "../../packages/vision-agent/src/skills/parse-skill.ts";
import { fakeCameras, fakePipelines } from "../../packages/vision-agent/src/testing/fake-app.ts";
import { measurePrefix, PREFIX_LIMIT } from "../../packages/vision-agent/src/testing/prefix-size.ts";
import { createTools } from "../../packages/vision-agent/src/tools/create-tools.ts";
import type { ToolParts } from "../../packages/vision-agent/src/tools/tool-parts.ts";
import { type Figure, percentile, round } from "../figure.ts";

const COMMAND = fileURLToPath(new URL("../../packages/vision-agent/bin/vision-agent.js", import.meta.url));
const HELP_RUNS = 15;
const HELP_LIMIT_MS = 300;
const run = promisify(execFile);

/** `vision-agent --help`, run by this Node, after runs that filled the compile cache. */
export async function helpFigures(): Promise<readonly Figure[]> {
  const cache = await mkdtemp(join(tmpdir(), "bench-compile-cache-"));
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const askForHelp = async (): Promise<number> => {
    const startedAt = performance.now();
    await run(process.execPath, [COMMAND, "--help"], { env });
    return performance.now() - startedAt;
  };
  try {
    await askForHelp();
    await askForHelp();
    const samples: number[] = [];
    for (let at = 0; at < HELP_RUNS; at++) samples.push(await askForHelp());
    const p50 = percentile(samples, 0.5);
    const goal = `at most ${HELP_LIMIT_MS} ms with a warm compile cache`;
    return [{ name: "help_p50", value: round(p50, 0), unit: "ms", goal, met: p50 <= HELP_LIMIT_MS }];
  } finally {
    await rm(cache, { recursive: true });
  }
}

/** What every request of a conversation begins with: all tools, all blocks, the skills of the first run. */
export async function prefixFigures(): Promise<readonly Figure[]> {
  const skills = Object.values(DEFAULT_SKILLS).map((text) => parseSkill(text, /name: (.*)/.exec(text)?.[1] ?? ""));
  const prompt = createSystemPrompt({
    cameras: fakeCameras(),
    pipelines: fakePipelines(),
    readFile: async () => undefined,
    blocks: async () => listKnownBlocks().map(({ runsHere: runs, ...block }) => ({ ...block, runs })),
    skills: { list: async () => skills },
    modelFor: () => "",
    now: () => 0,
    timeZone: "UTC",
  });
  // Definitions are read and no tool is called, so that nothing else of an app is needed.
  const tools = createTools({ level: "supervised", timeZone: "UTC" } as ToolParts);
  const { total } = measurePrefix(await prompt.system(), tools);
  const goal = `at most ${PREFIX_LIMIT.toLocaleString("en")} tokens with every tool`;
  return [{ name: "prefix_tokens", value: total, unit: "tokens", goal, met: total <= PREFIX_LIMIT }];
}
