// backends → pipelines → scene events → watches → alerts: the SEE road of this app
import { type Redactor, randomIds, systemClock } from "@vision-agent/agent-core";
import type { PipelineLedger } from "@vision-agent/inference-client";
import { alertSchema, type Watch } from "@vision-agent/protocol";
import * as engine from "@vision-agent/vision-engine";
import { alertDecisionSchema } from "./alerts/alert-decision.ts";
import { type AlertRouter, type AlertRouterOptions, createAlertRouter } from "./alerts/route-alert.ts";
import { openWatchCounts, storedCountsSchema } from "./alerts/watch-counts.ts";
import { createPipelineLedger } from "./backends/pipeline-ledger.ts";
import type { AppContext } from "./open-app-context.ts";
import { type OpenBackends, openBackends } from "./open-backends.ts";
import { type ActiveState, createActiveState } from "./pipelines/active-state.ts";
import { classesOfDetector, detectorFor } from "./pipelines/detector-for.ts";
import { createPipelineRegistry, type PipelineRegistry } from "./pipelines/pipeline-registry.ts";
import { openScene } from "./scene/open-scene.ts";
import type { StopList } from "./stop-list.ts";
import { boundPicture } from "./store/bound-picture.ts";
import { openBoundedLog } from "./store/bounded-log.ts";
import { type OpenSceneEventLog, openSceneEventLog } from "./store/open-scene-event-log.ts";
import { resizePicture } from "./tools/resize-picture.ts";
import { storedWatchSchema } from "./watches/camera-assignments.ts";
import type { PlaceFinder } from "./watches/condition-reading.ts";
import { type Modes, openModes, storedModeSchema } from "./watches/open-modes.ts";
import { recordFirings } from "./watches/record-firings.ts";
import { createWatchRegistry, type WatchRegistry } from "./watches/watch-registry.ts";
import { type QuietReason, quietReason } from "./watches/watch-times.ts";
import { nodeFiles } from "./workspace/node-files.ts";

const MOST_ALERTS = 5000;
const MOST_DECISIONS = 5000;

/** The SEE road: backends, pipelines, events, alerts. */
export interface VisionServices {
  readonly seeing: OpenBackends;
  readonly ledger: PipelineLedger;
  readonly state: ActiveState;
  readonly pipelines: PipelineRegistry;
  readonly events: OpenSceneEventLog;
  readonly watches: WatchRegistry;
  readonly alerts: AlertRouter;
  readonly modes: Modes;
}

export interface VisionServicesOptions extends Pick<AlertRouterOptions, "check"> {
  /** Takes out what must never be written down. */
  readonly redact: Redactor["display"];
}

export async function openVisionServices(
  context: AppContext,
  { redact, check }: VisionServicesOptions,
  stops: StopList,
): Promise<VisionServices> {
  const { workspace, config, cameras, artifacts } = context;
  const common = { clock: systemClock, ids: randomIds, onProblem: context.onNotice };
  const ledger = createPipelineLedger({
    files: nodeFiles,
    path: workspace.path("server_pipelines.json"),
    now: systemClock.now,
    onProblem: common.onProblem,
  });
  const seeing = await openBackends({
    config: config.inference,
    sinks: config.sinks,
    env: context.env,
    files: nodeFiles,
    path: workspace.path,
    ledger,
    credentials: context.credentials,
    masks: context.masks,
    egress: context.egress,
    onNotice: common.onProblem,
  });
  stops.add(() => seeing.close());
  const state = createActiveState({
    files: nodeFiles,
    path: workspace.path("active_state.json"),
    now: systemClock.now,
  });
  const pipelines = createPipelineRegistry({
    ...common,
    backends: seeing.backends,
    cameras,
    state,
    workflows: engine,
    admit: context.admission.pipeline,
  });
  stops.add(() => pipelines.close());
  stops.add(context.masks.onChange((camera) => pipelines.reopen(camera)));
  const log = await openBoundedLog({
    files: nodeFiles,
    redact,
    path: workspace.path("events", "alerts.jsonl"),
    schema: alertSchema,
    maxEntries: MOST_ALERTS,
  });
  const events = await openSceneEventLog({
    ...common,
    timeZone: context.timeZone,
    indexPath: workspace.path(".index", "events.sqlite"),
    alertPictures: () => new Set(log.entries().flatMap(({ picture }) => picture ?? [])),
    shrink: (bytes) => boundPicture(bytes, resizePicture),
    keepDays: config.events.keepDays,
    maxBytes: config.events.maxMegabytes * 1e6,
    files: nodeFiles,
    redact,
    folder: workspace.path("events"),
    pictures: artifacts,
  });
  stops.add(() => events.close());
  const scene = openScene({ pipelines, log: events, clock: systemClock });
  const { timeZone } = context;
  const { location } = config;
  const times = { timeZone, location };
  const modes = await openModes({ ...times, store: state.section("mode", storedModeSchema), clock: systemClock });
  const quiet = (watch: Watch, ms: number): QuietReason | undefined =>
    quietReason(watch, ms, { ...times, mode: modes.current().mode });
  const decisions = await openBoundedLog({
    files: nodeFiles,
    redact,
    path: workspace.path("events", "decisions.jsonl"),
    schema: alertDecisionSchema,
    maxEntries: MOST_DECISIONS,
  });
  const counts = await openWatchCounts(
    { ...common, timeZone, now: systemClock.now, store: state.section("watch_counts", storedCountsSchema) },
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
    places: { placeOf: placeFinder(context.places), onChange: (listener) => context.places.onChange(listener) },
    hasLocation: location !== undefined,
    countsOf: counts.of,
    store: state.section("watches", storedWatchSchema),
    modelFor: detectorFor,
    classesOf: classesOfDetector,
  });
  stops.add(() => watches.close());
  const findWatch = (id: string): Watch | undefined => watches.list().find((watch) => watch.id === id);
  const alerts = createAlertRouter({
    ...common,
    redact,
    quiet,
    ...(check && { check }),
    decisions,
    onDecision: counts.note,
    pipelines,
    findWatch,
    events,
    channels: [],
    log,
  });
  stops.add(() => alerts.close());
  stops.add(() => scene.close());
  stops.add(recordFirings({ watches, pipelines, log: events, clock: systemClock }));
  return { seeing, ledger, state, pipelines, events, watches, alerts, modes };
}

function placeFinder(places: AppContext["places"]): PlaceFinder {
  return ((camera, kind, name) => {
    const place = places.find(camera, name);
    return place?.kind === kind ? place : undefined;
  }) as PlaceFinder;
}
