import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const COMMAND = join(import.meta.dirname, "main.ts");
const LIMIT_MS = 15 * 60_000;

it(
  "S000-10.2.6 the offline interpreter is right in 70 % at once and in 90 % after one correction",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "vision-agent-evals-"));
    try {
      const args = [COMMAND, "eval", "--provider", "offline", "--report", folder];
      await promisify(execFile)(process.execPath, args, { timeout: LIMIT_MS });
      const { total, results } = JSON.parse(await readFile(join(folder, "report.json"), "utf8"));
      const wrong = results.filter((one: { after_correction: boolean }) => !one.after_correction);
      const names = wrong.map(({ family, name }: { family: string; name: string }) => `${family}/${name}`).join(", ");
      expect(total.instructions).toBe(60);
      expect(total.first_try / total.instructions).toBeGreaterThanOrEqual(0.7);
      expect(total.after_correction / total.instructions, names).toBeGreaterThanOrEqual(0.9);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  LIMIT_MS,
);
