// places that a person said yes to → a file of the workspace → asked about no more, until they are forgotten
import { createHash } from "node:crypto";
import { type KnownDestination, knownDestinationSchema } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { KindedError } from "../workspace/kinded-error.ts";
import { parseJson } from "../workspace/parse-json.ts";

export interface DestinationStoreOptions {
  readonly files: Pick<FilePort, "readText" | "writeAtomic">;
  /** Absolute path; the folder exists. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told when the file cannot be read: then everything is asked about again. Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** A place that a call reaches; `fingerprint` tells those apart that are shown alike. */
export type PlaceReached = Pick<KnownDestination, "kind" | "target"> & { readonly fingerprint?: string };

/** No such destination. */
export class DestinationError extends KindedError<"not_found"> {}

export interface DestinationStore {
  /** Oldest first. */
  list(): readonly KnownDestination[];
  isKnown(destination: PlaceReached): boolean;
  /** Resolves when the disk has it. */
  remember(destinations: readonly PlaceReached[]): Promise<void>;
  /** It is asked about again. Rejects with `DestinationError`. */
  forget(id: string): Promise<KnownDestination>;
}

export const DESTINATIONS_FILE = "destinations.json";

const fileSchema = z.object({ destinations: z.array(knownDestinationSchema) });

export async function openDestinationStore(options: DestinationStoreOptions): Promise<DestinationStore> {
  const { files, path, now, onNotice } = options;
  const text = await files.readText(path);
  const read = text === undefined ? undefined : fileSchema.safeParse(parseJson(text));
  if (read?.success === false) onNotice(`${path} cannot be read; every destination is asked about again.`);
  let known = new Map((read?.data?.destinations ?? []).map((one) => [one.id, one]));
  const queue = new PQueue({ concurrency: 1 });
  const change = (next: Map<string, KnownDestination>): Promise<void> =>
    queue.add(async () => {
      await files.writeAtomic(path, `${JSON.stringify({ destinations: [...next.values()] }, null, 2)}\n`);
      known = next;
    });
  return {
    list: () => [...known.values()],
    isKnown: (destination) => known.has(idOf(destination)),
    async remember(destinations) {
      const fresh = destinations.filter((one) => !known.has(idOf(one)));
      if (fresh.length === 0) return;
      const approved_at = new Date(now()).toISOString();
      const added = fresh.map((one) => ({ id: idOf(one), kind: one.kind, target: one.target, approved_at }));
      await change(new Map([...known, ...added.map((one) => [one.id, one] as const)]));
    },
    async forget(id) {
      const found = known.get(id);
      if (found === undefined) {
        throw new DestinationError("not_found", `There is no destination ${id}. List them: vision-agent destinations`);
      }
      await change(new Map([...known].filter(([one]) => one !== id)));
      return found;
    },
  };
}

function idOf({ kind, target, fingerprint = "" }: PlaceReached): string {
  return createHash("sha256").update(`${kind} ${target} ${fingerprint}`.trim()).digest("hex").slice(0, 12);
}
