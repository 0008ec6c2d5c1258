// PLACES.md ⇄ the named zones and lines of cameras, edited by people and by the agent at once
import type { Clock } from "@vision-agent/agent-core";
import { type CameraPlace, cameraPlaceSchema } from "@vision-agent/protocol";
import PQueue from "p-queue";
import type { CameraText } from "./camera-store.ts";
import { KindedError, reasonOf } from "./kinded-error.ts";
import { findTables, type TableFormat, type TableRow, withoutRow, withRow } from "./markdown-table.ts";
import { shapeProblem } from "./place-shape.ts";
import { rereadUntil } from "./reread.ts";

export const PLACES_FILE = "PLACES.md";

/** A zone or line that does not exist, or cannot be. */
export class PlaceError extends KindedError<"not_found" | "invalid"> {}

type PlaceColumn = "camera" | "name" | "kind" | "points" | "in" | "out";

const PLACE_TABLE: TableFormat<PlaceColumn> = {
  titles: { camera: "camera", name: "name", kind: "kind", points: "points", in: "in", out: "out" },
  needed: ["camera", "name", "kind", "points"],
  columns: [
    ["camera", "Camera"],
    ["name", "Name"],
    ["kind", "Kind"],
    ["points", "Points"],
    ["in", "In"],
    ["out", "Out"],
  ],
};

export interface PlaceStoreOptions {
  readonly text: CameraText;
  readonly clock: Pick<Clock, "sleep">;
  /** Told in a sentence of rows that are left out, once each. Must not throw. */
  readonly onNotice: (message: string) => void;
}

export type PlaceStore = Pick<FilePlaceStore, keyof FilePlaceStore>;

export async function openPlaceStore(options: PlaceStoreOptions): Promise<PlaceStore> {
  const store = new FilePlaceStore(options, await options.text.read());
  store.follow();
  return store;
}

/** What a person changes by hand is there within a second. The methods that edit reject with `PlaceError` or `StoreError`. */
class FilePlaceStore {
  readonly #options: PlaceStoreOptions;
  readonly #told = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #closed = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #text = "";
  /** By camera and name, in small letters. */
  #places: ReadonlyMap<string, PlacedRow> = new Map();

  constructor(options: PlaceStoreOptions, markdown: string) {
    this.#options = options;
    this.#take(markdown);
  }

  /** Those of one camera. */
  list(camera: string): readonly CameraPlace[] {
    return [...this.#places.values()].filter((one) => isSame(one.camera, camera)).map(({ place }) => place);
  }

  find(camera: string, name: string): CameraPlace | undefined {
    return this.#places.get(keyOf(camera, name))?.place;
  }

  /** The one of that name is moved, and keeps its spelling: names are the same without regard to case and blanks. */
  async set(camera: string, wanted: CameraPlace): Promise<CameraPlace> {
    const problem = shapeProblem(wanted.kind, wanted.points);
    if (problem !== undefined) throw new PlaceError("invalid", problem);
    let place = wanted;
    await this.#edit((text) => {
      const known = this.#places.get(keyOf(camera, wanted.name));
      if (known) place = { ...wanted, name: known.place.name };
      return withRow(known ? withoutRow(text, known.row) : text, toCells(camera, place), PLACE_TABLE);
    });
    return place;
  }

  remove(camera: string, name: string): Promise<CameraPlace> {
    let removed: CameraPlace | undefined;
    return this.#edit((text) => {
      const known = this.#places.get(keyOf(camera, name));
      if (known === undefined) {
        const names = this.list(camera).map((one) => one.name);
        throw new PlaceError(
          "not_found",
          `${camera} has no place called ${name}. It has: ${names.join(", ") || "none"}.`,
        );
      }
      removed = known.place;
      return withoutRow(text, known.row);
    }).then(() => removed as CameraPlace);
  }

  /** A camera has another name: its places go with it. */
  renameCamera(from: string, to: string): Promise<void> {
    return this.#edit((before) =>
      this.list(from).reduce((text, place) => {
        const row = findTables(text, PLACE_TABLE)
          .flatMap(({ rows }) => rows)
          .find(({ cells }) => isSame(cells.camera, from) && isSame(cells.name, place.name));
        return row === undefined ? text : withRow(withoutRow(text, row), toCells(to, place), PLACE_TABLE);
      }, before),
    );
  }

  /** Called after places have changed, by whomever. Must not throw. Returns the way to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads the text again, now. */
  refresh(): Promise<void> {
    return this.#queue.add(async () => this.#take(await this.#options.text.read()));
  }

  follow(): void {
    const refresh = (): Promise<void> =>
      this.refresh().catch((error: unknown) => this.#tellOnce(`${PLACES_FILE} is not read: ${reasonOf(error)}`));
    this.#following = rereadUntil(this.#closed.signal, this.#options.clock, refresh);
  }

  /** Stops reading. May be called twice. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#following;
    await this.#queue.onIdle();
  }

  #edit(change: (text: string) => string): Promise<void> {
    return this.#queue.add(async () => {
      // What a person has typed since is not lost.
      this.#take(await this.#options.text.read());
      const text = change(this.#text);
      await this.#options.text.write(text);
      this.#take(text);
    });
  }

  #take(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    const places = new Map<string, PlacedRow>();
    for (const row of findTables(text, PLACE_TABLE).flatMap(({ rows }) => rows)) {
      const place = readPlace(row);
      const key = keyOf(row.cells.camera, row.cells.name);
      const problem = place === undefined ? HELP : shapeProblem(place.kind, place.points);
      if (place === undefined || problem !== undefined) {
        this.#tellOnce(`${PLACES_FILE} line ${row.line + 1}: ${problem} This row is left out.`);
      } else if (places.has(key)) {
        this.#tellOnce(
          `${PLACES_FILE}: ${row.cells.camera} has two places called ${row.cells.name}; the first counts.`,
        );
      } else places.set(key, { camera: row.cells.camera, place, row });
    }
    this.#places = places;
    for (const listener of this.#listeners) listener();
  }

  #tellOnce(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#options.onNotice(message);
  }
}

interface PlacedRow {
  readonly camera: string;
  readonly place: CameraPlace;
  readonly row: TableRow<PlaceColumn>;
}

const HELP =
  "a place has a camera, a name, the kind zone or line, and points as fractions such as 0.1,0.2 0.5,0.2 0.5,0.9.";

function readPlace({ cells }: TableRow<PlaceColumn>): CameraPlace | undefined {
  const points = cells.points.split(/\s+/).map((point) => point.split(",").map(Number));
  const directions = cells.in !== "" && cells.out !== "" ? { in: cells.in, out: cells.out } : undefined;
  const { camera, name, kind } = cells;
  const place = {
    name,
    kind: kind.toLowerCase(),
    points,
    ...(kind.toLowerCase() === "line" && directions && { directions }),
  };
  return camera === "" ? undefined : cameraPlaceSchema.safeParse(place).data;
}

function toCells(camera: string, place: CameraPlace): TableRow<PlaceColumn>["cells"] {
  const directions = place.kind === "line" ? place.directions : undefined;
  const points = place.points.map((point) => point.map((share) => Number(share.toFixed(4))).join(",")).join(" ");
  return { camera, name: place.name, kind: place.kind, points, in: directions?.in ?? "", out: directions?.out ?? "" };
}

function keyOf(camera: string, name: string): string {
  return [camera, name].map((one) => one.trim().replace(/\s+/g, " ").toLowerCase()).join("\n");
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
