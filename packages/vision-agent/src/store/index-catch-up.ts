// files of days that the index has not read, or not as they are now → the index
import type { Clock } from "@vision-agent/agent-core";
import { reasonOf } from "../workspace/kinded-error.ts";
import type { DayFile, EventFiles } from "./event-files.ts";
import type { EventIndex } from "./event-index.ts";

const TELL_EVERY_MS = 10_000;
/** Length of a file that lacks events which the index has: it is read again at the next start. */
export const BEHIND = -1;

export interface IndexCatchUpOptions {
  readonly files: Pick<EventFiles, "days" | "read" | "unwritten">;
  readonly use: <T>(work: (index: EventIndex) => T) => T;
  /** Nothing is written to the files meanwhile. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  readonly clock: Pick<Clock, "monotonic">;
  /** Told how far it is, and what went wrong. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** The oldest days first: numbers grow with the time. */
export class IndexCatchUp {
  readonly #options: IndexCatchUpOptions;
  #running: Promise<void> | undefined;
  #behind = new Set<string>();
  #bytes = { done: 0, all: 0 };
  #isStopped = false;

  constructor(options: IndexCatchUpOptions) {
    this.#options = options;
  }

  /** How much is done, 0 to 1; undefined when there is nothing to do. */
  share(): number | undefined {
    return this.#behind.size === 0 ? undefined : this.#bytes.done / Math.max(1, this.#bytes.all);
  }

  isDone(day: string): boolean {
    return !this.#behind.has(day);
  }

  /** Never rejects. A second call waits for the first and begins again. */
  run(): Promise<void> {
    const before = this.#running ?? Promise.resolve();
    this.#running = before.then(() => this.#run());
    return this.#running;
  }

  /** After the day under way. May be called twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const { files, use, inTurn, onProblem } = this.#options;
    try {
      const days = await files.days();
      const known = use((index) => index.days());
      const stale = days.filter(({ day, bytes }) => known.get(day) !== bytes);
      const gone = [...known.keys()].filter((day) => !days.some((one) => one.day === day));
      this.#behind = new Set(stale.map(({ day }) => day));
      this.#bytes = { done: 0, all: stale.reduce((sum, { bytes }) => sum + bytes, 0) };
      for (const day of gone) use((index) => removeAll(index, day));
      let toldMs = this.#options.clock.monotonic();
      for (const file of stale) {
        if (this.#isStopped) return;
        await inTurn(() => this.#read(file));
        this.#bytes.done += file.bytes;
        this.#behind.delete(file.day);
        if (this.#options.clock.monotonic() - toldMs < TELL_EVERY_MS) continue;
        toldMs = this.#options.clock.monotonic();
        onProblem(`The index of events is being built: ${Math.floor((this.share() ?? 1) * 100)} %.`);
      }
    } catch (error) {
      onProblem(`The index of events could not be built, so counts are not answered: ${reasonOf(error)}`);
    }
  }

  async #read({ day, bytes }: DayFile): Promise<void> {
    const { files, use } = this.#options;
    const removed = new Set(use((index) => index.idsOfDay(day)));
    for (const { id } of files.unwritten()) removed.delete(id);
    for await (const events of files.read(day)) {
      use((index) => index.insert(events.map((event) => ({ event, day }))));
      for (const { id } of events) removed.delete(id);
      if (this.#isStopped) return;
    }
    use((index) => {
      index.remove(removed);
      index.setDay(day, files.unwritten().length === 0 ? bytes : BEHIND);
    });
  }
}

function removeAll(index: EventIndex, day: string): void {
  while (index.removeSomeOf(day, "go"));
}
