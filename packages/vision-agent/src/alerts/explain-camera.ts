// a camera, a moment and perhaps a watch → why somebody was told, or not
import type { Clock } from "@vision-agent/agent-core";
import type { Watch, WatchWhy, Why } from "@vision-agent/protocol";
import type { OpenSceneEventLog } from "../store/open-scene-event-log.ts";
import type { SceneTrace } from "../store/scene-trace.ts";
import type { TracedFrame } from "../store/trace-line.ts";
import { camerasOf } from "../watches/condition-interests.ts";
import type { PlaceFinder } from "../watches/condition-reading.ts";
import { explainWatch } from "../watches/explain-watch.ts";
import { runUpMs } from "../watches/judge-trace.ts";
import type { Modes } from "../watches/open-modes.ts";
import type { StoredPeriod } from "../watches/seen-for-watch.ts";
import { readScene } from "../watches/stored-scene.ts";
import { WatchError } from "../watches/watch-error.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import type { QuietReason } from "../watches/watch-times.ts";
import type { AlertRouter } from "./route-alert.ts";

export interface ExplainOptions {
  readonly watches: Pick<WatchRegistry, "list" | "get">;
  readonly alerts: Pick<AlertRouter, "why" | "list">;
  readonly events: Pick<OpenSceneEventLog, "get">;
  readonly trace: Pick<SceneTrace, "frames" | "states">;
  readonly placeOf: PlaceFinder;
  readonly quiet: (watch: Watch, ms: number) => QuietReason | undefined;
  readonly modes: Pick<Modes, "at">;
  /** IANA name. */
  readonly timeZone: string;
  readonly clock: Pick<Clock, "now">;
}

export interface WhyQuestion {
  readonly camera: string;
  /** ISO 8601. Default now. */
  readonly at?: string | undefined;
  /** Id; absent: all that look at the camera. */
  readonly watch?: string | undefined;
}

/** Rejects with `WatchError` for an unknown watch, event or alert, or a watch that does not look at the camera. */
export interface Explain {
  explain(question: WhyQuestion): Promise<Why>;
  /** The question that an event or an alert is about. */
  questionOf(id: string): WhyQuestion;
}

/** So far from the moment that was asked about. */
const WINDOW_MS = 60_000;
const MOST_ALERTS = 5000;
/** Judging more at once takes minutes. */
const MOST_WATCHES = 40;

export function createExplain(options: ExplainOptions): Explain {
  const { watches, alerts, trace, clock, quiet, timeZone, placeOf } = options;
  const toldBefore = (watchId: string, camera: string, ms: number): number | undefined =>
    alerts
      .list(MOST_ALERTS)
      .filter((alert) => alert.watch_id === watchId && alert.camera === camera && !alert.test)
      .map(({ timestamp }) => Date.parse(timestamp))
      .find((told) => told < ms);
  const questionOf: Explain["questionOf"] = (id) => {
    const told = options.events.get(id) ?? alerts.list(MOST_ALERTS).find((alert) => alert.id === id);
    if (told === undefined) throw new WatchError("not_found", `There is no event or alert ${id}.`);
    const isKept = watches.list().some((watch) => watch.id === told.watch_id);
    return { camera: told.camera, at: told.timestamp, ...(isKept && { watch: told.watch_id }) };
  };
  const explain: Explain["explain"] = async ({ camera, at = new Date(clock.now()).toISOString(), watch }) => {
    const atMs = Date.parse(at);
    if (atMs > clock.now() + WINDOW_MS) throw new WatchError("invalid", "That time has not come yet.");
    const asked = watch === undefined ? undefined : watches.get(watch);
    if (asked && !camerasOf(asked).includes(camera)) {
      const where = camerasOf(asked).join(", ");
      throw new WatchError("invalid", `The watch ${asked.id} does not look at ${camera}. Its cameras: ${where}.`);
    }
    const found = asked ? [asked] : watches.list().filter((one) => camerasOf(one).includes(camera));
    if (found.length > MOST_WATCHES) {
      throw new WatchError("invalid", `${found.length} watches look at ${camera}: ask about one of them (watch).`);
    }
    const decisions = alerts.why(camera, at);
    const span = { fromMs: atMs - WINDOW_MS, toMs: Math.min(atMs + WINDOW_MS, Math.max(clock.now(), atMs) + 1) };
    const read = (watched: readonly Watch[], change?: (frame: TracedFrame) => TracedFrame) =>
      readScene(trace, beginnings(watched, span.fromMs), { toMs: span.toMs, ...(change && { change }) });
    const scene = await read(found);
    const states = await trace.states({ camera, ...span });
    const told: WatchWhy[] = [];
    for (const one of found) {
      const own = decisions.filter(({ watch_id, kind }) => watch_id === one.id && kind === "condition_true");
      const period: StoredPeriod = {
        ...span,
        ...{ atMs, placeOf, scene, states },
        sceneWith: (change) => read([one], change),
      };
      const context = {
        ...period,
        decisions: own,
        toldBefore,
        quiet,
        timeZone,
        modeAt: (ms: number) => options.modes.at(ms),
      };
      told.push(await explainWatch(one, camera, context));
    }
    const about = decisions.filter(({ watch_id }) => asked === undefined || watch_id === asked.id);
    const suppressed = about.filter(({ gate }) => gate !== undefined && gate !== "kind").length;
    return { camera, at: new Date(atMs).toISOString(), decisions: about, suppressed, watches: told };
  };
  return { explain, questionOf };
}

/** From when on each camera of the watches is needed. */
function beginnings(found: readonly Watch[], fromMs: number): ReadonlyMap<string, number> {
  const cameras = [...new Set(found.flatMap(camerasOf))];
  return new Map(
    cameras.map((camera) => {
      const looking = found.filter((one) => camerasOf(one).includes(camera));
      return [camera, fromMs - Math.max(...looking.map(runUpMs))];
    }),
  );
}
