// a watch, its pipelines and places → what every interface shows of it
import type { PipelineStatus, Watch, WatchReport } from "@vision-agent/protocol";
import type { CameraAssignment } from "./camera-assignments.ts";
import { thingsIn } from "./check-request.ts";
import { camerasOf, placesOn } from "./condition-interests.ts";
import type { PlaceFinder } from "./condition-reading.ts";
import { type WatchedThrough, watchState } from "./watch-state.ts";
import type { QuietReason } from "./watch-times.ts";

const NONE = { seen: 0, suppressed: 0, sent: 0 } as const;
const NOTHING_COUNTED: WatchReport["counts"] = { today: NONE, total: NONE };

/** A watch as it runs. */
export interface RunningWatch {
  readonly watch: Watch;
  readonly assignments: readonly CameraAssignment[];
}

export interface ReportContext {
  readonly pipelines: readonly PipelineStatus[];
  readonly placeOf: PlaceFinder;
  readonly nowMs: number;
  /** IANA name, for times in words. Default UTC. */
  readonly timeZone?: string | undefined;
  /** Why a watch does not tell at a time; undefined when it does. Default: every watch always tells. */
  readonly quiet?: ((watch: Watch, ms: number) => QuietReason | undefined) | undefined;
  /** How much a watch saw and sent. Default: nothing. */
  readonly countsOf?: ((id: string) => WatchReport["counts"]) | undefined;
}

export function reportWatch({ watch, assignments }: RunningWatch, context: ReportContext): WatchReport {
  const { placeOf, nowMs, timeZone = "UTC", quiet, countsOf } = context;
  const statuses = new Map(context.pipelines.map((status) => [status.pipeline_id, status]));
  const through = assignments.map(({ camera, pipelineId, reason }) => ({
    camera,
    pipeline: statuses.get(pipelineId ?? ""),
    reason,
  }));
  return {
    ...watch,
    state: watchState(watch, [...through, ...lostPlaces(watch, placeOf), ...withoutColours(watch, through)], {
      ...{ ms: nowMs, timeZone },
      quiet: quiet?.(watch, nowMs),
    }),
    counts: countsOf?.(watch.id) ?? NOTHING_COUNTED,
    pipelines: through.map(({ camera, pipeline, reason }) => {
      const why = reason ?? pipeline?.reason ?? (pipeline || !watch.enabled ? undefined : "Its pipeline was stopped.");
      return { camera, pipeline_id: pipeline?.pipeline_id, status: pipeline?.status, reason: why };
    }),
  };
}

/** Pixels are looked at on this machine alone. */
function withoutColours(watch: Watch, through: readonly WatchedThrough[]): readonly WatchedThrough[] {
  if (thingsIn(watch).every(({ colour }) => colour === undefined)) return [];
  return through
    .filter(({ pipeline }) => pipeline !== undefined && pipeline.backend !== "direct")
    .map(({ camera, pipeline }) => ({
      camera,
      pipeline: undefined,
      reason: `colours are told only by pipelines on this machine, and this one runs on ${pipeline?.backend}.`,
    }));
}

/** A person may have taken a place out of the file. */
function lostPlaces(watch: Watch, placeOf: PlaceFinder): readonly WatchedThrough[] {
  return camerasOf(watch).flatMap((camera) =>
    placesOn(watch, camera)
      .filter(({ kind, name }) => placeOf(camera, kind, name) === undefined)
      .map(({ kind, name }) => ({
        camera,
        pipeline: undefined,
        reason: `there is no ${kind} called ${name} any more.`,
      })),
  );
}
