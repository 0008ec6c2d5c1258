// recordings/CAMERA/SECOND.mkv: pieces of a camera's stream, of bounded age and size
import { join } from "node:path";
import type { Clock } from "@vision-agent/agent-core";
import { type CameraNames, FIXED_NAMES } from "../workspace/camera-names.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { type ForgetTarget, type Forgotten, isOfTarget, toForgotten } from "./forget-target.ts";

const PIECE = /^(\d{9,11})\.mkv$/;
/** The last piece of a row is taken to last so long. */
const LONGEST_PIECE_MS = 15_000;
/** One that is being written is no use yet. */
const OPEN_PIECE_MS = 12_000;
const HOUR_MS = 3_600_000;

export interface RecordingOptions {
  readonly files: Pick<FilePort, "list" | "folders" | "remove" | "makeFolder">;
  /** Absolute path. */
  readonly folder: string;
  readonly keepHours: number;
  /** All cameras together. */
  readonly maxBytes: number;
  readonly clock: Pick<Clock, "now">;
  /** Default: no camera was ever renamed. */
  readonly names?: CameraNames;
  /** Must not throw. */
  readonly onProblem: (message: string) => void;
}

export interface RecordedPiece {
  readonly path: string;
  readonly camera: string;
  /** Milliseconds since 1970; `toMs` is where the next begins. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly bytes: number;
}

export type Recordings = Pick<RecordedPieces, keyof RecordedPieces>;

/** Knows the pieces that there are by their files alone, so those of before a crash count as well. */
export function createRecordings(options: RecordingOptions): Recordings {
  return new RecordedPieces(options);
}

class RecordedPieces {
  readonly #options: RecordingOptions;

  constructor(options: RecordingOptions) {
    this.#options = options;
  }

  /** Where the stream of a camera is copied to. */
  folderOf(camera: string): string {
    return join(this.#options.folder, encodeURIComponent(camera.toLowerCase()).replaceAll(".", "%2E"));
  }

  async open(camera: string): Promise<void> {
    await this.#options.files.makeFolder(this.folderOf(camera));
  }

  /** Oldest first; those that are still being written are left out. */
  async piecesIn({
    camera,
    fromMs,
    toMs,
  }: Pick<RecordedPiece, "camera" | "fromMs" | "toMs">): Promise<readonly RecordedPiece[]> {
    const found = new Map<string, RecordedPiece>();
    for (const { name, ...named } of (this.#options.names ?? FIXED_NAMES).spansOf(camera)) {
      const pieces = await this.#piecesOf(name);
      const isIts = (piece: RecordedPiece): boolean => piece.fromMs < named.toMs && piece.toMs > named.fromMs;
      const isInside = (piece: RecordedPiece): boolean => piece.toMs > fromMs && piece.fromMs < toMs && piece.bytes > 0;
      for (const piece of pieces)
        if (isIts(piece) && isInside(piece) && !this.#isOpen(piece, pieces))
          found.set(piece.path, { ...piece, camera });
    }
    return [...found.values()].sort((one, other) => one.fromMs - other.fromMs);
  }

  /** Removes what is too old, then the oldest while there is too much. Never rejects. */
  async prune(): Promise<void> {
    const { files, keepHours, maxBytes, clock, onProblem } = this.#options;
    try {
      const all = (await this.#all()).toSorted((one, other) => one.fromMs - other.fromMs);
      let bytes = all.reduce((sum, piece) => sum + piece.bytes, 0);
      for (const piece of all) {
        if (piece.toMs > clock.now() - keepHours * HOUR_MS && bytes <= maxBytes) break;
        await files.remove(piece.path);
        bytes -= piece.bytes;
      }
    } catch (error) {
      onProblem(`Old recordings could not be removed: ${reasonOf(error)}`);
    }
  }

  /** Whole pieces go that show anything of that time, and of a single event those around it. */
  async forget(target: ForgetTarget, { preview }: { readonly preview: boolean }): Promise<Forgotten> {
    const toMs = Math.max(target.toMs, target.fromMs + 1);
    const isOfCamera = ({ camera, fromMs }: RecordedPiece): boolean => isOfTarget(target, camera, fromMs);
    const going = (await this.#all()).filter(
      (piece) => isOfCamera(piece) && piece.fromMs < toMs && piece.toMs > target.fromMs,
    );
    if (!preview) for (const { path } of going) await this.#options.files.remove(path);
    return toForgotten(going.map(({ camera, fromMs }) => `${new Date(fromMs).toISOString()} ${camera}`));
  }

  async #all(): Promise<readonly RecordedPiece[]> {
    const cameras = await this.#options.files.folders(this.#options.folder);
    return (await Promise.all(cameras.map((name) => this.#piecesOf(decodeURIComponent(name))))).flat();
  }

  async #piecesOf(camera: string): Promise<readonly RecordedPiece[]> {
    const folder = this.folderOf(camera);
    const found = (await this.#options.files.list(folder))
      .flatMap(({ name, bytes }) => {
        const second = PIECE.exec(name)?.[1];
        return second === undefined ? [] : [{ path: join(folder, name), fromMs: Number(second) * 1000, bytes }];
      })
      .sort((one, other) => one.fromMs - other.fromMs);
    return found.map((piece, at) => {
      const toMs = Math.min(found[at + 1]?.fromMs ?? Number.POSITIVE_INFINITY, piece.fromMs + LONGEST_PIECE_MS);
      return { ...piece, camera, toMs };
    });
  }

  #isOpen(piece: RecordedPiece, pieces: readonly RecordedPiece[]): boolean {
    return piece === pieces.at(-1) && this.#options.clock.now() - piece.fromMs < OPEN_PIECE_MS;
  }
}
