import assert from "node:assert/strict";
import type { ArtifactFilter, ArtifactScope, ArtifactStore } from "../artifacts/artifact-store.ts";
import { AgentError } from "../types/errors.ts";
import type { ArtifactRef } from "../types/message.ts";
import type { ContractCase } from "./contract.ts";
import { JPEG_HEADER_640X480, PNG_1X1 } from "./sample-images.ts";

const png = { mimeType: "image/png", namespace: "input_image" };

/** VA-26: what every artifact store keeps. `make` gives a fresh, empty one. */
export function artifactStoreContract(make: () => Promise<ArtifactStore>): readonly ContractCase[] {
  const withStore: WithStore = (name, check) => ({ name, run: async () => check(await make()) });
  return [...keepingCases(withStore), ...retentionCases(withStore)];
}

type WithStore = (name: string, check: (store: ArtifactStore) => Promise<void>) => ContractCase;

function keepingCases(withStore: WithStore): readonly ContractCase[] {
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
    withStore("remembers every source that the same bytes came from", async (store) => {
      const { id } = await store.put(PNG_1X1, { ...png, sources: ["a"] });
      await store.put(PNG_1X1, png);
      await store.put(PNG_1X1, { ...png, sources: ["b", "a"] });
      assert.deepEqual((await store.ref(id))?.sources, ["a", "b"]);
      assert.deepEqual((await store.list())[0]?.sources, ["a", "b"]);
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
    withStore("VI-19 lists by scope, and the same bytes under everybody who put them", async (store) => {
      const ada = { sessionId: "s1", userId: "ada" };
      const bob = { sessionId: "s2", userId: "bob" };
      const dot = await store.put(PNG_1X1, { ...png, scope: ada });
      const note = await store.put(Buffer.from("a"), { mimeType: "text/plain", namespace: "notes", scope: bob });
      await store.put(Buffer.from("nobody's"), { mimeType: "text/plain", namespace: "notes" });
      await store.put(PNG_1X1, { ...png, scope: bob });
      const found = async (filter: ArtifactFilter): Promise<readonly string[]> =>
        (await store.list(filter)).map(({ id }) => id).sort();
      assert.deepEqual(await found({ scope: ada }), [dot.id]);
      assert.deepEqual(await found({ scope: { userId: "bob" } }), [dot.id, note.id].sort());
      assert.deepEqual(await found({ scope: { sessionId: "s2" }, namespace: "notes" }), [note.id]);
      assert.deepEqual(await found({ scope: { sessionId: "s1", userId: "eve" } }), [dot.id]);
      assert.deepEqual(await found({ scope: { sessionId: "s3", userId: "eve" } }), []);
      assert.deepEqual(await found({ scope: {} }), []);
      assert.equal((await found({})).length, 3);
    }),
    withStore("SC-16 finds for a user and a session what is theirs, and nothing of others", async (store) => {
      const { id } = await store.put(PNG_1X1, { ...png, scope: { sessionId: "s1", userId: "ada" } });
      const sees = async (scope?: ArtifactScope): Promise<readonly boolean[]> => [
        (await store.get(id, scope)) !== undefined,
        (await store.ref(id, scope)) !== undefined,
      ];
      for (const scope of [undefined, { userId: "ada" }, { sessionId: "s1" }, { sessionId: "s1", userId: "eve" }]) {
        assert.deepEqual(await sees(scope), [true, true]);
      }
      for (const scope of [{ userId: "eve" }, { sessionId: "s2" }, { sessionId: "s2", userId: "eve" }, {}]) {
        assert.deepEqual(await sees(scope), [false, false]);
      }
      // The same bytes of two people belong to both.
      await store.put(PNG_1X1, { ...png, scope: { sessionId: "s2", userId: "eve" } });
      assert.deepEqual(await sees({ userId: "eve" }), [true, true]);
      assert.deepEqual(await sees({ userId: "bob" }), [false, false]);
    }),
    withStore("SC-16 lets anybody read what was put without a scope, also when somebody put it too", async (store) => {
      const { id } = await store.put(PNG_1X1, png);
      await store.put(PNG_1X1, { ...png, scope: { userId: "ada" } });
      assert.notEqual(await store.get(id, { userId: "eve" }), undefined);
      const text = { mimeType: "text/plain", namespace: "x" };
      const own = await store.put(Buffer.from("a"), { ...text, scope: { userId: "ada" } });
      await store.put(Buffer.from("a"), text);
      assert.notEqual(await store.get(own.id, { userId: "eve" }), undefined);
    }),
    withStore("SC-16 does not let one pin what belongs to another", async (store) => {
      const { id, createdAt } = await store.put(PNG_1X1, { ...png, scope: { userId: "ada" } });
      const unknown = (thrown: unknown): boolean => thrown instanceof AgentError && thrown.code === "unknown_artifact";
      await assert.rejects(store.pin(id, "run_1", { userId: "eve" }), unknown);
      await store.pin(id, "run_1", { userId: "ada" });
      await store.unpin(id, "run_1", { userId: "eve" });
      assert.equal((await store.sweep({ maxBytes: 0 }, Date.parse(createdAt))).removed, 0);
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

function retentionCases(withStore: WithStore): readonly ContractCase[] {
  return [
    withStore("sweeps what is older than it may be", async (store) => {
      const { createdAt, bytes } = await store.put(PNG_1X1, png);
      const atAge = (age: number): number => Date.parse(createdAt) + age;
      assert.deepEqual(await store.sweep({ maxAgeMs: 60_000 }, atAge(59_000)), { removed: 0, bytes: 0 });
      assert.deepEqual(await store.sweep({}, atAge(1e12)), { removed: 0, bytes: 0 });
      assert.deepEqual(await store.sweep({ maxAgeMs: 60_000 }, atAge(120_000)), { removed: 1, bytes });
      assert.deepEqual(await store.list(), []);
    }),
    withStore("sweeps what is more than there may be, and within its namespace only", async (store) => {
      const put = (text: string, namespace: string): Promise<ArtifactRef> =>
        store.put(Buffer.from(text), { mimeType: "text/plain", namespace });
      const { createdAt } = await put("12345", "a");
      await put("67890", "a");
      await put("abcde", "b");
      const now = Date.parse(createdAt);
      assert.deepEqual(await store.sweep({ maxBytes: 5, namespace: "a" }, now), { removed: 1, bytes: 5 });
      assert.deepEqual(await store.sweep({ maxBytes: 10 }, now), { removed: 0, bytes: 0 });
      assert.deepEqual(await store.sweep({ maxBytes: 0 }, now), { removed: 2, bytes: 10 });
    }),
    withStore("keeps what is pinned through every sweep, until the last who holds it lets go", async (store) => {
      const { id, createdAt, bytes } = await store.put(PNG_1X1, png);
      const everything = { maxAgeMs: 0, maxBytes: 0 };
      const later = Date.parse(createdAt) + 1_000;
      for (const by of ["run_1", "run_1", "run_2"]) await store.pin(id, by);
      assert.equal((await store.sweep(everything, later)).removed, 0);
      await store.unpin(id, "run_1");
      await store.unpin(id, "nobody");
      await store.put(PNG_1X1, png);
      assert.equal((await store.sweep(everything, later)).removed, 0);
      await store.unpin(id, "run_2");
      assert.deepEqual(await store.sweep(everything, later + 60_000), { removed: 1, bytes });
    }),
    withStore("keeps every one of many pins that come at once", async (store) => {
      const { id, createdAt } = await store.put(PNG_1X1, png);
      const holders = Array.from({ length: 10 }, (_, at) => `run_${at}`);
      await Promise.all(holders.map((by) => store.pin(id, by)));
      await Promise.all(holders.slice(1).map((by) => store.unpin(id, by)));
      assert.equal((await store.sweep({ maxBytes: 0 }, Date.parse(createdAt))).removed, 0);
    }),
    withStore("does not pin what is not there", async (store) => {
      const unknown = (thrown: unknown): boolean =>
        thrown instanceof AgentError && thrown.kind === "invalid" && thrown.code === "unknown_artifact";
      for (const id of [`art_${"0".repeat(32)}`, "../secret"]) {
        await assert.rejects(store.pin(id, "run_1"), unknown);
        await store.unpin(id, "run_1");
      }
    }),
  ];
}
