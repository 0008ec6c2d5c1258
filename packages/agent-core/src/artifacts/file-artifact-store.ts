// bytes → <folder>/<id> and what they are → <folder>/<id>.json
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactRef } from "../types/artifact.ts";
import type { Clock } from "../types/clock.ts";
import { systemClock } from "../types/system-clock.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { describeArtifact, isArtifactId } from "./describe-artifact.ts";

/** Where artifacts live. */
export interface FileArtifactStoreOptions {
  /** Made when it is missing. */
  readonly folder: string;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Files named by content. A write is either complete or invisible, even after `kill -9`. */
export function createFileArtifactStore({ folder, clock = systemClock }: FileArtifactStoreOptions): ArtifactStore {
  const pathOf = (id: string): string => join(folder, id);
  const readRef = async (id: string): Promise<ArtifactRef | undefined> => {
    const text = isArtifactId(id) ? await readOptional(`${pathOf(id)}.json`) : undefined;
    return text && (JSON.parse(text.toString("utf8")) as ArtifactRef);
  };
  return {
    durable: true,
    async put(bytes, putOptions) {
      const ref = describeArtifact(bytes, putOptions, clock.now());
      const before = await readRef(ref.id);
      if (before && (await exists(pathOf(ref.id)))) return before;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeAtomically(pathOf(ref.id), bytes);
      // The reference comes last: where it exists, so do the bytes.
      await writeAtomically(`${pathOf(ref.id)}.json`, Buffer.from(`${JSON.stringify(ref)}\n`));
      return ref;
    },
    get: async (id) => (isArtifactId(id) ? readOptional(pathOf(id)) : undefined),
    ref: readRef,
    async list(filter = {}) {
      const names = await readFolder(folder);
      const ids = names.flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []));
      const refs = await Promise.all(ids.map(readRef));
      return refs
        .filter((ref) => ref !== undefined)
        .filter((ref) => filter.namespace === undefined || ref.namespace === filter.namespace);
    },
    async remove(id) {
      if ((await readRef(id)) === undefined) return false;
      await rm(`${pathOf(id)}.json`, { force: true });
      await rm(pathOf(id), { force: true });
      return true;
    },
  };
}

async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

async function readOptional(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(absent(undefined));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, absent(false));
}

async function readFolder(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(absent<readonly string[]>([]));
}

function absent<T>(value: T): (thrown: NodeJS.ErrnoException) => T {
  return (thrown) => {
    if (thrown.code === "ENOENT") return value;
    throw thrown;
  };
}
