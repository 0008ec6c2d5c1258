import { type Clock, systemClock } from "../types/clock.ts";
import {
  type ArtifactRecord,
  createRecord,
  describeArtifact,
  listExpired,
  listRefs,
  mayRead,
  putAgain,
  unknownArtifact,
  withoutPin,
  withPin,
} from "./artifact-record.ts";
import type { ArtifactScope, ArtifactStore } from "./artifact-store.ts";

/** Keeps bytes until the process ends. `clock` defaults to the system's. */
export function createMemoryArtifactStore(options: { readonly clock?: Clock } = {}): ArtifactStore {
  const { clock = systemClock } = options;
  const records = new Map<string, ArtifactRecord>();
  const kept = new Map<string, Uint8Array>();
  const find = (id: string, scope: ArtifactScope | undefined): ArtifactRecord | undefined => {
    const record = records.get(id);
    return record && mayRead(record, scope) ? record : undefined;
  };
  const remove = (id: string): boolean => kept.delete(id) && records.delete(id);
  return {
    durable: false,
    async put(bytes, putOptions) {
      const ref = await describeArtifact(bytes, putOptions, clock.now());
      const before = records.get(ref.id);
      const record = before ? putAgain(before, ref, putOptions.scope) : createRecord(ref, putOptions.scope);
      records.set(ref.id, record);
      if (!before) kept.set(ref.id, bytes.slice());
      return record.ref;
    },
    get: async (id, scope) => (find(id, scope) ? kept.get(id)?.slice() : undefined),
    ref: async (id, scope) => find(id, scope)?.ref,
    list: async (filter = {}) => listRefs([...records.values()], filter),
    remove: async (id) => remove(id),
    async pin(id, by, scope) {
      const record = find(id, scope);
      if (!record) throw unknownArtifact(id);
      records.set(id, withPin(record, by));
    },
    async unpin(id, by, scope) {
      const record = find(id, scope);
      if (record) records.set(id, withoutPin(record, by));
    },
    async sweep(retention, now) {
      const expired = listExpired([...records.values()], retention, now);
      for (const { ref } of expired) remove(ref.id);
      return { removed: expired.length, bytes: expired.reduce((sum, { ref }) => sum + ref.bytes, 0) };
    },
  };
}

/**
 * VI-11: names bytes and keeps none, as if all had expired at once. Whoever asks for them must do without.
 * For tests of that case, and for hosts that may not keep pictures. `clock` defaults to the system's.
 */
export function createNoopArtifactStore(options: { readonly clock?: Clock } = {}): ArtifactStore {
  const { clock = systemClock } = options;
  return {
    durable: false,
    put: async (bytes, putOptions) => describeArtifact(bytes, putOptions, clock.now()),
    get: async () => undefined,
    ref: async () => undefined,
    list: async () => [],
    remove: async () => false,
    pin: async () => undefined,
    unpin: async () => undefined,
    sweep: async () => ({ removed: 0, bytes: 0 }),
  };
}
