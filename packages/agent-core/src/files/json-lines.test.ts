import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type JsonLines, openJsonLines } from "./line-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "json-lines-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("openJsonLines", () => {
  it("gives back what was appended, in order", async () => {
    const first = await openLog();
    await Promise.all([1, 2, 3].map((number) => first.append(number)));
    await first.close();
    expect(await readBack()).toEqual({ loaded: [1, 2, 3], skippedLines: 0 });
  });

  it("complaint 9: loads what was whole when the file is cut at any byte, and goes on after it", async () => {
    const whole = "10\n200\n3000\n";
    for (let cut = 0; cut <= whole.length; cut++) {
      await writeFile(path(), whole.slice(0, cut));
      const log = await openLog();
      const complete = whole.slice(0, cut).split("\n").slice(0, -1).map(Number);
      expect(log.loaded).toEqual(complete);
      await log.append(4);
      await log.close();
      expect((await readBack()).loaded).toEqual([...complete, 4]);
    }
  });

  it("complaint 9: skips and counts lines of zeros and lines that are no numbers", async () => {
    await writeFile(path(), '1\n\0\0\0\n"two"\n3}{\n4\n');
    expect(await readBack()).toEqual({ loaded: [1, 4], skippedLines: 3 });
  });

  it("replaces everything and goes on in the new file", async () => {
    const log = await openLog();
    await Promise.all([log.append(1), log.append(2), log.replace([12]), log.append(3)]);
    expect(await readFile(path(), "utf8")).toBe("12\n3\n");
    await log.close();
  });

  it("leaves the old file when the new one was never finished", async () => {
    await writeFile(path(), "1\n");
    await writeFile(`${path()}.next`, "99");
    expect((await readBack()).loaded).toEqual([1]);
  });

  it("has one writer at a time and lets go when closed, twice", async () => {
    const log = await openLog();
    await expect(openLog()).rejects.toMatchObject({ kind: "invalid", code: "log_busy" });
    await Promise.all([log.close(), log.close()]);
    await expect(log.append(1)).rejects.toMatchObject({ code: "log_closed" });
    await (await openLog()).close();
  });

  it("makes the folder that is missing and refuses a path that cannot be", async () => {
    const deep = await openLog(join(folder, "a", "b", "log.jsonl"));
    await deep.close();
    await appendFile(path(), "");
    await expect(openLog(join(path(), "log.jsonl"))).rejects.toThrow();
  });
});

function path(): string {
  return join(folder, "log.jsonl");
}

function openLog(at = path()): Promise<JsonLines<number>> {
  return openJsonLines({ path: at, owner: "test", parse: (value) => (typeof value === "number" ? value : undefined) });
}

async function readBack(): Promise<Pick<JsonLines<number>, "loaded" | "skippedLines">> {
  const log = await openLog();
  await log.close();
  return { loaded: log.loaded, skippedLines: log.skippedLines };
}
