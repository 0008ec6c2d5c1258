import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const COMMAND = join(import.meta.dirname, "main.ts");
const LIMIT_MS = 25 * 60_000;

it(
  "S000-10.2.6 the offline interpreter is right in 70 % at once and in 90 % after one correction",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "vision-agent-evals-"));
    try {
      const args = [COMMAND, "eval", "--provider", "offline", "--report", folder];
      await promisify(execFile)(process.execPath, args, { timeout: LIMIT_MS });
      const { results } = JSON.parse(await readFile(join(folder, "report.json"), "utf8"));
      const careful = results.filter(({ family }: EvalRow) => family === "no-wrong-effects");
      const wishes: EvalRow[] = results.filter((row: EvalRow) => !careful.includes(row));
      const wrong = wishes.filter(({ after_correction }) => !after_correction);
      const names = wrong.map(({ family, name }) => `${family}/${name}`).join(", ");
      expect(results.length).toBeGreaterThanOrEqual(120);
      expect(careful.filter(({ wrong_effect }: EvalRow) => wrong_effect)).toEqual([]);
      expect(careful.filter(({ first_try }: EvalRow) => first_try).length / careful.length).toBeGreaterThanOrEqual(
        0.75,
      );
      expect(wishes.filter(({ first_try }) => first_try).length / wishes.length).toBeGreaterThanOrEqual(0.7);
      expect(1 - wrong.length / wishes.length, names).toBeGreaterThanOrEqual(0.9);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  LIMIT_MS,
);

interface EvalRow {
  readonly family: string;
  readonly name: string;
  readonly first_try: boolean;
  readonly after_correction: boolean;
  readonly wrong_effect: boolean;
}
