// events + alerts + failures since a time → what is new on real cameras, in lines
import type { Clock } from "@vision-agent/agent-core";
import type { Alert, PipelineStatus, SceneEvent } from "@vision-agent/protocol";
import type { AlertRouter } from "../alerts/route-alert.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { SceneEventLog } from "../store/open-scene-event-log.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";

export interface NewsLogOptions {
  readonly events: Pick<SceneEventLog, "list">;
  readonly alerts: Pick<AlertRouter, "list">;
  readonly pipelines: Pick<PipelineRegistry, "onChange">;
  readonly cameras: Pick<CameraRegistry, "find">;
  readonly clock: Pick<Clock, "now">;
  /** An event that the detector is less sure of is no news, 0 to 1. */
  readonly escalationConfidence: number;
}

export interface NewsLog {
  /** One line each, worst first; none when nothing happened. A simulated scene makes no news: it never rests. */
  since(ms: number): readonly string[];
  /** May be called twice. */
  close(): void;
}

interface Failure {
  readonly sinceMs: number;
  readonly line: string;
}

const MOST_EVENTS = 1000;
const MOST_ALERTS = 100;
const MOST_LINES = 30;

export function createNewsLog(options: NewsLogOptions): NewsLog {
  const { events, alerts, pipelines, cameras, clock, escalationConfidence } = options;
  const isRealCamera = (camera: string): boolean => !/^sim:/i.test(cameras.find(camera)?.address ?? camera);
  let failures: ReadonlyMap<string, Failure> = new Map();
  const close = pipelines.onChange((statuses) => {
    const real = statuses.filter(({ video_reference }) => isRealCamera(video_reference));
    failures = followFailures(failures, real, clock.now());
  });

  return {
    since(ms) {
      const from = new Date(ms).toISOString();
      const failed = [...failures.values()].filter(({ sinceMs }) => sinceMs >= ms).map(({ line }) => line);
      // What the agent itself told has no event: a check would wake the next one.
      const told = alerts
        .list(MOST_ALERTS)
        .filter((alert) => alert.event_id !== undefined && alert.timestamp >= from && isRealCamera(alert.camera));
      const seen = events
        .list({ from, limit: MOST_EVENTS })
        .filter(({ camera, confidence = 1 }) => confidence >= escalationConfidence && isRealCamera(camera));
      const lines = [...failed, ...told.map(toAlertLine), ...toEventLines(seen)];
      const rest = lines.length - MOST_LINES;
      return rest > 0 ? [...lines.slice(0, MOST_LINES), `and ${rest} more; search_events has them`] : lines;
    },
    close,
  };
}

/** A pipeline that tries again and again fails once, until it has run or is gone. */
function followFailures(
  before: ReadonlyMap<string, Failure>,
  statuses: readonly PipelineStatus[],
  nowMs: number,
): ReadonlyMap<string, Failure> {
  return new Map(
    statuses.flatMap(({ pipeline_id: id, name, video_reference, status, reason }): readonly [string, Failure][] => {
      const known = status === "running" ? undefined : before.get(id);
      if (known !== undefined) return [[id, known]];
      if (status !== "failed") return [];
      const line = `${new Date(nowMs).toISOString()} the pipeline ${name} on ${video_reference} failed: ${reason ?? ""}`;
      return [[id, { sinceMs: nowMs, line }]];
    }),
  );
}

function toAlertLine({ timestamp, severity, text }: Alert): string {
  return `${timestamp} the person was told (${severity}): ${text}`;
}

/** Many of one kind are one line. */
function toEventLines(events: readonly SceneEvent[]): readonly string[] {
  const groups = Map.groupBy(events, ({ camera, kind, class_name = "" }) => `${camera}: ${kind} ${class_name}`.trim());
  return [...groups].map(([what, [newest, ...others]]) => {
    const times = others.length > 0 ? ` ${others.length + 1} times, the last` : "";
    return `${what}${times} at ${newest?.timestamp}: ${newest?.text}`;
  });
}
