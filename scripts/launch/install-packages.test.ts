import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isInstalled } from "./install-packages.mjs";

const host = { platform: "linux", arch: "x64", libc: "glibc" } as const;

describe("isInstalled", () => {
  it("is content with a lockfile that names no packages", () => {
    expect(isInstalled({ root: checkout({ packages: {} }), host })).toBe(true);
  });

  it("misses packages that were never installed", () => {
    expect(isInstalled({ root: checkout({ packages: { "node_modules/a": { version: "1.0.0" } } }), host })).toBe(false);
  });

  it("accepts what a person installed with npm", () => {
    expect(isInstalled({ root: installed(), host })).toBe(true);
  });

  it("does not trust an install that npm did not finish", () => {
    const root = installed();
    rmSync(join(root, "node_modules/.package-lock.json"));
    expect(isInstalled({ root, host })).toBe(false);
  });

  it("sees another version, a missing package and a missing workspace", () => {
    for (const packages of [
      { "node_modules/a": { version: "2.0.0" } },
      { "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "1.0.0" } },
      { "node_modules/a": { version: "1.0.0" }, "node_modules/w": { link: true } },
    ]) {
      const root = installed();
      write(root, "package-lock.json", { packages });
      expect(isInstalled({ root, host })).toBe(false);
    }
  });

  it("wants the binary for this machine and no other", () => {
    const binaries = {
      "node_modules/a-linux": { version: "1.0.0", optional: true, os: ["linux"], cpu: ["x64"], libc: ["glibc"] },
      "node_modules/a-musl": { version: "1.0.0", optional: true, os: ["linux"], cpu: ["x64"], libc: ["musl"] },
      "node_modules/a-mac": { version: "1.0.0", optional: true, os: ["darwin"] },
      "node_modules/a-unix": { version: "1.0.0", optional: true, os: ["!linux"] },
    };
    const root = installed();
    write(root, "package-lock.json", { packages: { "node_modules/a": { version: "1.0.0" }, ...binaries } });
    expect(isInstalled({ root, host })).toBe(false);
    write(root, "node_modules/a-linux/package.json", { version: "1.0.0" });
    expect(isInstalled({ root, host })).toBe(true);
    expect(isInstalled({ root, host: { ...host, libc: "musl" } })).toBe(false);
  });

  it("answers from its stamp until npm changes something", () => {
    const root = installed();
    expect(isInstalled({ root, host })).toBe(true);
    rmSync(join(root, "node_modules/a"), { recursive: true });
    expect(isInstalled({ root, host })).toBe(true);
    utimesSync(join(root, "node_modules/.package-lock.json"), 1, 1);
    expect(isInstalled({ root, host })).toBe(false);
  });
});

function checkout(lockfile: object): string {
  const root = mkdtempSync(join(tmpdir(), "install-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  write(root, "package-lock.json", lockfile);
  return root;
}

function installed(): string {
  const root = checkout({ packages: { "": {}, "node_modules/a": { version: "1.0.0" } } });
  write(root, "node_modules/a/package.json", { version: "1.0.0" });
  write(root, "node_modules/.package-lock.json", {});
  return root;
}

function write(root: string, file: string, value: object): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), JSON.stringify(value));
}
