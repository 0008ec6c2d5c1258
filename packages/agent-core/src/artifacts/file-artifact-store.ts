// bytes → <folder>/<ab>/<id> and what they are → <folder>/<ab>/<id>.json
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import PQueue from "p-queue";
import { readFolder, readOptional, TEMPORARY, writeAtomically, writtenAt } from "../files/whole-files.ts";
import { type Clock, systemClock } from "../types/clock.ts";
import type { ArtifactRef } from "../types/message.ts";
import {
  type ArtifactRecord,
  createRecord,
  describeArtifact,
  encodeRecord,
  isArtifactId,
  listExpired,
  listRefs,
  mayRead,
  parseRecord,
  putAgain,
  unknownArtifact,
  withoutPin,
  withPin,
} from "./artifact-record.ts";
import type { ArtifactFilter, ArtifactScope, ArtifactStore, PutOptions, Retention } from "./artifact-store.ts";

const RECORD = ".json";
/** Files open at once while listing. */
const READERS = 32;
/** A writer that needs longer than this is dead, and what it left may go. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Where artifacts live. */
export interface FileArtifactStoreOptions {
  /** Made when it is missing. One process writes to it. */
  readonly folder: string;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Files named by content, spread over 256 folders. A write is either complete or invisible, even after `kill -9`;
 * what a killed writer left goes with the next sweep. Files that lie flat in the folder are found too.
 */
export function createFileArtifactStore({ folder, clock = systemClock }: FileArtifactStoreOptions): ArtifactStore {
  return new FileArtifactStore(folder, clock);
}

/** The file in which the store of this folder keeps the bytes of an id. Throws `AgentError` code `unknown_artifact` for what is none. */
export function artifactPath(folder: string, id: string): string {
  if (!isArtifactId(id)) throw unknownArtifact(id);
  return join(folder, id.slice("art_".length, "art_".length + 2), id);
}

/** Where the bytes are; the record is beside them. */
interface Found {
  readonly path: string;
  readonly record: ArtifactRecord;
}

class FileArtifactStore implements ArtifactStore {
  readonly durable = true;
  readonly #folder: string;
  readonly #clock: Clock;
  /** By id: a record is read, changed and written by one task at a time. */
  readonly #queues = new Map<string, PQueue>();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  async put(bytes: Uint8Array, options: PutOptions): Promise<ArtifactRef> {
    const ref = await describeArtifact(bytes, options, this.#clock.now());
    return this.#inTurn(ref.id, () => this.#store(ref, bytes, options));
  }

  async get(id: string, scope?: ArtifactScope): Promise<Uint8Array | undefined> {
    if (scope && !(await this.#find(id, scope))) return undefined;
    for (const path of this.#paths(id)) {
      const bytes = await readOptional(path);
      if (bytes) return bytes;
    }
    return undefined;
  }

  async ref(id: string, scope?: ArtifactScope): Promise<ArtifactRef | undefined> {
    return (await this.#find(id, scope))?.record.ref;
  }

  async list(filter: ArtifactFilter = {}): Promise<readonly ArtifactRef[]> {
    return listRefs(await this.#records(), filter);
  }

  remove(id: string): Promise<boolean> {
    return this.#inTurn(id, async () => (await this.#find(id)) !== undefined && this.#delete(id));
  }

  pin(id: string, by: string, scope?: ArtifactScope): Promise<void> {
    return this.#inTurn(id, async () => {
      const found = await this.#find(id, scope);
      if (!found) throw unknownArtifact(id);
      await this.#write({ ...found, record: withPin(found.record, by) });
    });
  }

  unpin(id: string, by: string, scope?: ArtifactScope): Promise<void> {
    return this.#inTurn(id, async () => {
      const found = await this.#find(id, scope);
      if (found) await this.#write({ ...found, record: withoutPin(found.record, by) });
    });
  }

  async sweep(retention: Retention, now: number): Promise<{ readonly removed: number; readonly bytes: number }> {
    let [removed, bytes] = [0, 0];
    for (const expired of listExpired(await this.#records(), retention, now)) {
      if (!(await this.#inTurn(expired.ref.id, () => this.#deleteUnchanged(expired)))) continue;
      removed += 1;
      bytes += expired.ref.bytes;
    }
    await this.#sweepAbandoned(now);
    return { removed, bytes };
  }

  async #store(ref: ArtifactRef, bytes: Uint8Array, { scope }: PutOptions): Promise<ArtifactRef> {
    const found = await this.#find(ref.id);
    const path = found?.path ?? artifactPath(this.#folder, ref.id);
    const record = found ? putAgain(found.record, ref, scope) : createRecord(ref, scope);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const isThere = found !== undefined && (await writtenAt(path)) !== undefined;
    if (!isThere) await writeAtomically(path, bytes);
    // The record comes last: where it exists, so do the bytes.
    await this.#write({ path, record });
    return record.ref;
  }

  #write({ path, record }: Found): Promise<void> {
    return writeAtomically(path + RECORD, encodeRecord(record));
  }

  /** Somebody may have pinned it, or put it again, since it was found to have expired. */
  async #deleteUnchanged(expired: ArtifactRecord): Promise<boolean> {
    const record = (await this.#find(expired.ref.id))?.record;
    if (!record || record.pins.length > 0 || record.lastPutAt !== expired.lastPutAt) return false;
    return this.#delete(expired.ref.id);
  }

  async #delete(id: string): Promise<true> {
    for (const path of this.#paths(id)) {
      await rm(path + RECORD, { force: true });
      await rm(path, { force: true });
    }
    return true;
  }

  /** Half-written files, and bytes whose record was never written. */
  async #sweepAbandoned(now: number): Promise<void> {
    for (const { folder, names } of await this.#folders()) {
      const known = new Set(names);
      const left = names.filter(
        (name) => name.endsWith(TEMPORARY) || (isArtifactId(name) && !known.has(name + RECORD)),
      );
      for (const name of left) {
        const path = join(folder, name);
        await this.#inTurn(name, async () => {
          const written = await writtenAt(path);
          if (written !== undefined && now - written > ABANDONED_AFTER_MS) await rm(path, { force: true });
        });
      }
    }
  }

  async #records(): Promise<readonly ArtifactRecord[]> {
    const names = (await this.#folders()).flatMap(({ names }) => names);
    const ids = names.filter((name) => name.endsWith(RECORD)).map((name) => name.slice(0, -RECORD.length));
    const found = await readMany([...new Set(ids)], (id) => this.#find(id));
    return found.flatMap((one) => (one ? [one.record] : []));
  }

  /** The folder itself for what lies flat, then those named by the first two digits. */
  async #folders(): Promise<readonly { readonly folder: string; readonly names: readonly string[] }[]> {
    const flat = await readFolder(this.#folder);
    const inner = flat.filter((name) => /^[0-9a-f]{2}$/.test(name)).map((name) => join(this.#folder, name));
    const names = await readMany(inner, readFolder);
    return [{ folder: this.#folder, names: flat }, ...inner.map((folder, at) => ({ folder, names: names[at] ?? [] }))];
  }

  #inTurn<T>(id: string, task: () => Promise<T>): Promise<T> {
    let queue = this.#queues.get(id);
    if (!queue) {
      queue = new PQueue({ concurrency: 1 });
      queue.once("idle", () => this.#queues.delete(id));
      this.#queues.set(id, queue);
    }
    return queue.add(task);
  }

  async #find(id: string, scope?: ArtifactScope): Promise<Found | undefined> {
    for (const path of this.#paths(id)) {
      const text = await readOptional(path + RECORD);
      const record = text ? parseRecord(text.toString("utf8")) : undefined;
      if (record?.ref.id === id) return mayRead(record, scope) ? { path, record } : undefined;
    }
    return undefined;
  }

  /** None for what cannot be an id of ours: it never reaches the disk. */
  #paths(id: string): readonly string[] {
    return isArtifactId(id) ? [artifactPath(this.#folder, id), join(this.#folder, id)] : [];
  }
}

function readMany<T>(names: readonly string[], read: (name: string) => Promise<T>): Promise<readonly T[]> {
  return new PQueue({ concurrency: READERS }).addAll(names.map((name) => () => read(name)));
}
