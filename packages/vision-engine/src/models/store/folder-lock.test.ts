import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { withLock } from "./install-package.ts";

const folder = await mkdtemp(join(tmpdir(), "lock-"));
afterAll(() => rm(folder, { recursive: true }));

describe("withLock", () => {
  it("lets one at a time do the work", async () => {
    const file = join(folder, "one");
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise((done) => setTimeout(done, 20));
      log.push(`${name} ends`);
    };
    let waited = 0;
    const first = withLock(file, work("first"));
    await new Promise((done) => setTimeout(done, 10));
    await Promise.all([first, withLock(file, work("second"), { onWait: () => waited++ })]);
    expect(log).toEqual(["first begins", "first ends", "second begins", "second ends"]);
    expect(waited).toBe(1);
  });

  it("is free again after a failure", async () => {
    const file = join(folder, "two");
    await expect(withLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });

  it("stops waiting when told to", async () => {
    const file = join(folder, "three");
    await writeFile(file, "");
    await expect(withLock(file, async () => "done", { signal: AbortSignal.timeout(30) })).rejects.toThrow(/abort/i);
  });

  it("takes over a lock that nobody holds any more", { timeout: 20_000 }, async () => {
    const file = join(folder, "four");
    await writeFile(file, "");
    expect(await withLock(file, async () => "done", { pollMs: 2 })).toBe("done");
  });
});
