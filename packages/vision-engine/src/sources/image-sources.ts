// picture files → frames
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { sourceError } from "../errors.ts";
import { type DecodedImage, decodePicture, MOST_PIXELS } from "../frames/decode-picture.ts";
import type { Frame } from "../frames/frame.ts";
import {
  createDropCounter,
  type DropCounter,
  type DropCounts,
  type FrameSource,
  type SourceClock,
} from "./frame-source.ts";
import { IMAGE_NAME } from "./source-address.ts";

const MOST_BYTES = 256 * 1024 * 1024;

/** JPEG, PNG, WebP, GIF (its first picture), TIFF, AVIF; turned upright as EXIF says; transparency is left out. Throws `EngineError` kind `source`. */
export async function decodeImage(
  bytes: Uint8Array,
  name: string,
  maxPixels: number = MOST_PIXELS,
): Promise<DecodedImage> {
  if (bytes.length === 0) throw sourceError("no_video", `${name} is empty.`);
  try {
    return await decodePicture(bytes, maxPixels);
  } catch (cause) {
    if (cause instanceof Error && /pixel limit/i.test(cause.message)) {
      throw sourceError(
        "no_video",
        `${name} is too large: at most ${Math.round(maxPixels / 1e6)} megapixels are read.`,
        cause,
      );
    }
    throw sourceError("no_video", `${name} is damaged, or no picture at all.`, cause);
  }
}

/** Reads and decodes a file. Throws `EngineError` kind `source`. */
async function loadImage(path: string, name: string, maxPixels?: number): Promise<DecodedImage> {
  return decodeImage(await readBounded(path, name), name, maxPixels);
}

async function readBounded(path: string, name: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES)
      throw sourceError("no_video", `${name} is too large: at most ${MOST_BYTES / 1024 / 1024} MB are read.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

interface PictureFileOptions {
  readonly path: string;
  readonly label: string;
  readonly sourceId: string;
  readonly clock: SourceClock;
  readonly maxPixels?: number;
}

export interface StillImageOptions extends PictureFileOptions {
  /** Gives the picture so often, without an end; absent gives it once. */
  readonly imageFps?: number;
}

/** Throws `EngineError` kind `source` when the file is no picture that can be read. */
export async function openStillImage(options: StillImageOptions): Promise<FrameSource> {
  const { path, label, sourceId, clock, imageFps } = options;
  const { rgba, width, height } = await loadImage(path, label, options.maxPixels);
  // A copy is given: who gets a frame may draw on it.
  const given = new Uint8ClampedArray(rgba.length);
  let frameNumber = 0;
  let dueAt = clock.now();
  let closed = false;
  return {
    label,
    width,
    height,
    fps: imageFps ?? 0,
    dropped: 0,
    async next(signal) {
      signal.throwIfAborted();
      if (closed || (imageFps === undefined && frameNumber > 0)) return undefined;
      const now = clock.now();
      if (dueAt > now) await clock.sleep(dueAt - now, signal);
      dueAt = Math.max(dueAt, now) + 1000 / (imageFps ?? 1);
      frameNumber += 1;
      given.set(rgba);
      const timestamp = new Date(clock.now()).toISOString();
      const metadata = { source_id: sourceId, frame_number: frameNumber, timestamp, width, height, fps: imageFps ?? 0 };
      return { metadata, rgba: given };
    },
    async close() {
      closed = true;
    },
  };
}

export interface ImageFolderOptions extends PictureFileOptions {
  /** Goes on with files that come later; false ends after those that are there. */
  readonly follow: boolean;
}

/** How often the folder is looked at, and how long a file must have stood still before it is read. */
const LOOK_MS = 500;
const SETTLED_MS = 1000;
/** So long it may hold no picture at all before that is told. */
const EMPTY_MS = 10_000;

/** `img2` comes before `img10`, on every machine. */
const NATURAL = new Intl.Collator("en", { numeric: true });

/** Width and height are 0 as long as the folder is empty. Throws `EngineError` kind `source` when it cannot be read. */
export async function openImageFolder(options: ImageFolderOptions): Promise<FrameSource> {
  const folder = new ImageFolder(options);
  await folder.prepare();
  return folder;
}

interface ImageFile {
  readonly path: string;
  readonly name: string;
  /** Changes when the file is written anew: a camera may overwrite the same name. */
  readonly version: string;
}

class ImageFolder implements FrameSource {
  readonly label: string;
  readonly fps = 0;
  readonly #options: ImageFolderOptions;
  readonly #drops: DropCounter = createDropCounter();
  /** Version by name of what was given, or left out for good. */
  #done = new Map<string, string>();
  #waiting: ImageFile[] = [];
  #first: DecodedImage | undefined;
  #frameNumber = 0;
  #closed = false;

  constructor(options: ImageFolderOptions) {
    this.#options = options;
    this.label = options.label;
  }

  get width(): number {
    return this.#first?.width ?? 0;
  }

  get height(): number {
    return this.#first?.height ?? 0;
  }

  get dropped(): number {
    return this.#drops.total;
  }

  get drops(): DropCounts {
    return this.#drops.counts;
  }

  /** Decodes the first picture, so that the size is known. */
  async prepare(): Promise<void> {
    await this.#look();
    this.#first = await this.#decodeNext();
    if (this.#first === undefined && !this.#options.follow) {
      throw this.#empty();
    }
  }

  #empty(): Error {
    return sourceError("no_pictures", `The folder ${this.label} holds no picture that can be read.`);
  }

  async next(signal: AbortSignal): Promise<Frame | undefined> {
    const { follow, clock } = this.#options;
    const begunMs = clock.now();
    for (;;) {
      signal.throwIfAborted();
      if (this.#closed) return undefined;
      const image = this.#frameNumber === 0 && this.#first !== undefined ? this.#first : await this.#decodeNext();
      this.#first ??= image;
      if (image !== undefined) return this.#toFrame(image);
      if (!follow) return undefined;
      if (this.#frameNumber === 0 && clock.now() - begunMs >= EMPTY_MS) throw this.#empty();
      await this.#look();
      if (this.#waiting.length === 0) await clock.sleep(LOOK_MS, signal);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting = [];
  }

  async #decodeNext(): Promise<DecodedImage | undefined> {
    for (let file = this.#waiting.shift(); file !== undefined; file = this.#waiting.shift()) {
      this.#done.set(file.name, file.version);
      try {
        return await loadImage(file.path, file.name, this.#options.maxPixels);
      } catch {
        // Damaged, too large, or gone meanwhile: the next one may be better.
        this.#drops.add("decode_error");
      }
    }
    return undefined;
  }

  async #look(): Promise<void> {
    const { path, clock, label, follow } = this.#options;
    const names = await readdir(path).catch((cause: unknown) => {
      throw sourceError("not_readable", `The folder ${label} cannot be read.`, cause);
    });
    const images = names.filter((name) => IMAGE_NAME.test(name) && !name.startsWith(".")).sort(NATURAL.compare);
    const stillThere = new Set(images);
    this.#done = new Map([...this.#done].filter(([name]) => stillThere.has(name)));
    const waiting: ImageFile[] = [];
    for (const name of images) {
      // Gone since the folder was read.
      const file = await stat(join(path, name)).catch(() => undefined);
      if (file === undefined || !file.isFile()) continue;
      const version = `${file.size} ${file.mtimeMs}`;
      // Who does not come again takes what is there.
      const settled = !follow || clock.now() - file.mtimeMs >= SETTLED_MS;
      // An empty file is one that somebody is about to write.
      if (!settled || file.size === 0 || this.#done.get(name) === version) continue;
      waiting.push({ path: join(path, name), name, version });
    }
    this.#waiting = waiting;
  }

  #toFrame({ rgba, width, height }: DecodedImage): Frame {
    this.#frameNumber += 1;
    const timestamp = new Date(this.#options.clock.now()).toISOString();
    const { sourceId: source_id } = this.#options;
    return { metadata: { source_id, frame_number: this.#frameNumber, timestamp, width, height, fps: 0 }, rgba };
  }
}
