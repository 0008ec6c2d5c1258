// what runs already and how much of the machine is left → whether one more may begin
import { KindedError } from "../workspace/kinded-error.ts";

/** What the machine has left just now. */
export interface MachineLoad {
  /** Memory that this process may still take, container limits included. */
  readonly availableBytes: number;
  /** Share of all cores in use over the last seconds, 0 to 1. */
  readonly cpuShare: number;
}

/** One kind of thing that is counted while it is there. */
export type CountedKind = "live view" | "event stream" | "upload" | "run";

/** `full` of the machine: memory or processor · `too_many` of one kind. */
export class AdmissionError extends KindedError<"full" | "too_many"> {}

export interface AdmissionOptions {
  readonly measure: () => MachineLoad;
  readonly cores: number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** What the pipelines that run already achieve. */
export interface RunningFigures {
  readonly pipelines: number;
  /** Pictures a second, all together. */
  readonly fps: number;
}

/** Asked before anything that costs memory or processor time begins. Every method throws `AdmissionError` for a no. */
export interface Admission {
  /** Before a pipeline starts. */
  pipeline(running: RunningFigures): void;
  /**
   * Takes a place; the returned function gives it back and may be called twice. `viewer` is the name of who may have
   * only a share of all places, so that the others keep theirs.
   */
  enter(kind: CountedKind, viewer?: string): () => void;
  /** Before one more is kept for good. */
  keep(kind: KeptKind, present: number): void;
}

export type KeptKind = "task" | "session";

const MB = 1024 * 1024;
/** Left to everything else: conversations, pictures, the operating system. */
const RESERVE_BYTES = 300 * MB;
/** Of a pipeline with a detector, measured. */
const PIPELINE_BYTES = 160 * MB;
/** So long a pipeline takes to reach its size. */
const STARTING_MS = 15_000;
const CPU_FULL = 0.9;
/** Below this a watch misses people who walk by. */
const LOWEST_FPS = 1;
const MOST_PIPELINES = 64;

const MOST_AT_ONCE: Readonly<Record<CountedKind, number>> = {
  "live view": 64,
  "event stream": 500,
  upload: 8,
  run: 32,
};
/** Of all places, for one viewer. */
const VIEWER_SHARE = 1 / 4;
const MOST_KEPT: Readonly<Record<KeptKind, number>> = { task: 200, session: 20_000 };

export function createAdmission({ measure, cores, now }: AdmissionOptions): Admission {
  const entered = new Map<string, number>();
  const count = (key: string, more: 1 | -1): void => void entered.set(key, (entered.get(key) ?? 0) + more);
  let starts: readonly number[] = [];
  return {
    pipeline({ pipelines, fps }) {
      if (pipelines >= MOST_PIPELINES) {
        throw new AdmissionError("too_many", `${pipelines} pipelines are the most. Stop one first.`);
      }
      starts = starts.filter((at) => now() - at < STARTING_MS);
      const { availableBytes, cpuShare } = measure();
      const free = availableBytes - starts.length * PIPELINE_BYTES;
      if (free < RESERVE_BYTES + PIPELINE_BYTES) throw new AdmissionError("full", memorySentence(free));
      const share = fps / (pipelines + 1);
      if (cpuShare >= CPU_FULL && starts.length === 0 && pipelines > 0 && share < LOWEST_FPS) {
        throw new AdmissionError("full", processorSentence(pipelines, fps, cores));
      }
      starts = [...starts, now()];
    },
    enter(kind, viewer) {
      const own = `${kind} of ${viewer}`;
      const present = entered.get(kind) ?? 0;
      const isOwnFull = viewer !== undefined && (entered.get(own) ?? 0) >= MOST_AT_ONCE[kind] * VIEWER_SHARE;
      if (present >= MOST_AT_ONCE[kind] || isOwnFull) {
        const many = isOwnFull ? `This account has ${entered.get(own)}` : `There are ${present}`;
        throw new AdmissionError("too_many", `${many} ${kind}s at once already. Try again in a moment.`);
      }
      const keys = viewer === undefined ? [kind] : [kind, own];
      for (const key of keys) count(key, 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        for (const key of keys) count(key, -1);
      };
    },
    keep(kind, present) {
      if (present < MOST_KEPT[kind]) return;
      throw new AdmissionError(
        "too_many",
        `There are ${present} ${kind}s already, the most there can be. Remove some.`,
      );
    },
  };
}

function memorySentence(free: number): string {
  const left = Math.max(0, Math.round(free / MB));
  const needed = Math.round((RESERVE_BYTES + PIPELINE_BYTES) / MB);
  return `This machine has ${left} MB of memory left; one more pipeline needs ${needed} MB. Stop one first.`;
}

function processorSentence(pipelines: number, fps: number, cores: number): string {
  const each = (fps / pipelines).toFixed(1);
  const share = `${pipelines} pipelines share ${cores} cores and get ${each} pictures a second each`;
  return `This machine is busy: ${share}. Stop one, or lower its max_fps.`;
}
