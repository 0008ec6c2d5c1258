// camera-names.json: what each camera was called, and when
import PQueue from "p-queue";
import { z } from "zod";
import type { FilePort } from "./file-port.ts";
import { parseJson } from "./parse-json.ts";

/** Its name in the workspace. */
export const CAMERA_NAMES_FILE = "camera-names.json";
const MOST_RENAMES = 1000;

const renameSchema = z.object({
  from: z.string(),
  to: z.string(),
  began_at: z.iso.datetime(),
  /** Absent while it is under way. */
  ended_at: z.iso.datetime().optional(),
});
type CameraRename = z.infer<typeof renameSchema>;
const fileSchema = z.object({ version: z.literal(1), renames: z.array(renameSchema) });

/** What a camera was called from a time until before another; milliseconds since 1970. */
export interface NamedSpan {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Everything is stored under the name that a camera had then, and asked for by the name that it has now. */
export interface CameraNames {
  /** What the camera is called now that was called so at that time. */
  nameOf(name: string, atMs: number): string;
  /** The names of a camera, oldest first. */
  spansOf(camera: string): readonly NamedSpan[];
}

/** For where no camera is renamed. */
export const FIXED_NAMES: CameraNames = {
  nameOf: (name) => name,
  spansOf: (name) => [{ name, fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }],
};

export type CameraRenames = Pick<KeptRenames, keyof KeptRenames>;

export interface CameraRenamesOptions {
  readonly files: Pick<FilePort, "readText" | "writeAtomic" | "rename">;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** A file that cannot be read is put aside: then what happened before is found under the old names. */
export async function openCameraRenames(options: CameraRenamesOptions): Promise<CameraRenames> {
  const { files, path, onNotice } = options;
  const text = await files.readText(path);
  const file = fileSchema.safeParse(parseJson(text ?? "")).data;
  if (text !== undefined && file === undefined) {
    await files.rename(path, `${path}.broken`);
    onNotice(`${path} could not be read and is now ${path}.broken; what renamed cameras saw has their old names.`);
  }
  return new KeptRenames(options, file?.renames ?? []);
}

/** The changes reject with `StoreError`. */
class KeptRenames implements CameraNames {
  readonly #options: CameraRenamesOptions;
  readonly #queue = new PQueue({ concurrency: 1 });
  /** Oldest first. */
  #renames: readonly CameraRename[];
  /** Whether the one under way holds: its row has the new name. */
  #isMade = false;

  constructor(options: CameraRenamesOptions, renames: readonly CameraRename[]) {
    this.#options = options;
    this.#renames = renames;
  }

  readonly nameOf: CameraNames["nameOf"] = (name, atMs) => {
    let now = name;
    for (const rename of this.#made()) if (endOf(rename) > atMs && isSame(rename.from, now)) now = rename.to;
    return now;
  };

  spansOf(camera: string): readonly NamedSpan[] {
    const spans: NamedSpan[] = [];
    let open = { name: camera, toMs: Number.POSITIVE_INFINITY };
    for (const rename of this.#made().toReversed()) {
      if (isSame(rename.to, open.name)) {
        spans.unshift({ ...open, fromMs: Date.parse(rename.began_at) });
        open = { name: rename.from, toMs: endOf(rename) };
      } else if (isSame(rename.from, open.name)) {
        // Before that it was the name of another one.
        return [{ ...open, fromMs: endOf(rename) }, ...spans];
      }
    }
    return [{ ...open, fromMs: Number.NEGATIVE_INFINITY }, ...spans];
  }

  /** One that a crash cut off is there again at the next start. */
  underWay(): Pick<CameraRename, "from" | "to"> | undefined {
    const last = this.#renames.at(-1);
    return last?.ended_at === undefined ? last : undefined;
  }

  /** It does not hold yet. */
  begin(from: string, to: string): Promise<void> {
    const began_at = this.#now();
    this.#isMade = false;
    return this.#change((renames) => [...renames, { from, to, began_at }].slice(-MOST_RENAMES));
  }

  /** Whether the one under way holds is seen in `CAMERAS.md`; else it is given up. Names are compared with case. */
  async settle(hasName: (name: string) => boolean): Promise<void> {
    const cut = this.underWay();
    if (cut === undefined) return;
    this.#isMade = hasName(cut.to) && !hasName(cut.from);
    if (!this.#isMade) await this.#change((renames) => renames.filter(({ ended_at }) => ended_at !== undefined));
  }

  /** Everything that is stored from now on has the new name. */
  finish(): Promise<void> {
    return this.#change((renames) =>
      renames.map((one) => (one.ended_at === undefined ? { ...one, ended_at: this.#now() } : one)),
    );
  }

  #made(): readonly CameraRename[] {
    return this.#renames.filter(({ ended_at }) => ended_at !== undefined || this.#isMade);
  }

  #change(change: (renames: readonly CameraRename[]) => readonly CameraRename[]): Promise<void> {
    return this.#queue.add(async () => {
      const next = change(this.#renames);
      const text = JSON.stringify({ version: 1, renames: next }, null, 2);
      await this.#options.files.writeAtomic(this.#options.path, `${text}\n`);
      this.#renames = next;
    });
  }

  #now(): string {
    return new Date(this.#options.now()).toISOString();
  }
}

function endOf({ ended_at }: CameraRename): number {
  return ended_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(ended_at);
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
