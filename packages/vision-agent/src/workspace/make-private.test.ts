import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makePrivate } from "./make-private.ts";

const isWindows = process.platform === "win32";
let base = "";
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "vision-agent-modes-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function modeOf(...parts: readonly string[]): Promise<string> {
  return ((await stat(join(base, ...parts))).mode & 0o777).toString(8);
}

describe.skipIf(isWindows)("a workspace that others can read", () => {
  it("is closed to them at the start, which is said once", async () => {
    await mkdir(join(base, "w", "memory"), { recursive: true });
    const files = ["w/.env", "w/credentials.json", "w/server.json", "w/memory/index.sqlite", "config.yaml", "outside"];
    for (const name of files) await writeFile(join(base, name), "");
    for (const name of [...files, "w", "w/memory"]) await chmod(join(base, name), 0o755);
    await symlink(join(base, "outside"), join(base, "w", "link"));
    const notices: string[] = [];
    const options = { folder: join(base, "w"), settings: base, onNotice: (message: string) => notices.push(message) };
    await makePrivate(options);
    await makePrivate(options);
    expect(notices).toEqual([
      `Other users of this computer could read 7 files and folders in ${join(base, "w")}. Now only you can.`,
    ]);
    for (const name of files.slice(0, -1)) expect(await modeOf(name)).toBe("700");
    expect([await modeOf("w"), await modeOf("w", "memory"), await modeOf("outside")]).toEqual(["700", "700", "755"]);
  });

  it("loses no right of its owner, and needs no folder", async () => {
    await writeFile(join(base, "config.yaml"), "");
    await chmod(join(base, "config.yaml"), 0o644);
    await makePrivate({ folder: join(base, "none"), settings: base, onNotice: () => undefined });
    expect(await modeOf("config.yaml")).toBe("600");
  });
});
