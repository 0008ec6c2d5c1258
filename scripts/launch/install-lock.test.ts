import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withInstallLock } from "./install-lock.mjs";
import { identifyProcess } from "./process-identity.mjs";

describe("install lock", () => {
  it("lets one in at a time and tells who waits", async () => {
    const place = emptyPlace();
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((done) => setTimeout(done, 50));
      order.push(`${name} ends`);
    };
    await Promise.all(["a", "b", "c"].map((name) => withInstallLock(place, work(name))));
    const names = order.filter((_, index) => index % 2 === 0).map((line) => line[0]);
    expect(names.sort()).toEqual(["a", "b", "c"]);
    expect(order).toEqual(pairs(order));
    expect(place.told).toHaveLength(2);
    expect(place.told[0]).toContain(`process ${process.pid}`);
  });

  it("breaks a lock whose launcher and child are dead", async () => {
    const place = emptyPlace();
    leaveLock(place.runtimeFolder, { launcher: deadProcess(), child: deadProcess() });
    await expect(withInstallLock(place, async () => "in")).resolves.toBe("in");
    expect(place.told).toEqual([]);
  });

  it("breaks a lock whose process id now belongs to another process", async () => {
    const place = emptyPlace();
    leaveLock(place.runtimeFolder, { launcher: `${process.pid} 1` });
    await expect(withInstallLock(place, async () => "in")).resolves.toBe("in");
  });

  it("waits for the child that outlived its launcher", async () => {
    const place = emptyPlace();
    leaveLock(place.runtimeFolder, { launcher: deadProcess(), child: identifyProcess(process.pid) ?? "" });
    let isIn = false;
    const waiting = withInstallLock(place, async () => {
      isIn = true;
    });
    await new Promise((done) => setTimeout(done, 300));
    expect(isIn).toBe(false);
    writeFileSync(join(place.runtimeFolder, "lock/held/child"), deadProcess());
    await waiting;
    expect(isIn).toBe(true);
  });

  it("gives way after a failure and clears what was left half done", async () => {
    const place = emptyPlace();
    const failing = withInstallLock(place, async ({ temporaryFolder }) => {
      writeFileSync(join(temporaryFolder, "half"), "");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(existsSync(join(place.runtimeFolder, "temporary"))).toBe(false);
    await withInstallLock(place, async ({ temporaryFolder }) => expect(readdirSync(temporaryFolder)).toEqual([]));
  });

  it("says in one sentence that the folder cannot be written", async () => {
    const { runtimeFolder, say } = emptyPlace();
    writeFileSync(join(runtimeFolder, "file"), "");
    const inFile = withInstallLock({ runtimeFolder: join(runtimeFolder, "file"), say }, async () => undefined);
    await expect(inFile).rejects.toMatchObject({
      kind: "read_only",
      message: expect.stringContaining("cannot be written"),
    });
  });
});

function emptyPlace() {
  const runtimeFolder = mkdtempSync(join(tmpdir(), "lock-"));
  onTestFinished(() => rmSync(runtimeFolder, { recursive: true, force: true }));
  const told: string[] = [];
  return { runtimeFolder, told, say: (line: string) => void told.push(line) };
}

function leaveLock(runtimeFolder: string, files: { launcher: string; child?: string }) {
  const held = join(runtimeFolder, "lock/held");
  mkdirSync(held, { recursive: true });
  for (const [name, text] of Object.entries({ token: "left-behind", ...files })) {
    writeFileSync(join(held, name), text);
  }
}

function deadProcess(): string {
  return `${spawnSync(process.execPath, ["-e", ""]).pid} 1`;
}

function pairs(order: readonly string[]): string[] {
  return order.flatMap((line, index) => (index % 2 === 0 ? [line, line.replace("begins", "ends")] : []));
}
