import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { nodeFiles } from "../workspace/node-files.ts";
import { openBoundedLog } from "./bounded-log.ts";

const schema = z.object({ n: z.number(), padding: z.string() });
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const writer = `
import { openBoundedLog } from ${JSON.stringify(new URL("./bounded-log.ts", import.meta.url).href)};
import { nodeFiles } from ${JSON.stringify(new URL("../workspace/node-files.ts", import.meta.url).href)};
import { z } from "zod";
const [folder] = process.argv.slice(-1);
const schema = z.object({ n: z.number(), padding: z.string() });
const log = await openBoundedLog({ files: nodeFiles, path: folder + "/log.jsonl", schema, maxEntries: 20 });
let n = log.entries().at(-1)?.n ?? 0;
for (;;) {
  n += 1;
  await log.append({ n, padding: "x".repeat(2000) });
  await nodeFiles.writeAtomic(folder + "/state.json", JSON.stringify({ n, padding: "y".repeat(20_000) }));
  process.stdout.write(n + "\\n");
}
`;

describe("a writer that is killed", () => {
  it("VA-19 loses nothing that it reported as written, whenever the kill comes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kill-"));
    folders.push(folder);
    for (let round = 0; round < 6; round += 1) {
      const reported = await writeUntilKilled(folder, 30 + round * 17);
      const log = await openBoundedLog({ files: nodeFiles, path: join(folder, "log.jsonl"), schema, maxEntries: 20 });
      const numbers = log.entries().map(({ n }) => n);
      const last = numbers.at(-1) ?? 0;
      expect(last).toBeGreaterThanOrEqual(reported);
      expect(numbers).toEqual(numbers.map((_, index) => last - numbers.length + 1 + index));
      const state = JSON.parse(await readFile(join(folder, "state.json"), "utf8"));
      expect(state.n).toBeGreaterThanOrEqual(reported);
    }
  });
});

/** The last number that the writer said was on disk. */
async function writeUntilKilled(folder: string, ms: number): Promise<number> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", writer, folder], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: import.meta.dirname,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child.stdout, "data");
  await sleep(ms);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  // The last line may be torn; the one before it was written whole.
  return Number(output.split("\n").at(-2));
}
