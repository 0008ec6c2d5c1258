// the file of the event index: opened, found damaged, built anew
import { rmSync } from "node:fs";
import type { CameraNames } from "../workspace/camera-names.ts";
import { KindedError, reasonOf } from "../workspace/kinded-error.ts";
import { EventIndex } from "./event-index.ts";
import { createLocalCalendar } from "./local-calendar.ts";
import { isDamaged, openDatabase } from "./open-database.ts";

/** `busy` the index is being built, so that counts would be too low. */
export class EventIndexError extends KindedError<"busy"> {}

export interface EventIndexFileOptions {
  /** Absolute path; the folder exists. `:memory:` for one that is forgotten. */
  readonly path: string;
  /** Days and hours are counted in it. */
  readonly timeZone: string;
  /** Default: no camera was ever renamed. */
  readonly nameOf?: CameraNames["nameOf"] | undefined;
  /** Told in a sentence what went wrong. Must not throw. */
  readonly onProblem: (message: string) => void;
  /** Called when everything has to be read again from the files. */
  readonly onEmpty: () => void;
}

/** The index can be deleted at any time: the files of the days are what counts. */
export class EventIndexFile {
  readonly #options: EventIndexFileOptions;
  #index: EventIndex;

  constructor(options: EventIndexFileOptions) {
    this.#options = options;
    try {
      this.#index = open(options.path, options);
    } catch (error) {
      this.#index = this.#openAnew(error);
    }
  }

  /** Throws what SQLite says; a damaged index is replaced by an empty one, which is asked instead. */
  use<T>(work: (index: EventIndex) => T): T {
    try {
      return work(this.#index);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.#index.close();
      this.#index = this.#openAnew(error);
      this.#options.onEmpty();
      return work(this.#index);
    }
  }

  /** May be called twice. */
  close(): void {
    this.#index.close();
  }

  #openAnew(error: unknown): EventIndex {
    const { path, onProblem } = this.#options;
    try {
      if (!isDamaged(error)) throw error;
      onProblem("The index of events was damaged and is built anew from the files in events/.");
      for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
      return open(path, this.#options);
    } catch (cause) {
      onProblem(`The index of events cannot be kept on disk and is built anew at each start: ${reasonOf(cause)}`);
      return open(":memory:", this.#options);
    }
  }
}

function open(path: string, { timeZone, nameOf }: Pick<EventIndexFileOptions, "timeZone" | "nameOf">): EventIndex {
  const database = openDatabase(path);
  try {
    return new EventIndex(database, createLocalCalendar(timeZone), nameOf);
  } catch (error) {
    database.close();
    throw error;
  }
}
