// pipelines → scene events → watches → alerts, and what survives of it on disk
import type { Clock, IdSource } from "@vision-agent/agent-core";
import { alertSchema, type Watch } from "@vision-agent/protocol";
import { alertDecisionSchema } from "./alerts/alert-decision.ts";
import { createExplain, type Explain } from "./alerts/explain-camera.ts";
import {
  type AlertChannel,
  type AlertRouter,
  type AlertRouterOptions,
  createAlertRouter,
} from "./alerts/route-alert.ts";
import { openWatchCounts, storedCountsSchema } from "./alerts/watch-counts.ts";
import type { ActiveState } from "./pipelines/active-state.ts";
import { classesOfDetector, detectorFor } from "./pipelines/detector-for.ts";
import type { PipelineRegistry } from "./pipelines/pipeline-registry.ts";
import { openScene } from "./scene/open-scene.ts";
import { traceScene } from "./scene/trace-scene.ts";
import type { StopList } from "./stop-list.ts";
import { openBoundedLog } from "./store/bounded-log.ts";
import { type OpenSceneEventLog, openSceneEventLog, type SceneEventLogOptions } from "./store/open-scene-event-log.ts";
import { openSceneTrace, type SceneTrace } from "./store/scene-trace.ts";
import { storedWatchSchema } from "./watches/camera-assignments.ts";
import type { PlaceFinder } from "./watches/condition-reading.ts";
import { type Modes, openModes, storedModeSchema } from "./watches/open-modes.ts";
import { recordFirings } from "./watches/record-firings.ts";
import { createWatchRegistry, type WatchRegistry } from "./watches/watch-registry.ts";
import { type QuietReason, quietReason, type TimeContext } from "./watches/watch-times.ts";
import type { CameraNames } from "./workspace/camera-names.ts";
import type { CameraRegistry } from "./workspace/camera-registry.ts";
import type { FilePort } from "./workspace/file-port.ts";
import type { PlaceStore } from "./workspace/place-store.ts";

const MOST_ALERTS = 5000;
const MOST_DECISIONS = 5000;

export interface OpenWatchingOptions
  extends Pick<TimeContext, "timeZone" | "location">,
    Pick<AlertRouterOptions, "check"> {
  readonly pipelines: Pick<
    PipelineRegistry,
    "start" | "stop" | "list" | "onResult" | "onChange" | "definition" | "picture"
  >;
  readonly cameras: CameraRegistry;
  /** What they were called before. */
  readonly names: CameraNames;
  readonly places: Pick<PlaceStore, "find" | "onChange">;
  readonly state: Pick<ActiveState, "section">;
  readonly files: FilePort;
  /** A path in the workspace. */
  readonly path: (...names: readonly string[]) => string;
  /** How long and how much is kept of events, and where their pictures and their index are. */
  readonly keep: Pick<SceneEventLogOptions, "pictures" | "indexPath" | "shrink" | "keepDays" | "maxBytes"> & {
    readonly traceHours: number;
    readonly traceBytes: number;
  };
  readonly channels: readonly AlertChannel[];
  readonly redact: <T>(value: T) => T;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Told what went wrong without stopping anything, in a sentence. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** Everything between a result and an alert. */
export interface Watching {
  readonly events: OpenSceneEventLog;
  /** What the follower of each camera was given; `judgeTrace` judges a watch on it. */
  readonly trace: SceneTrace;
  readonly watches: WatchRegistry;
  readonly alerts: AlertRouter;
  readonly modes: Modes;
  readonly why: Explain;
}

export async function openWatching(options: OpenWatchingOptions, stops: StopList): Promise<Watching> {
  const { pipelines, cameras, places, state, files, path, channels, check, redact } = options;
  const { traceHours, traceBytes, ...keep } = options.keep;
  const { clock, ids, onProblem, timeZone, location, names } = options;
  const common = { clock, ids, onProblem };
  const log = await openBoundedLog({
    files,
    redact,
    path: path("events", "alerts.jsonl"),
    schema: alertSchema,
    maxEntries: MOST_ALERTS,
  });
  const events = await openSceneEventLog({
    ...common,
    timeZone,
    nameOf: names.nameOf,
    alertPictures: () => new Set(log.entries().flatMap(({ picture }) => picture ?? [])),
    ...keep,
    files,
    redact,
    folder: path("events"),
  });
  stops.add(() => events.close());
  const trace = await openSceneTrace({
    ...{ files, clock, redact, names, onProblem },
    folder: path("trace"),
    keepHours: traceHours,
    maxBytes: traceBytes,
  });
  stops.add(() => trace.close());
  stops.add(traceScene({ pipelines, trace, clock }));
  const scene = openScene({ pipelines, log: events, clock });
  const times = { timeZone, location };
  const modes = await openModes({
    ...times,
    clock,
    keepDays: keep.keepDays,
    store: state.section("mode", storedModeSchema),
  });
  const quiet = (watch: Watch, ms: number): QuietReason | undefined =>
    quietReason(watch, ms, { ...times, mode: modes.at(ms) });
  const decisions = await openBoundedLog({
    files,
    redact,
    path: path("events", "decisions.jsonl"),
    schema: alertDecisionSchema,
    maxEntries: MOST_DECISIONS,
  });
  const counts = await openWatchCounts(
    { ...common, timeZone, now: clock.now, store: state.section("watch_counts", storedCountsSchema) },
    decisions.entries(),
  );
  stops.add(() => counts.close());
  const watches = createWatchRegistry({
    ...common,
    redact,
    pipelines,
    scene,
    cameras,
    quiet,
    places: { placeOf: placeFinder(places), onChange: (listener) => places.onChange(listener) },
    hasLocation: location !== undefined,
    timeZone,
    countsOf: counts.of,
    store: state.section("watches", storedWatchSchema),
    modelFor: detectorFor,
    classesOf: classesOfDetector,
  });
  stops.add(() => watches.close());
  const alerts = createAlertRouter({
    ...common,
    nameOf: names.nameOf,
    redact,
    quiet,
    ...(check && { check }),
    decisions,
    onDecision: counts.note,
    pipelines,
    findWatch: (id) => watches.find(id),
    events,
    channels,
    log,
  });
  stops.add(() => alerts.close());
  stops.add(() => scene.close());
  stops.add(recordFirings({ watches, pipelines, log: events, clock }));
  const why = createExplain({
    ...{ watches, alerts, events, trace, quiet, modes, timeZone, clock },
    placeOf: placeFinder(places),
  });
  return { events, trace, watches, alerts, modes, why };
}

export function placeFinder(places: Pick<PlaceStore, "find">): PlaceFinder {
  return ((camera, kind, name) => {
    const place = places.find(camera, name);
    return place?.kind === kind ? place : undefined;
  }) as PlaceFinder;
}
