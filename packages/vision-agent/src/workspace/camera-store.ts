// CAMERAS.md ⇄ the cameras of the app, edited by people and by the agent at once

import type { Clock } from "@vision-agent/agent-core";
import { toPlainText } from "@vision-agent/protocol";
import PQueue from "p-queue";
import { type CameraMasks, createPassingMasks, type Masks } from "./camera-masks.ts";
import {
  type CameraRegistry,
  type CameraWarning,
  createCameraRegistry,
  type RegisteredCamera,
  toCamera,
} from "./camera-registry.ts";
import { CAMERA_TABLE, type CameraCells, type CameraRow } from "./camera-table.ts";
import { KindedError, reasonOf } from "./kinded-error.ts";
import { findTables, withCells, withoutRow, withRow } from "./markdown-table.ts";
import { shapeProblem } from "./place-shape.ts";
import { rereadUntil } from "./reread.ts";

/** `not_found` no such camera · `taken` the name belongs to another · `invalid` a name or address that cannot be used. */
export type CameraStoreErrorKind = "not_found" | "taken" | "invalid";

/** A camera could not be added, changed or removed. */
export class CameraStoreError extends KindedError<CameraStoreErrorKind> {}

/** What a person says of a camera. */
export interface CameraEntry {
  readonly name: string;
  /** With its password, where it has one. */
  readonly address: string;
  readonly location?: string;
  readonly notes?: string;
  /** Parts of the picture that nobody may see. */
  readonly masks?: Masks;
}

/** The text that holds the cameras. */
export interface CameraText {
  read(): Promise<string>;
  /** Whole or not at all. */
  write(text: string): Promise<void>;
}

export interface CameraStoreOptions {
  readonly text: CameraText;
  readonly clock: Pick<Clock, "sleep">;
  /** Told in a sentence of rows that are left out, once each. Must not throw. */
  readonly onNotice: (message: string) => void;
  /** Default: masks that last as long as the store. */
  readonly masks?: CameraMasks;
}

type StoreParts = Required<Pick<CameraStoreOptions, "text" | "onNotice" | "masks">>;

export type CameraStore = Pick<FileCameraStore, keyof FileCameraStore>;

export async function openCameraStore(options: CameraStoreOptions): Promise<CameraStore> {
  const { masks = createPassingMasks() } = options;
  const store = new FileCameraStore({ ...options, masks }, await options.text.read());
  store.follow(options.clock);
  return store;
}

/** For an app whose cameras come from the command line: edits last as long as it runs. Throws `CameraStoreError`. */
export function createPassingCameras(entries: readonly CameraEntry[], masks = createPassingMasks()): CameraStore {
  let markdown = entries.reduce((before, entry) => withRow(before, toCells(entry), CAMERA_TABLE), "");
  const text: CameraText = {
    read: async () => markdown,
    write: async (next) => {
      markdown = next;
    },
  };
  return new FileCameraStore({ text, masks, onNotice: () => undefined }, markdown);
}

/**
 * The cameras of `CAMERAS.md`, as they are now: what a person changes by hand is there within a second. An edit changes
 * the lines of its camera and nothing else. The methods that edit reject with `CameraStoreError` or `StoreError`.
 */
class FileCameraStore implements CameraRegistry {
  readonly #options: StoreParts;
  readonly #registry = createCameraRegistry({ markdown: "" });
  readonly #told = new Set<string>();
  readonly #closed = new AbortController();
  #text = "";
  readonly #queue = new PQueue({ concurrency: 1 });
  #following: Promise<void> = Promise.resolve();

  constructor(options: StoreParts, markdown: string) {
    this.#options = options;
    this.#take(markdown);
  }

  /** Rows that are left out. */
  get warnings(): readonly CameraWarning[] {
    return this.#registry.warnings;
  }

  list(): readonly RegisteredCamera[] {
    return this.#registry.list().map((camera) => this.#withMasks(camera));
  }

  find(name: string): RegisteredCamera | undefined {
    const camera = this.#registry.find(name);
    return camera && this.#withMasks(camera);
  }

  /** Reads the text again, now. */
  refresh(): Promise<void> {
    return this.#queue.add(async () => this.#take(await this.#options.text.read()));
  }

  async add({ masks, ...entry }: CameraEntry): Promise<RegisteredCamera> {
    mustHide(masks);
    const camera = await this.#edit((text) => {
      const cells = toCells(entry);
      this.#mustBeFree(cells.name);
      mustFit(text, cells);
      return { text: withRow(text, cells, CAMERA_TABLE), name: cells.name };
    });
    if (masks !== undefined) await this.#options.masks.set(camera, masks);
    return this.#mustFind(camera.name);
  }

  /** An address that is the shown one, without its password, changes nothing about it. */
  async change(name: string, { masks, ...changes }: Partial<CameraEntry>): Promise<RegisteredCamera> {
    mustHide(masks);
    let before: RegisteredCamera | undefined;
    const after = await this.#edit((text) => {
      const camera = this.#mustFind(name);
      before = camera;
      const isShown = changes.address === camera.source;
      const { address } = camera;
      const cells = toCells({ ...camera, ...changes, ...(isShown && { address }) });
      if (cells.name.toLowerCase() !== camera.name.toLowerCase()) this.#mustBeFree(cells.name);
      const row = rowOf(text, camera.name);
      const changed = Object.entries(cells).filter(([key, value]) => row.cells[key as keyof CameraCells] !== value);
      mustFitRow(row, changed);
      return { text: withCells(text, row, Object.fromEntries(changed)), name: cells.name };
    });
    // They follow a camera to its new name and address.
    const isElsewhere = after.name !== before?.name || after.address !== before.address;
    const kept = masks ?? (isElsewhere ? before?.masks : undefined);
    if (kept !== undefined) await this.#options.masks.set(after, kept, before?.name);
    return this.#mustFind(after.name);
  }

  remove(name: string): Promise<RegisteredCamera> {
    return this.#queue.add(async () => {
      const text = await this.#reread();
      const camera = this.#mustFind(name);
      await this.#write(withoutRow(text, rowOf(text, camera.name)));
      return camera;
    });
  }

  /** Reads the text again from time to time. */
  follow(clock: CameraStoreOptions["clock"]): void {
    const refresh = (): Promise<void> =>
      this.refresh().catch((error: unknown) => this.#tellOnce("CAMERAS.md is not read", reasonOf(error)));
    this.#following = rereadUntil(this.#closed.signal, clock, refresh);
  }

  /** Stops reading. May be called twice. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#following;
    await this.#queue.onIdle();
  }

  #edit(change: (text: string) => { readonly text: string; readonly name: string }): Promise<RegisteredCamera> {
    return this.#queue.add(async () => {
      const { text, name } = change(await this.#reread());
      await this.#write(text);
      return this.#mustFind(name);
    });
  }

  /** What a person has typed since is not lost. */
  async #reread(): Promise<string> {
    this.#take(await this.#options.text.read());
    return this.#text;
  }

  async #write(text: string): Promise<void> {
    await this.#options.text.write(text);
    this.#take(text);
  }

  #take(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#registry.reload(text);
    for (const { line, message } of this.#registry.warnings) {
      this.#tellOnce(`CAMERAS.md line ${line}`, message);
    }
  }

  /** Lines move, so that the same message from another line is no news. */
  #tellOnce(place: string, message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#options.onNotice(`${place}: ${message}`);
  }

  #withMasks(camera: RegisteredCamera): RegisteredCamera {
    const masks = this.#options.masks.of(camera);
    return masks.length === 0 ? camera : { ...camera, masks };
  }

  #mustFind(name: string): RegisteredCamera {
    const camera = this.find(name);
    if (camera !== undefined) return camera;
    const names = this.list().map((one) => one.name);
    throw new CameraStoreError("not_found", `There is no camera ${name}. Cameras: ${names.join(", ") || "none"}.`);
  }

  #mustBeFree(name: string): void {
    if (this.find(name) === undefined) return;
    throw new CameraStoreError("taken", `There is a camera called ${name} already.`);
  }
}

function mustHide(masks: Masks = []): void {
  const problem = masks.map((mask) => shapeProblem("mask", mask)).find((one) => one !== undefined);
  if (problem !== undefined) throw new CameraStoreError("invalid", problem);
}

function toCells(entry: CameraEntry): CameraCells {
  const { name, address, location = "", notes = "" } = entry;
  if ([name, address, location, notes].some((cell) => /[\r\n]/.test(cell.trim()))) {
    throw new CameraStoreError(
      "invalid",
      "A camera is one row: its name, address, location and notes have no line breaks.",
    );
  }
  const about = { location: toPlainText(location), notes: toPlainText(notes) };
  const cells = { name: name.trim(), address: address.trim(), ...about };
  const camera = toCamera(cells);
  if ("message" in camera) throw new CameraStoreError("invalid", camera.message);
  return cells;
}

function rowOf(text: string, name: string): CameraRow {
  const rows = findTables(text, CAMERA_TABLE).flatMap((table) => table.rows);
  const row = rows.find(({ cells }) => cells.name.toLowerCase() === name.toLowerCase());
  if (row === undefined) throw new CameraStoreError("not_found", `CAMERAS.md has no row for ${name}.`);
  return row;
}

/** What a table has no column for would be lost. */
function mustFit(text: string, cells: CameraCells): void {
  const table = findTables(text, CAMERA_TABLE).at(-1);
  if (table !== undefined) mustFitRow(table, Object.entries(cells));
}

function mustFitRow({ columns }: Pick<CameraRow, "columns">, cells: readonly (readonly [string, string])[]): void {
  for (const [column, value] of cells) {
    if (value === "" || columns.some((one) => one === column)) continue;
    const title = column[0]?.toUpperCase() + column.slice(1);
    throw new CameraStoreError("invalid", `The table in CAMERAS.md has no column ${title}; add one, or leave it out.`);
  }
}
