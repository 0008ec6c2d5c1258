import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const CATALOGUE = join(process.env.VISION_AGENT_SHARED ?? "../shared", "reference/workflow-blocks.json");

it.runIf(existsSync(CATALOGUE))("the manifests are those of the published catalogue", () => {
  const generated = new URL("./block-manifests.generated.jsonl", import.meta.url);
  const script = ["scripts/generate-manifests.ts", CATALOGUE];
  const anew = execFileSync(process.execPath, script, { encoding: "utf8", maxBuffer: 1e8 });
  expect(readFileSync(generated, "utf8") === anew).toBe(true);
});

it.skipIf(existsSync(CATALOGUE))("the catalogue is not here", () => {
  process.stdout.write(`No catalogue at ${CATALOGUE}: left out.\n`);
});
