// backends → pipelines → scene events → watches → alerts: the SEE road of this app
import { type Redactor, randomIds, systemClock } from "@vision-agent/agent-core";
import type { PipelineLedger } from "@vision-agent/inference-client";
import * as engine from "@vision-agent/vision-engine";
import type { AlertRouterOptions } from "./alerts/route-alert.ts";
import { createWatchTest, type TestWatch } from "./alerts/test-watch.ts";
import { createPipelineLedger } from "./backends/pipeline-ledger.ts";
import type { AppContext } from "./open-app-context.ts";
import { type OpenBackends, openBackends } from "./open-backends.ts";
import { type OpenRecordings, openRecordings, recordedCameraSchema } from "./open-recordings.ts";
import { openWatching, placeFinder, type Watching } from "./open-watching.ts";
import { type ActiveState, createActiveState } from "./pipelines/active-state.ts";
import { followCountedPlaces } from "./pipelines/counted-places.ts";
import { detectorFor } from "./pipelines/detector-for.ts";
import { createPipelineRegistry, type PipelineRegistry } from "./pipelines/pipeline-registry.ts";
import { seenOnClip, seenOnFootage } from "./replay/clip-frames.ts";
import { createReplay, type ReplayWatch } from "./replay/create-replay.ts";
import { tracedInputs } from "./scene/replay-trace.ts";
import type { StopList } from "./stop-list.ts";
import { boundPicture } from "./store/bound-picture.ts";
import { takeSnapshot } from "./tools/look-at-camera.ts";
import { resizePicture } from "./tools/resize-picture.ts";
import { reasonOf } from "./workspace/kinded-error.ts";
import { nodeFiles } from "./workspace/node-files.ts";

/** The SEE road: backends, pipelines, events, alerts. */
export interface VisionServices extends Watching {
  readonly seeing: OpenBackends;
  readonly ledger: PipelineLedger;
  readonly state: ActiveState;
  readonly pipelines: PipelineRegistry;
  readonly testWatch: TestWatch;
  readonly replayWatch: ReplayWatch;
  readonly recordings: OpenRecordings;
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
  const state = createActiveState({
    files: nodeFiles,
    path: workspace.path("active_state.json"),
    now: systemClock.now,
  });
  const recordings = await openRecordings(
    context,
    // Asked only once the pipelines are there.
    { store: state.section("recording", recordedCameraSchema), reopen: (camera) => pipelines.reopen(camera) },
    stops,
  );
  const seeing = await openBackends({
    recordTo: recordings.recordTo,
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
  const shrink = (bytes: Uint8Array): Promise<Uint8Array> => boundPicture(bytes, resizePicture);
  const watching = await openWatching(
    {
      ...common,
      redact,
      pipelines,
      cameras,
      names: context.names,
      places: context.places,
      state,
      files: nodeFiles,
      path: workspace.path,
      keep: {
        pictures: artifacts,
        indexPath: workspace.path(".index", "events.sqlite"),
        shrink,
        keepDays: config.events.keepDays,
        maxBytes: config.events.maxMegabytes * 1e6,
        traceHours: config.events.traceHours,
        traceBytes: config.events.traceMegabytes * 1e6,
      },
      channels: [],
      ...(check && { check }),
      timeZone: context.timeZone,
      location: config.location,
    },
    stops,
  );
  const followPlaces = (): void => {
    followCountedPlaces({ pipelines, places: context.places }).catch((error: unknown) =>
      common.onProblem(`A count did not follow its place: ${reasonOf(error)}`),
    );
  };
  stops.add(context.places.onChange(followPlaces));
  const { capture } = seeing;
  const maxEdge = config.monitoring.resultImageMaxDimension;
  const testWatch = createWatchTest({
    ...watching,
    cameras,
    artifacts,
    shrink,
    snapshot: (camera, signal) => takeSnapshot({ pipelines, capture, maxEdge }, camera, signal),
  });
  const replayWatch = createReplay({
    ...watching,
    timeZone: context.timeZone,
    location: config.location,
    placeOf: placeFinder(context.places),
    seenIn: (period) => tracedInputs(watching.trace, period),
    seenOn: (clip) => seenOnClip(seeing, clip),
    piecesIn: recordings.piecesIn,
    seenOnFootage: (run) => seenOnFootage(seeing, run),
    clipModel: detectorFor(""),
    clock: systemClock,
  });
  return { seeing, ledger, state, pipelines, testWatch, replayWatch, recordings, ...watching };
}
