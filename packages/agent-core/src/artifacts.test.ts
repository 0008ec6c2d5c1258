import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFileArtifactStore } from "./artifacts/file-artifact-store.ts";
import { readImageHeader } from "./artifacts/image-header.ts";
import type { ImagePreparer } from "./artifacts/image-preparer.ts";
import { createMemoryArtifactStore } from "./artifacts/memory-artifact-store.ts";
import { artifactStoreContract } from "./testing/artifact-store-contract.ts";
import { imagePreparerContract } from "./testing/image-preparer-contract.ts";
import { createSamplePng } from "./testing/sample-images.ts";

let root = "";
let made = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "agent-core-artifacts-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("VA-26 the contract of artifact stores", () => {
  describe("in memory", () => {
    for (const { name, run } of artifactStoreContract(async () => createMemoryArtifactStore())) it(name, run);
  });
  describe("on disk", () => {
    const make = async () => createFileArtifactStore({ folder: join(root, `${++made}`, "deep") });
    for (const { name, run } of artifactStoreContract(make)) it(name, run);
  });
});

describe("VA-12 the contract of image preparers", () => {
  for (const { name, run } of imagePreparerContract(async () => greyPreparer)) it(name, run);
});

describe("createSamplePng", () => {
  it("is a PNG of that size", () => {
    expect(readImageHeader(createSamplePng(7, 5))).toEqual({ mimeType: "image/png", width: 7, height: 5 });
  });
});

/** Paints every picture grey, in the right size. */
const greyPreparer: ImagePreparer = {
  async prepare(bytes, { maxEdge }) {
    const header = readImageHeader(bytes);
    if (!header) throw new Error("not a picture");
    const scale = maxEdge / Math.max(header.width, header.height);
    if (scale >= 1) return { bytes, ...header };
    const [width, height] = [Math.round(header.width * scale), Math.round(header.height * scale)];
    return { bytes: createSamplePng(width, height), mimeType: "image/png", width, height };
  },
};
