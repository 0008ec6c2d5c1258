import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createArtifactRegistry } from "./artifact-registry.ts";
import { createMemoryArtifactStore, createNoopArtifactStore } from "./memory-artifact-store.ts";
import { storeVisionInputs, type VisionInput, type VisionInputDeps } from "./vision-input.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000002000000030802", "hex");
const SCOPE = { sessionId: "s1", userId: "ada" };
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-core-vision-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("storeVisionInputs", () => {
  it("VI-2 VI-4 takes bytes, a path and an artifact, and gives references without bytes", async () => {
    const store = createMemoryArtifactStore();
    const path = join(folder, "photo.dat");
    await writeFile(path, PNG);
    const stored = await store.put(gif(), { mimeType: "image/gif", namespace: "upload" });
    const inputs: VisionInput[] = [
      { bytes: PNG, mediaType: "image/png", filename: "a.png", detail: "high" },
      { path, detail: "low" },
      { artifactId: stored.id },
    ];
    const { parts, refs } = await storeVisionInputs(inputs, { store, scope: SCOPE });
    expect(parts).toEqual([
      { type: "image", artifactId: refs[0]?.id, mimeType: "image/png", filename: "a.png", detail: "high" },
      { type: "image", artifactId: refs[0]?.id, mimeType: "image/png", filename: "a.png", detail: "low" },
      { type: "image", artifactId: stored.id, mimeType: "image/gif" },
    ]);
    expect(JSON.stringify(parts)).not.toContain(PNG.toString("base64").slice(0, 16));
    expect(refs[0]).toMatchObject({ width: 2, height: 3, namespace: "input_image" });
  });

  it("VI-5 keeps them as input_image under who asked, and tells the registry", async () => {
    const store = createMemoryArtifactStore();
    const registry = createArtifactRegistry();
    const seen: unknown[] = [];
    registry.subscribe((registered) => seen.push(registered));
    const { refs } = await storeVisionInputs([png()], { store, scope: SCOPE, registry });
    expect(await store.list({ namespace: "input_image", scope: SCOPE })).toEqual(refs);
    expect(seen).toEqual([{ ref: refs[0], meta: { reason: "input", ...SCOPE } }]);
  });

  it("leaves the type to the bytes where nothing was claimed", async () => {
    const { parts } = await store([{ bytes: PNG, mediaType: "application/octet-stream" }]);
    expect(parts[0]?.mimeType).toBe("image/png");
  });

  it.each<[string, () => VisionInput | VisionInput[], string, RegExp]>([
    ["bytes of another type", () => ({ bytes: PNG, mediaType: "image/gif" }), "image_type_mismatch", /declare it as/],
    [
      "what is no picture",
      () => ({ bytes: Buffer.from("<svg/>"), mediaType: "image/svg+xml" }),
      "image_type_unsupported",
      /Convert it to one of image\/png/,
    ],
    ["an empty picture", () => ({ bytes: new Uint8Array(), mediaType: "image/png" }), "image_unreadable", /empty/],
    [
      "too many bytes",
      () => ({ bytes: Buffer.concat([PNG, Buffer.alloc(100)]), mediaType: "image/png" }),
      "image_too_large",
      /at most 100 are taken/,
    ],
    ["too many pictures", () => [png(), png(), png(), png()], "too_many_images", /Send the rest in another/],
    [
      "an artifact that nobody stored",
      () => ({ artifactId: `art_${"0".repeat(32)}` }),
      "unknown_artifact",
      /Attach its bytes again/,
    ],
    [
      "a file that is not there",
      () => ({ path: join(folder, "none.png") }),
      "image_unreadable",
      /none\.png.*ENOENT.*Check/,
    ],
    ["a folder", () => ({ path: folder }), "image_unreadable", /no regular file/],
  ])("refuses %s and says what to do", async (_, make, code, message) => {
    const inputs = [make()].flat();
    await expect(store(inputs, { limits: { maxImages: 3, maxBytes: 100 } })).rejects.toMatchObject({
      kind: "invalid",
      code,
      message: expect.stringMatching(message),
    });
  });

  it("refuses a file by its size before it is read, and one whose bytes are no picture", async () => {
    const path = join(folder, "large.png");
    await writeFile(path, Buffer.alloc(200));
    await expect(store([{ path }], { limits: { maxBytes: 100 } })).rejects.toMatchObject({ code: "image_too_large" });
    await expect(store([{ path }])).rejects.toMatchObject({ code: "image_type_unsupported" });
  });

  it("does not wait for a pipe that nobody writes to", async () => {
    const path = join(folder, "pipe.png");
    execFileSync("mkfifo", [path]);
    await expect(store([{ path }])).rejects.toMatchObject({ code: "image_unreadable" });
  });

  it("refuses an artifact that is no picture", async () => {
    const notes = createMemoryArtifactStore();
    const { id } = await notes.put(Buffer.from("a"), { mimeType: "text/plain", namespace: "n" });
    await expect(store([{ artifactId: id }], { store: notes })).rejects.toMatchObject({ code: "unknown_artifact" });
  });

  it("stores nothing when one of them is refused", async () => {
    const kept = createMemoryArtifactStore();
    await expect(store([png(), { artifactId: "none" }], { store: kept })).rejects.toThrow("none");
    expect(await kept.list()).toEqual([]);
  });

  it("VI-11 VI-23 names pictures in a store that keeps none, so that the run can say they are gone", async () => {
    const noop = createNoopArtifactStore();
    const { parts, refs } = await store([png()], { store: noop });
    expect(parts).toHaveLength(1);
    expect([await noop.get(refs[0]?.id ?? ""), await noop.ref(refs[0]?.id ?? ""), noop.durable]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    await noop.pin(refs[0]?.id ?? "", "run");
    await noop.unpin(refs[0]?.id ?? "", "run");
    expect([await noop.list(), await noop.remove("x"), await noop.sweep({}, 0)]).toEqual([
      [],
      false,
      { removed: 0, bytes: 0 },
    ]);
  });
});

function store(inputs: readonly VisionInput[], deps: Partial<VisionInputDeps> = {}) {
  return storeVisionInputs(inputs, { store: createMemoryArtifactStore(), scope: SCOPE, ...deps });
}

function png(): VisionInput {
  return { bytes: PNG, mediaType: "image/png" };
}

function gif(): Uint8Array {
  return Buffer.from("GIF89a\x02\0\x02\0\0", "latin1");
}
