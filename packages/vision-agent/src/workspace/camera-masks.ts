// masks.json ⇄ the parts of each camera's picture that nobody may see
import { type Camera, masksSchema } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { z } from "zod";
import { sourceKey } from "./camera-address.ts";
import type { FilePort } from "./file-port.ts";
import { reasonOf } from "./kinded-error.ts";
import { parseJson } from "./parse-json.ts";

/** Polygons of places as fractions of width and height. */
export type Masks = NonNullable<Camera["masks"]>;

/** A camera by its name and its address, with or without its password. */
export interface MaskedCamera {
  readonly name: string;
  readonly address: string;
}

/** Whoever opens a camera asks here first, whatever name or address it is asked for by. */
export interface CameraMasks {
  /** Those of the name and those of the address, together. */
  of(camera: MaskedCamera): Masks;
  /** Kept before it resolves, and in force: who follows has opened the camera anew. `former` is its name until now. */
  set(camera: MaskedCamera, masks: Masks, former?: string): Promise<void>;
  /** Called after each change with the name of the camera, and waited for. Returns the way to stop. */
  onChange(listener: (camera: string) => Promise<void>): () => void;
}

const entrySchema = z.object({ name: z.string(), source: z.string(), masks: masksSchema });
const fileSchema = z.object({ version: z.literal(1), cameras: z.array(entrySchema) });
type MaskEntry = z.infer<typeof entrySchema>;

/** Its name in the workspace. */
export const MASKS_FILE = "masks.json";

/** While nobody knows what must not be seen, nothing is. */
const EVERYTHING: Masks = [
  [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ],
];

export async function openCameraMasks(options: {
  readonly files: Pick<FilePort, "readText" | "writeAtomic">;
  readonly path: string;
  /** Must not throw. */
  readonly onNotice: (message: string) => void;
}): Promise<CameraMasks> {
  const { files, path, onNotice } = options;
  const write = async (entries: readonly MaskEntry[]): Promise<void> =>
    files.writeAtomic(path, `${JSON.stringify({ version: 1, cameras: entries }, null, 2)}\n`);
  try {
    const text = await files.readText(path);
    const { cameras } = fileSchema.parse(text === undefined ? { version: 1, cameras: [] } : parseJson(text));
    return createCameraMasks(cameras, write);
  } catch (error) {
    const reason = error instanceof z.ZodError ? "it is damaged" : reasonOf(error);
    onNotice(
      `${MASKS_FILE} cannot be read (${reason}): all pictures stay black. Mend it or delete it, then start again.`,
    );
    return createCameraMasks(undefined, async () => {
      throw new Error(`${path} is damaged: mend it or delete it, then start again.`);
    });
  }
}

/** For cameras that are not kept either. */
export function createPassingMasks(): CameraMasks {
  return createCameraMasks([], async () => undefined);
}

/** Without a list everything is masked. */
function createCameraMasks(
  loaded: readonly MaskEntry[] | undefined,
  write: (entries: readonly MaskEntry[]) => Promise<void>,
): CameraMasks {
  let entries = loaded;
  const queue = new PQueue({ concurrency: 1 });
  const listeners = new Set<(camera: string) => Promise<void>>();
  return {
    of({ name, address }) {
      if (entries === undefined) return EVERYTHING;
      const [called, place] = [name.toLowerCase(), sourceKey(address)];
      return entries
        .filter((entry) => entry.name.toLowerCase() === called || entry.source === place)
        .flatMap(({ masks }) => masks);
    },
    set: ({ name, address }, masks, former = name) =>
      queue.add(async () => {
        const names = [name.toLowerCase(), former.toLowerCase()];
        const others = (entries ?? []).filter((entry) => !names.includes(entry.name.toLowerCase()));
        const next = masks.length === 0 ? others : [...others, { name, source: sourceKey(address), masks }];
        await write(next);
        entries = next;
        for (const listener of listeners) await listener(name);
      }),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
