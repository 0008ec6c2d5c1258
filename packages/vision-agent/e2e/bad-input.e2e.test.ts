import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand, startProduct as start, type startProduct, temporaryWorkspace } from "./start-product.ts";

describe("a start that cannot go well says why in one sentence and how to go on", () => {
  let home: Awaited<ReturnType<typeof temporaryWorkspace>>;
  const cleanups: (() => Promise<unknown> | unknown)[] = [];

  beforeEach(async () => {
    home = await temporaryWorkspace();
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
    await home.remove();
  });

  const serve = (...flags: string[]): ReturnType<typeof runCommand> =>
    runCommand(["serve", "--no-open", "--port", "0", "--workspace", home.folder, ...flags]);

  it("names the scenes there are when one is unknown", async () => {
    const { code, stderr } = await serve("--camera", "yard=sim://mars");
    expect(code).toBe(2);
    expect(stderr).toContain('"mars"');
    expect(stderr).toMatch(/street/);
    expect(stderr).toMatch(/warehouse/);
    expectPlain(stderr);
  });

  it("names the port that is taken and the flag for another", async () => {
    const taken = createServer();
    await new Promise<void>((ready) => taken.listen(0, "127.0.0.1", ready));
    cleanups.push(() => new Promise((done) => taken.close(done)));
    const port = String((taken.address() as { port: number }).port);
    const { code, stderr } = await serve("--port", port);
    expect(code).not.toBe(0);
    expect(stderr).toContain(port);
    expect(stderr).toContain("--port");
    expectPlain(stderr);
  });

  it("names the process that uses the workspace already", async () => {
    const first: Awaited<ReturnType<typeof startProduct>> = await start({
      workspace: home.folder,
      flags: ["--no-demo"],
    });
    cleanups.push(() => first.stop());
    const { code, stderr } = await serve();
    expect(code).not.toBe(0);
    expect(stderr).toContain(String(first.pid));
    expect(stderr).toContain("--workspace");
    expectPlain(stderr);
  });

  it("says that the workspace is a file", async () => {
    await writeFile(home.folder, "not a folder");
    const { code, stderr } = await serve();
    expect(code).not.toBe(0);
    expect(stderr).toContain(home.folder);
    expectPlain(stderr);
  });

  it("says that the workspace cannot be written", async (context) => {
    await mkdir(home.folder);
    if (!mountTmpfs(home.folder, "size=1m,ro")) context.skip("a read-only tmpfs cannot be mounted here");
    cleanups.push(() => spawnSync("umount", [home.folder]));
    const { code, stderr } = await serve();
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/read-only|cannot be written/);
    expect(stderr).toContain("--workspace");
    expectPlain(stderr);
  });

  it("says that the disk is full", async (context) => {
    await mkdir(home.folder);
    if (!mountTmpfs(home.folder, "size=64k")) context.skip("a small tmpfs cannot be mounted here");
    cleanups.push(() => spawnSync("umount", [home.folder]));
    await writeFile(join(home.folder, "filler"), Buffer.alloc(1 << 20)).catch(() => undefined);
    const { code, stderr } = await serve();
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/full|no space/i);
    expectPlain(stderr);
  });

  it("names the line and the key of a wrong setting", async () => {
    await mkdir(home.folder);
    await writeFile(join(home.folder, "config.yaml"), "server:\n  port: seventy\n");
    const { code, stderr } = await serve();
    expect(code).not.toBe(0);
    expect(stderr).toContain("server.port");
    expect(stderr).toMatch(/line 2/);
    expectPlain(stderr);
  });

  it("refuses to listen beyond this machine", async () => {
    const { code, stderr } = await serve("--host", "0.0.0.0");
    expect(code).not.toBe(0);
    expect(stderr).toContain("vision-agent account add");
    expectPlain(stderr);
  });

  it("names the nearest command for a misspelt one", async () => {
    const { code, stderr } = await runCommand(["chatt"]);
    expect(code).toBe(2);
    expect(stderr).toContain("chat");
  });
});

/** For people: no stack, no error code dump, at most a few lines. */
function expectPlain(stderr: string): void {
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr).not.toMatch(/ExperimentalWarning|node:internal/);
  expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(3);
}

function mountTmpfs(folder: string, options: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status === 0;
}
