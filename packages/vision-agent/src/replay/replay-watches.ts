// what was seen before → follower → conditions → router, on the clock of the footage → what would have been told
import { setImmediate } from "node:timers/promises";
import type { Clock } from "@vision-agent/agent-core";
import type { Alert, SceneEvent, Watch } from "@vision-agent/protocol";
import type { AlertDecision, AlertGate } from "../alerts/alert-decision.ts";
import { type AlertRouterOptions, createAlertRouter } from "../alerts/route-alert.ts";
import { createFollower, type SceneInput } from "../scene/follow-camera.ts";
import type { BoundedLog } from "../store/bounded-log.ts";
import { Turn } from "../store/turn.ts";
import { camerasOf, interestsOn } from "../watches/condition-interests.ts";
import type { PlaceFinder } from "../watches/condition-reading.ts";
import { judgeWatch, type WatchMemories } from "../watches/evaluate-condition.ts";
import { toFiringEvent } from "../watches/record-firings.ts";
import type { TimedAlert } from "./compare-alerts.ts";

export interface ReplayWatchesOptions extends Pick<AlertRouterOptions, "quiet"> {
  /** Their ids must differ. */
  readonly watches: readonly Watch[];
  /** In the order of their times. */
  readonly inputs: AsyncIterable<readonly SceneInput[]>;
  readonly placeOf: PlaceFinder;
}

/** What became of one watch. */
export interface ReplayedWatch {
  readonly seen: number;
  readonly suppressed: ReadonlyMap<AlertGate, number>;
  /** How often a vision model would have been asked. */
  readonly questions: number;
  /** In the order of time. */
  readonly alerts: readonly TimedAlert[];
}

export interface Replayed {
  /** In the order of the watches. */
  readonly watches: readonly ReplayedWatch[];
  /** Times of the first and the last frame; absent without any. */
  readonly span?: { readonly fromMs: number; readonly toMs: number };
  /** In how many seconds there were frames, all cameras together. */
  readonly seconds: number;
}

const NOT_ASKED = { kind: "unchecked", reason: "a replay asks no model." } as const;

/** The same frames give the same alerts. Neither a model nor a channel is asked, and nothing is stored. */
export async function replayWatches(options: ReplayWatchesOptions): Promise<Replayed> {
  const runs = options.watches.map((watch) => new WatchRun(watch, options));
  const openFollower = (camera: string): ReturnType<typeof createFollower> => {
    const watches = options.watches.filter((watch) => camerasOf(watch).includes(camera));
    return createFollower(watches.flatMap((watch) => interestsOn(watch, camera, options.placeOf)));
  };
  const followers = new Map<string, ReturnType<typeof createFollower>>();
  /** Of the last frame, by camera. */
  const lastSecond = new Map<string, number>();
  const turn = new Turn();
  let span: Replayed["span"];
  let seconds = 0;
  for await (const inputs of options.inputs) {
    for (const input of inputs) {
      if (turn.isOver) await turn.next();
      const { camera } = input;
      const follow = followers.get(camera) ?? openFollower(camera);
      followers.set(camera, follow);
      const view = follow(input);
      if (view === undefined) continue;
      const second = Math.floor(view.nowMs / 1000);
      if (second !== lastSecond.get(camera)) seconds += 1;
      lastSecond.set(camera, second);
      span = { fromMs: span?.fromMs ?? view.nowMs, toMs: view.nowMs };
      for (const run of runs) await run.judge(view);
    }
  }
  return { watches: await Promise.all(runs.map((run) => run.end())), seconds, ...(span && { span }) };
}

/** One watch with a router of its own. */
class WatchRun {
  readonly #watch: Watch;
  readonly #placeOf: PlaceFinder;
  readonly #memories: WatchMemories = new Map();
  readonly #events = new Map<string, SceneEvent>();
  readonly #alerts: Alert[] = [];
  readonly #suppressed = new Map<AlertGate, number>();
  readonly #router: ReturnType<typeof createAlertRouter>;
  #emit: (event: SceneEvent) => void = () => undefined;
  #nowMs = 0;
  #seen = 0;
  #questions = 0;

  constructor(watch: Watch, { quiet, placeOf }: ReplayWatchesOptions) {
    // What was said later does not hold for what was seen before.
    const { muted_until: _, expires_at: __, ...then } = watch;
    this.#watch = { ...then, enabled: true };
    this.#placeOf = placeOf;
    let ids = 0;
    this.#router = createAlertRouter({
      pipelines: { definition: () => ({ spec: { version: "1.0", inputs: [], steps: [], outputs: [] }, alertOn: [] }) },
      findWatch: () => this.#watch,
      events: {
        onEvent: (listener) => {
          this.#emit = listener;
          return () => undefined;
        },
      },
      quiet,
      channels: [],
      log: emptyLog(),
      decisions: emptyLog(),
      onDecision: (decision) => this.#note(decision),
      check: async () => {
        this.#questions += 1;
        return NOT_ASKED;
      },
      clock: this.#clock(),
      ids: {
        next(prefix) {
          ids += 1;
          return `${prefix}_${ids}`;
        },
      },
      onProblem: () => undefined,
    });
    this.#router.onAlert((alert) => this.#alerts.push(alert));
  }

  async judge(view: Parameters<typeof judgeWatch>[2]): Promise<void> {
    if (!camerasOf(this.#watch).includes(view.camera)) return;
    this.#nowMs = view.nowMs;
    for (const change of judgeWatch(this.#watch, this.#memories, view, this.#placeOf)) {
      const event = { ...toFiringEvent({ ...change, watch: this.#watch, view }), id: `event_${this.#events.size + 1}` };
      this.#events.set(event.id, event);
      this.#emit(event);
      // The answer to a question comes after it.
      if (this.#watch.check) await setImmediate();
    }
  }

  async end(): Promise<ReplayedWatch> {
    await this.#router.close();
    return {
      seen: this.#seen,
      suppressed: this.#suppressed,
      questions: this.#questions,
      alerts: this.#alerts.map(({ timestamp, camera, severity, text, event_id = "" }) => {
        const { footage_seconds, visit_id } = this.#events.get(event_id) ?? {};
        return {
          at: timestamp,
          ...(footage_seconds !== undefined && { footage_seconds }),
          ...{ camera, severity, text },
          ...(visit_id !== undefined && { visit_id }),
        };
      }),
    };
  }

  #note({ kind, gate }: AlertDecision): void {
    if (kind !== "condition_true") return;
    this.#seen += 1;
    if (gate !== undefined) this.#suppressed.set(gate, (this.#suppressed.get(gate) ?? 0) + 1);
  }

  #clock(): Clock {
    const now = (): number => this.#nowMs;
    // Only trouble with a camera is waited for, and a replay has none.
    return { now, monotonic: now, sleep: () => new Promise(() => undefined) };
  }
}

/** Keeps nothing: alerts and decisions are taken as they are told. */
function emptyLog<T>(): BoundedLog<T> {
  const none = async (): Promise<void> => undefined;
  return { entries: () => [], append: none, rewrite: none, settled: none, unreadable: 0 };
}
