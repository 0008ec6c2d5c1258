// answers of hosted pipelines → typed reports and results
import { z } from "zod";
import { redact } from "../redact.ts";
import { optional } from "./parse-answer.ts";
import type { SerialisedOutputs } from "./to-outputs.ts";

const SOURCE_STATES = [
  "NOT_STARTED",
  "INITIALISING",
  "RESTARTING",
  "RUNNING",
  "PAUSED",
  "MUTED",
  "TERMINATING",
  "ENDED",
  "ERROR",
] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

const NO_ERROR = { error_type: undefined, error_message: undefined };
const updateSchema = z
  .object({
    severity: z.number(),
    event_type: z.string(),
    // An event of another kind carries no error.
    payload: z.object({ error_type: optional(z.string()), error_message: optional(z.string()) }).catch(() => NO_ERROR),
  })
  .transform(({ severity, event_type, payload: { error_type: kind, error_message: words } }) => {
    const error = [kind, words].filter((part) => part !== undefined).join(": ");
    return {
      severity: severityOf(severity),
      /** For example `SOURCE_STATE_UPDATE` or `INFERENCE_ERROR`. */
      type: event_type,
      /** The error's own words, redacted; undefined for other events. */
      error: error === "" ? undefined : redact(error),
    };
  });

const sourceSchema = z.object({
  source_id: optional(z.number()),
  state: z.string().nullish(),
  source_properties: optional(
    z.object({
      width: optional(z.number()),
      height: optional(z.number()),
      fps: optional(z.number()),
      is_file: optional(z.boolean()),
      total_frames: optional(z.number()),
    }),
  ),
});
const latencySchema = z.object({ source_id: optional(z.number()), e2e_latency: optional(z.number()) });
const completionSchema = z.object({
  source_id: optional(z.number()),
  completed_frames: optional(z.number()),
  last_frame_id: optional(z.number()),
});

/** The server's own report on a pipeline. */
export const pipelineReportSchema = z
  .object({
    report: z.object({
      video_source_status_updates: z.array(updateSchema),
      latency_reports: z.array(latencySchema).catch([]),
      sources_metadata: z.array(sourceSchema),
      completion_statistics: optional(z.object({ sources: z.array(completionSchema) })),
    }),
  })
  .transform(({ report }) => ({
    updates: report.video_source_status_updates,
    /** Empty for what a failed initialise leaves behind. */
    sources: report.sources_metadata.map(({ source_id: sourceId, state, source_properties: properties = {} }) => {
      const done = report.completion_statistics?.sources.find((one) => one.source_id === sourceId);
      const latency = report.latency_reports.find((one) => one.source_id === sourceId)?.e2e_latency;
      const { width, height, fps, is_file: isFile = false, total_frames: total = 0 } = properties;
      return {
        sourceId,
        /** Undefined for a state that no known version has. */
        state: SOURCE_STATES.find((known) => known === state),
        size: width === undefined || height === undefined ? undefined : { width, height },
        fps,
        isFile,
        /** Only for files. */
        totalFrames: isFile && total > 0 ? total : undefined,
        /** Frames through the workflow (servers since 1.8): a sign of life. */
        completedFrames: done?.completed_frames,
        lastFrameId: done?.last_frame_id,
        /** From the frame's time to its result, the mean of the last 64; meaningless for files. */
        latencyMs: latency === undefined ? undefined : latency * 1000,
      };
    }),
  }));
export type PipelineReport = z.output<typeof pipelineReportSchema>;

export interface ConsumedFrame {
  readonly sourceId: number;
  readonly frameId: number;
  /** ISO 8601; for files it starts at the file's own date. */
  readonly timestamp: string;
  readonly outputs: SerialisedOutputs;
}

/** What is taken from a pipeline; undefined when nothing is ready. */
export const consumedSchema = z
  .object({
    outputs: z.array(z.record(z.string(), z.unknown()).nullable()),
    frames_metadata: z.array(
      z.object({ frame_timestamp: z.string(), frame_id: z.number(), source_id: optional(z.number()) }).nullable(),
    ),
  })
  .transform(({ outputs, frames_metadata: metadata }) => {
    const frames = outputs.map((values, at): ConsumedFrame | undefined => {
      const frame = metadata[at];
      if (values === null || frame === null || frame === undefined) return undefined;
      return {
        sourceId: frame.source_id ?? at,
        frameId: frame.frame_id,
        timestamp: toIsoTime(frame.frame_timestamp),
        outputs: values as SerialisedOutputs,
      };
    });
    /** One entry for each source; undefined where that source had no frame. */
    return frames.length === 0 ? undefined : { frames };
  });
export type ConsumedResult = NonNullable<z.output<typeof consumedSchema>>;

/** Servers write their own time without a zone; it is taken as UTC. */
function toIsoTime(text: string): string {
  const withZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
  const ms = Date.parse(withZone);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

function severityOf(level: number): "debug" | "info" | "warning" | "error" {
  if (level >= 40) return "error";
  if (level >= 30) return "warning";
  return level >= 20 ? "info" : "debug";
}
