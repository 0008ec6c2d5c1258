import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { nodeFiles } from "../workspace/node-files.ts";
import { type OpenMemory, openMarkdownMemory } from "./open-markdown-memory.ts";

const folder = await mkdtemp(join(tmpdir(), "memory-kill-"));
afterAll(() => rm(folder, { recursive: true }));

const writer = `
import { openMarkdownMemory } from ${JSON.stringify(new URL("./open-markdown-memory.ts", import.meta.url).href)};
import { nodeFiles } from ${JSON.stringify(new URL("../workspace/node-files.ts", import.meta.url).href)};
const [folder, first] = process.argv.slice(-2);
const memory = await openMarkdownMemory({ files: nodeFiles, folder, now: Date.now, timeZone: "UTC", onNotice() {} });
for (let n = Number(first); ; n += 1) {
  await memory.store({ content: "note n" + n + " " + "x".repeat(200), category: n % 2 ? "knowledge" : "observation" });
  process.stdout.write(n + "\\n");
}
`;

describe("a memory that is killed", () => {
  it("VA-19 loses no note that it reported as stored, and its index is the one of a rebuild", async () => {
    await mkdir(join(folder, "memory"));
    await mkdir(join(folder, ".index"));
    let first = 0;
    for (let round = 0; round < 6; round += 1) {
      const reported = await storeUntilKilled(first, 40 + round * 23);
      const kept = await openHere();
      const numbers = (await kept.indexed()).map(({ text }) => Number(/^note n(\d+) x{200}$/.exec(text)?.[1]));
      const notes = await contentOf(kept);
      await kept.close();
      expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, n) => n));
      expect(numbers.length).toBeGreaterThan(reported);
      await rm(join(folder, ".index"), { recursive: true });
      await mkdir(join(folder, ".index"));
      const rebuilt = await openHere();
      expect(await contentOf(rebuilt)).toEqual(notes);
      await rebuilt.close();
      first = numbers.length;
    }
  });
});

function openHere(): Promise<OpenMemory> {
  return openMarkdownMemory({ files: nodeFiles, folder, now: Date.now, timeZone: "UTC", onNotice: () => undefined });
}

async function contentOf(memory: OpenMemory): Promise<readonly object[]> {
  return (await memory.indexed()).map(({ id: _, ...note }) => note);
}

/** The last number that the writer said was stored. */
async function storeUntilKilled(first: number, ms: number): Promise<number> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", writer, folder, String(first)], {
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
