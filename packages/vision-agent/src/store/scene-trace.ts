// what the follower of each camera was given ⇄ trace/YYYY-MM-DDTHH.jsonl
// `frames` gives a period back as data; `scene/replay-trace.ts` feeds it through a follower again.
import { join } from "node:path";
import type { Clock } from "@vision-agent/agent-core";
import PQueue from "p-queue";
import { type CameraNames, FIXED_NAMES } from "../workspace/camera-names.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { type ForgetTarget, type Forgotten, isOfTarget, toForgotten } from "./forget-target.ts";
import {
  type EmptyRunLine,
  framesOf,
  joinRuns,
  lineStart,
  mayBeState,
  parseTraceLine,
  spanOfLine,
  stateOf,
  type TracedFrame,
  type TracedState,
  type TraceLine,
  toSecondLine,
  toStateLine,
} from "./trace-line.ts";
import { Turn } from "./turn.ts";

const HOUR_MS = 3_600_000;
const HOUR_FILE = /^(\d{4}-\d{2}-\d{2}T\d{2})\.jsonl$/;
/** Lines go to the disk together, so often. A kill costs no more than that. */
const WRITE_EVERY_MS = 5000;
/** Closer frames of one pipeline are left out. */
const CLOSEST_FRAMES_MS = 90;
const LONGEST_RUN_SECONDS = 60;
/** So many wait for a disk that refuses; the oldest of more are lost. */
const MOST_UNWRITTEN = 20_000;
const COMPLAIN_EVERY_MS = 600_000;
/** Room is also made when so large a share of it was filled since the last time. */
const PRUNE_EVERY_SHARE = 0.02;
const LINES_AT_ONCE = 10;
/** After the camera. */
const SECOND_KEY = '"t":';

export interface SceneTraceOptions {
  readonly files: FilePort;
  /** Absolute path of `trace/`; it exists. */
  readonly folder: string;
  /** 0 keeps none. */
  readonly keepHours: number;
  readonly maxBytes: number;
  /** Default: no camera was ever renamed. */
  readonly names?: CameraNames;
  readonly clock: Clock;
  /** Takes secrets out of what is written. Default: nothing is taken out. */
  readonly redact?: <E>(entry: E) => E;
  /** Told when the disk refuses, at most once in ten minutes. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** A camera from a time until before another; milliseconds since 1970. */
export interface TracePeriod {
  readonly camera: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export type SceneTrace = Pick<Trace, keyof Trace>;

/** Removes what is too old, then takes what comes. */
export async function openSceneTrace(options: SceneTraceOptions): Promise<SceneTrace> {
  const trace = new Trace(options);
  await trace.prune();
  return trace;
}

class Trace {
  readonly #options: SceneTraceOptions;
  /** Frames of the second that goes on, by camera and pipeline. */
  readonly #open = new Map<string, TracedFrame[]>();
  /** Seconds without anything that go on. */
  readonly #runs = new Map<string, EmptyRunLine>();
  readonly #states = new Map<string, TracedState>();
  #unwritten: TraceLine[] = [];
  readonly #writing = new PQueue({ concurrency: 1 });
  /** Files that this run of the program has begun. */
  readonly #begun = new Set<string>();
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #complainedAtMs = Number.NEGATIVE_INFINITY;
  #bytesSincePrune = 0;

  constructor(options: SceneTraceOptions) {
    this.#options = options;
  }

  /** Times must not be older than those given before for the same pipeline. */
  note(frame: TracedFrame): void {
    if (!this.#isKept(frame.atMs)) return;
    const key = `${frame.camera}\n${frame.pipelineId}`;
    const open = this.#open.get(key);
    const last = open?.at(-1);
    if (last === undefined || Math.floor(last.atMs / 1000) !== Math.floor(frame.atMs / 1000)) {
      this.#closeSecond(key);
      this.#open.set(key, [frame]);
    } else if (frame.atMs - last.atMs >= CLOSEST_FRAMES_MS) open?.push(frame);
    this.#writeSometimes();
  }

  noteState(state: TracedState): void {
    if (!this.#isKept(state.atMs)) return;
    this.#states.set(`${state.camera}\n${state.pipelineId}`, state);
    this.#add(toStateLine(state));
    this.#writeSometimes();
  }

  /** Oldest first, some at a time. */
  async *frames(period: TracePeriod): AsyncGenerator<readonly TracedFrame[]> {
    // Lines overlap: pipelines of one camera are written one after the other, and one line may last a minute.
    let waiting: TracedFrame[] = [];
    for await (const { lines, nextMs } of this.#lines(period)) {
      const frames = lines.flatMap((line) => ("at" in line ? [] : framesOf(line)));
      waiting.push(...frames.filter(({ atMs }) => atMs >= period.fromMs && atMs < period.toMs));
      waiting.sort((one, other) => one.atMs - other.atMs);
      yield waiting.filter(({ atMs }) => atMs < nextMs);
      waiting = waiting.filter(({ atMs }) => atMs >= nextMs);
    }
    yield waiting;
  }

  /** Changes within the period, oldest first, after how each pipeline of the camera was when it began. */
  async states({ camera, fromMs, toMs }: TracePeriod): Promise<readonly TracedState[]> {
    const inside: TracedState[] = [];
    const before = new Map<string, TracedState>();
    const hours = (await this.hours()).map(({ hour }) => hour);
    // Each file begins with how all were.
    const first = hours.findLastIndex((hour) => startOf(hour) <= fromMs);
    const from = startOf(hours[Math.max(0, first)] ?? "1970-01-01T00");
    for await (const { lines } of this.#lines({ camera, fromMs: Math.min(from, fromMs), toMs }, mayBeState)) {
      for (const state of lines.flatMap((line) => ("at" in line ? stateOf(line) : []))) {
        if (state.atMs < fromMs) before.set(state.pipelineId, state);
        else if (state.atMs < toMs) inside.push(state);
      }
    }
    return [...before.values(), ...inside];
  }

  /** The files there are, oldest first. */
  async hours(): Promise<readonly { readonly hour: string; readonly bytes: number }[]> {
    const listed = await this.#options.files.list(this.#options.folder);
    return listed
      .flatMap(({ name, bytes }) => {
        const hour = HOUR_FILE.exec(name)?.[1];
        return hour === undefined ? [] : [{ hour, bytes }];
      })
      .sort((a, b) => a.hour.localeCompare(b.hour));
  }

  /** Seconds of the camera in that time, and the one of a single event. */
  async forget(target: ForgetTarget, { preview }: { readonly preview: boolean }): Promise<Forgotten> {
    await this.settled();
    const { fromMs } = target;
    const toMs = Math.max(target.toMs, fromMs + 1);
    const goes = (line: TraceLine): boolean => {
      const span = spanOfLine(line);
      return isOfTarget(target, line.c, span.fromMs) && !("at" in line) && span.fromMs < toMs && span.toMs > fromMs;
    };
    const found: string[] = [];
    for (const { hour } of await this.hours()) {
      if (startOf(hour) >= toMs || startOf(hour) + HOUR_MS + LONGEST_RUN_SECONDS * 1000 <= fromMs) continue;
      await this.#writing.add(async () => {
        const lines = parseLines((await this.#options.files.readText(this.#path(hour))) ?? "");
        const going = lines.filter(goes);
        found.push(...going.map(({ c, t }) => `${new Date(t * 1000).toISOString()} ${c}`));
        if (preview || going.length === 0) return;
        const kept = lines.filter((line) => !goes(line)).map((line) => `${JSON.stringify(line)}\n`);
        await this.#options.files.writeAtomic(this.#path(hour), kept.join(""));
      });
    }
    return toForgotten(found);
  }

  /** Resolves when everything noted is on the disk or has failed. */
  async settled(): Promise<void> {
    for (const key of [...this.#open.keys()]) this.#closeSecond(key);
    for (const run of this.#runs.values()) this.#add(run);
    this.#runs.clear();
    await this.#writing.add(() => this.#write());
  }

  /** May be called twice. */
  close(): Promise<void> {
    return this.settled();
  }

  async prune(): Promise<void> {
    const { files, keepHours, maxBytes, clock } = this.#options;
    this.#bytesSincePrune = 0;
    try {
      const hours = await this.hours();
      let bytes = hours.reduce((sum, one) => sum + one.bytes, 0);
      const oldestMs = clock.now() - keepHours * HOUR_MS;
      for (const one of hours) {
        if (startOf(one.hour) + HOUR_MS > oldestMs && bytes <= maxBytes) break;
        await files.remove(this.#path(one.hour));
        this.#begun.delete(one.hour);
        bytes -= one.bytes;
      }
    } catch (error) {
      this.#complain(error);
    }
  }

  #isKept(atMs: number): boolean {
    const { keepHours, clock } = this.#options;
    return keepHours > 0 && atMs > clock.now() - keepHours * HOUR_MS;
  }

  #closeSecond(key: string): void {
    const frames = this.#open.get(key);
    this.#open.delete(key);
    if (frames === undefined) return;
    const line = toSecondLine(frames);
    const run = this.#runs.get(key);
    if ("d" in line) {
      const longer = run && joinRuns(run, line, LONGEST_RUN_SECONDS);
      if (run && !longer) this.#add(run);
      this.#runs.set(key, longer ?? line);
      return;
    }
    if (run) this.#add(run);
    this.#runs.delete(key);
    this.#add(line);
  }

  #add(line: TraceLine): void {
    this.#unwritten.push(line);
    if (this.#unwritten.length > MOST_UNWRITTEN) this.#unwritten.shift();
  }

  #writeSometimes(): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#writtenAtMs < WRITE_EVERY_MS || this.#unwritten.length === 0) return;
    this.#writtenAtMs = nowMs;
    void this.#writing.add(() => this.#write());
  }

  async #write(): Promise<void> {
    const { files, redact = (line) => line, maxBytes } = this.#options;
    const byHour = Map.groupBy(this.#unwritten, ({ t }) => hourOf(t * 1000));
    this.#unwritten = [];
    for (const [hour, lines] of byHour) {
      const isNew = !this.#begun.has(hour);
      const states = isNew ? [...this.#states.values()].filter(({ atMs }) => atMs < startOf(hour)) : [];
      const heads = states.map((state) => ({ ...toStateLine(state), t: startOf(hour) / 1000 }));
      const text = [...heads, ...lines].map((line) => `${JSON.stringify(redact(line))}\n`).join("");
      try {
        // What a crash left behind may lack its end.
        await files.append(this.#path(hour), `${isNew ? "\n" : ""}${text}`);
        this.#begun.add(hour);
        this.#bytesSincePrune += text.length;
        if (isNew || this.#bytesSincePrune > maxBytes * PRUNE_EVERY_SHARE) await this.prune();
      } catch (error) {
        this.#unwritten = [...lines, ...this.#unwritten].slice(-MOST_UNWRITTEN);
        this.#complain(error);
      }
    }
  }

  /** Of one camera, in the order of time, some at a time, and when the next begin. Parses only lines that are wanted: that takes longest. */
  async *#lines(
    { camera, fromMs, toMs }: TracePeriod,
    isWanted: (line: string) => boolean = () => true,
  ): AsyncGenerator<{ readonly lines: readonly TraceLine[]; readonly nextMs: number }> {
    await this.settled();
    const spans = (this.#options.names ?? FIXED_NAMES).spansOf(camera);
    const turn = new Turn();
    for (const { hour } of await this.hours()) {
      if (startOf(hour) >= toMs || startOf(hour) + HOUR_MS + LONGEST_RUN_SECONDS * 1000 <= fromMs) continue;
      const text = (await this.#options.files.readText(this.#path(hour))) ?? "";
      if (turn.isOver) await turn.next();
      const found = spans.flatMap(({ name, ...named }) => {
        const [first, end] = [Math.max(named.fromMs, fromMs), Math.min(named.toMs, toMs)];
        const start = lineStart(name);
        return linesOf(text, start).flatMap((line) => {
          const second = secondOf(line, start);
          const mayBeInside = second * 1000 < end && (second + LONGEST_RUN_SECONDS) * 1000 > first;
          return mayBeInside && isWanted(line) ? [{ line, second, first, end }] : [];
        });
      });
      found.sort((one, other) => one.second - other.second);
      for (let at = 0; at < found.length; at += LINES_AT_ONCE) {
        if (turn.isOver) await turn.next();
        const lines = found.slice(at, at + LINES_AT_ONCE).flatMap(({ line, first, end }) => {
          const parsed = parseTraceLine(line);
          if (parsed === undefined) return [];
          const span = spanOfLine(parsed);
          return span.fromMs < end && span.toMs > first ? [{ ...parsed, c: camera }] : [];
        });
        const next = found[at + LINES_AT_ONCE];
        yield { lines, nextMs: next ? next.second * 1000 : startOf(hour) + HOUR_MS };
      }
    }
  }

  #path(hour: string): string {
    return join(this.#options.folder, `${hour}.jsonl`);
  }

  #complain(error: unknown): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#complainedAtMs < COMPLAIN_EVERY_MS) return;
    this.#complainedAtMs = nowMs;
    this.#options.onProblem(`What cameras showed is not kept for later questions: ${reasonOf(error)}`);
  }
}

function parseLines(text: string): TraceLine[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : (parseTraceLine(line) ?? [])));
}

/** Those that begin so. Far faster than to cut all of them apart first. */
function linesOf(text: string, start: string): string[] {
  const found: string[] = [];
  let at = text.startsWith(start) ? 0 : text.indexOf(`\n${start}`) + 1;
  while (text.startsWith(start, at)) {
    const end = text.indexOf("\n", at);
    found.push(text.slice(at, end === -1 ? text.length : end));
    if (end === -1) break;
    at = text.indexOf(`\n${start}`, end) + 1;
    if (at === 0) break;
  }
  return found;
}

/** Where a line says its second, which comes after how the lines of a camera begin. */
function secondOf(line: string, start: string): number {
  return Number.parseInt(line.slice(start.length + SECOND_KEY.length, start.length + SECOND_KEY.length + 12), 10);
}

function hourOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 13);
}

function startOf(hour: string): number {
  return Date.parse(`${hour}:00:00.000Z`);
}
