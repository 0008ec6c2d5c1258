// a watch, its pipelines and the time → the one state that every interface shows
import type { PipelineStatus, Watch, WatchReport } from "@vision-agent/protocol";
import { runningRateDoubt } from "../pipelines/rate-doubt.ts";
import { formatTime } from "../workspace/format-time.ts";
import { partsOf } from "./condition-interests.ts";
import type { QuietReason } from "./watch-times.ts";

/** The pipeline of a watch on one camera; undefined when it has none. */
export interface WatchedThrough {
  readonly camera: string;
  readonly pipeline: PipelineStatus | undefined;
  /** Why it has none. */
  readonly reason: string | undefined;
}

/** Blind goes before the rest: who is muted or asleep still wants to know of it. */
export function watchState(
  watch: Pick<Watch, "enabled" | "muted_until" | "condition">,
  through: readonly WatchedThrough[],
  now: { readonly ms: number; readonly timeZone: string; readonly quiet: QuietReason | undefined },
): WatchReport["state"] {
  if (!watch.enabled) return { kind: "off", text: "off" };
  const blind = through.flatMap((one) => blindReason(one) ?? []);
  if (blind.length > 0) return { kind: "blind", text: `blind: ${blind.join(" ")}` };
  const { muted_until: until } = watch;
  if (until !== undefined && Date.parse(until) > now.ms) {
    const time = formatTime(until, { nowMs: now.ms, timeZone: now.timeZone });
    return { kind: "muted", text: `muted until ${time}`, until };
  }
  if (now.quiet) return { kind: "outside_hours", text: `quiet now: it tells ${now.quiet.text}` };
  const counts = partsOf(watch.condition).some(({ condition }) => condition.kind === "crosses");
  const doubts = counts ? through.flatMap(({ camera, pipeline }) => runningRateDoubt(camera, pipeline) ?? []) : [];
  return { kind: "on", text: doubts.length === 0 ? "on" : `on, but ${doubts.join(" ")}` };
}

const OVER: Partial<Record<PipelineStatus["status"], string>> = {
  paused: "its pipeline is paused.",
  ended: "its pipeline has ended.",
  stopped: "its pipeline was stopped.",
};
function blindReason({ camera, pipeline, reason }: WatchedThrough): string | undefined {
  if (pipeline === undefined) return `${camera}: ${reason ?? "its pipeline was stopped."}`;
  const { status, health } = pipeline;
  const over = OVER[status];
  if (over !== undefined) return `${camera}: ${over}`;
  if (status === "failed" || status === "reconnecting") {
    return `${camera}: the camera gives no pictures${pipeline.reason ? `: ${pipeline.reason}` : "."}`;
  }
  // A camera that was moved still sees, though perhaps not its zones.
  return health && health.state !== "moved" ? `${camera}: ${health.message}` : undefined;
}
