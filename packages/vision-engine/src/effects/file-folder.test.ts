import { mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileFolder } from "./create-effects.ts";

describe("file folder", () => {
  it("writes whole files and appends, making folders", async () => {
    const { root, files } = folder();
    await files.write("logs/one.txt", "first\n", "replace");
    await files.write("logs/one.txt", "second\n", "append");
    expect(readFileSync(join(root, "logs/one.txt"), "utf8")).toBe("first\nsecond\n");
    expect(readdirSync(join(root, "logs"))).toEqual(["one.txt"]);
  });

  it.each(["../outside.txt", "/etc/outside.txt", "a/../../outside.txt"])("refuses %s", async (path) => {
    const { files } = folder();
    expect(() => files.locate(path)).toThrow("outside of the folder");
    await expect(files.write(path, "x", "replace")).rejects.toThrow("outside of the folder");
  });

  it("refuses a link that leads out of the folder", () => {
    const { root, files } = folder();
    symlinkSync(tmpdir(), join(root, "out"));
    expect(() => files.locate("out/file.txt")).toThrow("outside of the folder");
  });
});

function folder() {
  const root = mkdtempSync(join(tmpdir(), "files-"));
  return { root, files: createFileFolder(root) };
}
