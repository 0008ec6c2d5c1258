import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createMemoryFiles, type MemoryFiles } from "../testing/memory-files.ts";
import { StoreError } from "../workspace/file-port.ts";
import { type BoundedLog, openBoundedLog } from "./bounded-log.ts";

const schema = z.object({ n: z.number() });
const path = "/w/log.jsonl";

describe("a log of JSON lines", () => {
  it("gives back after a reopening what was appended, in order", async () => {
    const files = createMemoryFiles();
    const log = await open(files);
    await Promise.all([1, 2, 3].map((n) => log.append({ n })));
    expect(numbers(await open(files))).toEqual([1, 2, 3]);
  });

  it("VA-19 reads everything before a line torn at any byte, and appends after it", async () => {
    const whole = '{"n":1}\n{"n":2}\n';
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const files = createMemoryFiles({ [path]: whole.slice(0, cut) });
      const complete = numbers(await open(files));
      await (await open(files)).append({ n: 9 });
      expect(numbers(await open(files))).toEqual([...complete, 9]);
    }
  });

  it("counts the lines that nobody understands and goes on", async () => {
    const log = await open(createMemoryFiles({ [path]: '{"n":1}\nnonsense\n{"m":2}\n{"n":3}\n' }));
    expect(numbers(log)).toEqual([1, 3]);
    expect(log.unreadable).toBe(2);
  });

  it("keeps the newest and rewrites the file before it is twice too long", async () => {
    const files = createMemoryFiles();
    const log = await open(files, 5);
    for (let n = 1; n <= 23; n += 1) await log.append({ n });
    expect(numbers(log)).toEqual([19, 20, 21, 22, 23]);
    expect(numbers(await open(files, 5))).toEqual([19, 20, 21, 22, 23]);
    expect(files.contents.get(path)?.split("\n").length).toBeLessThanOrEqual(11);
  });

  it("keeps in memory what a full disk refuses, and writes it once there is space", async () => {
    const files = createMemoryFiles();
    const log = await open(files);
    await log.append({ n: 1 });
    files.fault = { code: "ENOSPC" };
    await expect(log.append({ n: 2 })).rejects.toMatchObject({ kind: "no_space" });
    expect(numbers(log)).toEqual([1, 2]);
    expect(numbers(await open(files))).toEqual([1]);
    files.fault = undefined;
    await log.append({ n: 3 });
    expect(numbers(await open(files))).toEqual([1, 2, 3]);
  });

  it("starts a new line after an append that failed halfway", async () => {
    const files = createMemoryFiles();
    const torn = { ...files, append: failHalfway(files) };
    const log = await openBoundedLog({ files: torn, path, schema, maxEntries: 100 });
    await expect(log.append({ n: 1 })).rejects.toThrow("halfway");
    await log.append({ n: 2 });
    expect(numbers(await open(files))).toEqual([1, 2]);
  });

  it("writes entries that come together in one go", async () => {
    const files = createMemoryFiles();
    let appends = 0;
    const counting = {
      ...files,
      append: (to: string, text: string) => {
        appends += 1;
        return files.append(to, text);
      },
    };
    const log = await openBoundedLog({ files: counting, path, schema, maxEntries: 100 });
    await Promise.all([1, 2, 3, 4].map((n) => log.append({ n })));
    expect(appends).toBe(1);
  });
});

function open(files: MemoryFiles, maxEntries = 100): Promise<BoundedLog<{ n: number }>> {
  return openBoundedLog({ files, path, schema, maxEntries });
}

function numbers(log: BoundedLog<{ n: number }>): readonly number[] {
  return log.entries().map(({ n }) => n);
}

function failHalfway(files: MemoryFiles): MemoryFiles["append"] {
  let calls = 0;
  return async (to, text) => {
    calls += 1;
    if (calls > 1) return files.append(to, text);
    await files.append(to, text.slice(0, text.length / 2));
    throw new StoreError("no_space", "halfway");
  };
}
