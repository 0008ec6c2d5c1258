// scene events ⇄ events/YYYY-MM-DD.jsonl
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type SceneEvent, sceneEventSchema } from "@vision-agent/protocol";
import type { FilePort } from "../workspace/file-port.ts";

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
/** So many wait for a disk that refuses; the oldest of more are lost. */
const MOST_UNWRITTEN = 50_000;
/** So many lines are read before others get their turn. */
const LINES_AT_ONCE = 500;

export interface DayFile {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly bytes: number;
}

/** Events of all days on disk, never all in memory. Everything rejects with `StoreError`. */
export class EventFiles {
  readonly #files: FilePort;
  readonly #folder: string;
  #unwritten: SceneEvent[] = [];
  #beingWritten: readonly SceneEvent[] = [];
  #today: { readonly day: string; bytes: number; isTorn: boolean } | undefined;

  constructor(files: FilePort, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Oldest first. */
  async days(): Promise<readonly DayFile[]> {
    const listed = await this.#files.list(this.#folder);
    return listed
      .flatMap(({ name, bytes }) => {
        const day = DAY_FILE.exec(name)?.[1];
        return day === undefined ? [] : [{ day, bytes }];
      })
      .sort((a, b) => a.day.localeCompare(b.day));
  }

  /** Written with the next `write`. */
  add(event: SceneEvent): void {
    this.#unwritten.push(event);
    if (this.#unwritten.length > MOST_UNWRITTEN) this.#unwritten.shift();
  }

  /** Added, but not known to be in a file. */
  unwritten(): readonly SceneEvent[] {
    return [...this.#beingWritten, ...this.#unwritten];
  }

  /** What was added goes to the file of that day; how long it is then. One call at a time. What fails is written with the next. */
  async write(day: string): Promise<DayFile> {
    const today = this.#today?.day === day ? this.#today : await this.#open(day);
    this.#today = today;
    const batch = this.#unwritten;
    if (batch.length === 0) return today;
    const text = `${today.isTorn ? "\n" : ""}${batch.map((event) => `${JSON.stringify(event)}\n`).join("")}`;
    this.#unwritten = [];
    this.#beingWritten = batch;
    try {
      await this.#files.append(this.#path(day), text);
    } catch (error) {
      this.#unwritten = [...batch, ...this.#unwritten].slice(-MOST_UNWRITTEN);
      this.#today = undefined;
      throw error;
    } finally {
      this.#beingWritten = [];
    }
    today.bytes += Buffer.byteLength(text);
    today.isTorn = false;
    return { ...today };
  }

  /** Oldest first, some at a time. Torn lines and those that nobody understands are left out. */
  async *read(day: string): AsyncGenerator<readonly SceneEvent[]> {
    const lines = ((await this.#files.readText(this.#path(day))) ?? "").split("\n");
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
      if (at > 0) await setImmediate();
      yield lines.slice(at, at + LINES_AT_ONCE).flatMap((line) => parseLine(line) ?? []);
    }
  }

  /** Takes events out of a day's file; nothing of them stays in it. How long it is then. */
  async rewrite(day: string, goes: (event: SceneEvent) => boolean): Promise<DayFile> {
    const kept: string[] = [];
    for await (const events of this.read(day))
      for (const event of events) if (!goes(event)) kept.push(`${JSON.stringify(event)}\n`);
    const text = kept.join("");
    await this.#files.writeAtomic(this.#path(day), text);
    if (this.#today?.day === day) this.#today = undefined;
    return { day, bytes: Buffer.byteLength(text) };
  }

  async remove(day: string): Promise<void> {
    await this.#files.remove(this.#path(day));
  }

  async #open(day: string): Promise<{ readonly day: string; bytes: number; isTorn: boolean }> {
    const text = (await this.#files.readText(this.#path(day))) ?? "";
    return { day, bytes: Buffer.byteLength(text), isTorn: text !== "" && !text.endsWith("\n") };
  }

  #path(day: string): string {
    return join(this.#folder, `${day}.jsonl`);
  }
}

/** The day of the file that an event of this time goes to. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function parseLine(line: string): SceneEvent | undefined {
  if (line === "") return undefined;
  try {
    return sceneEventSchema.safeParse(JSON.parse(line)).data;
  } catch {
    // Torn by a crash.
    return undefined;
  }
}
