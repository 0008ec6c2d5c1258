import assert from "node:assert/strict";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import { AgentError } from "../types/errors.ts";
import type { ContractCase } from "./contract.ts";
import { JPEG_HEADER_640X480, PNG_1X1 } from "./sample-images.ts";

/** What every artifact store keeps. `make` gives a fresh, empty one. */
export function artifactStoreContract(make: () => Promise<ArtifactStore>): readonly ContractCase[] {
  const png = { mimeType: "image/png", namespace: "input_image" };
  const withStore = (name: string, check: (store: ArtifactStore) => Promise<void>): ContractCase => ({
    name,
    run: async () => check(await make()),
  });
  return [
    withStore("gives the same bytes back", async (store) => {
      const ref = await store.put(PNG_1X1, { ...png, filename: "dot.png" });
      assert.deepEqual(Uint8Array.from((await store.get(ref.id)) ?? []), PNG_1X1);
      assert.deepEqual(await store.ref(ref.id), ref);
      assert.equal(ref.filename, "dot.png");
      assert.match(ref.id, /^art_[0-9a-f]{32}$/);
      assert.ok(ref.sha256.startsWith(ref.id.slice(4)));
    }),
    withStore("reads type and size from the bytes", async (store) => {
      const dot = await store.put(PNG_1X1, { mimeType: "application/octet-stream", namespace: "x" });
      assert.deepEqual([dot.mimeType, dot.width, dot.height, dot.bytes], ["image/png", 1, 1, PNG_1X1.length]);
      const photo = await store.put(JPEG_HEADER_640X480, { mimeType: "image/jpg", namespace: "x" });
      assert.deepEqual([photo.mimeType, photo.width, photo.height], ["image/jpeg", 640, 480]);
    }),
    withStore("gives the same id to the same bytes, also when they come at once", async (store) => {
      const refs = await Promise.all([1, 2, 3, 4].map(() => store.put(PNG_1X1, png)));
      assert.equal(new Set(refs.map(({ id }) => id)).size, 1);
      assert.equal((await store.list()).length, 1);
    }),
    withStore("refuses bytes that are not what they are said to be", async (store) => {
      const mismatch = (thrown: unknown): boolean =>
        thrown instanceof AgentError && thrown.kind === "invalid" && thrown.code === "image_type_mismatch";
      await assert.rejects(store.put(PNG_1X1, { mimeType: "image/jpeg", namespace: "x" }), mismatch);
      await assert.rejects(store.put(Buffer.from("hello"), { mimeType: "image/png", namespace: "x" }), mismatch);
      await assert.rejects(store.put(PNG_1X1, { mimeType: "text/plain", namespace: "x" }), mismatch);
      assert.deepEqual(await store.list(), []);
    }),
    withStore("keeps what is not a picture", async (store) => {
      const ref = await store.put(Buffer.from("a,b"), { mimeType: "text/csv", namespace: "x" });
      assert.deepEqual([ref.mimeType, ref.width], ["text/csv", undefined]);
    }),
    withStore("lists by namespace", async (store) => {
      await store.put(PNG_1X1, png);
      await store.put(Buffer.from("a"), { mimeType: "text/plain", namespace: "notes" });
      assert.deepEqual(
        (await store.list({ namespace: "notes" })).map(({ mimeType }) => mimeType),
        ["text/plain"],
      );
      assert.equal((await store.list()).length, 2);
    }),
    withStore("removes once", async (store) => {
      const { id } = await store.put(PNG_1X1, png);
      assert.deepEqual([await store.remove(id), await store.remove(id)], [true, false]);
      assert.deepEqual([await store.get(id), await store.ref(id)], [undefined, undefined]);
    }),
    withStore("does not know ids that are not its own", async (store) => {
      for (const id of ["", "art_0", "../secret", "art_../../../../../../etc/passwd", `art_${"0".repeat(32)}`]) {
        assert.equal(await store.get(id), undefined);
        assert.equal(await store.ref(id), undefined);
        assert.equal(await store.remove(id), false);
      }
    }),
  ];
}
