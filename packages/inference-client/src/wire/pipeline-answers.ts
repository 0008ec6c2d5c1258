// answers of hosted pipelines → typed reports and results
import { z } from "zod";
import { redact } from "../redact.ts";
import type { ImageSize } from "./inference-answer.ts";
import { optional, parseAnswer } from "./parse-answer.ts";
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

export interface PipelineUpdate {
  readonly severity: "debug" | "info" | "warning" | "error";
  /** For example `SOURCE_STATE_UPDATE` or `INFERENCE_ERROR`. */
  readonly type: string;
  /** The error's own words, redacted; undefined for other events. */
  readonly error?: string;
}

export interface PipelineSourceReport {
  readonly sourceId: number | undefined;
  /** Undefined for a state that no known version has. */
  readonly state: SourceState | undefined;
  readonly size: ImageSize | undefined;
  readonly fps: number | undefined;
  readonly isFile: boolean;
  /** Only for files. */
  readonly totalFrames: number | undefined;
  /** Frames through the workflow (servers since 1.8): a sign of life. */
  readonly completedFrames: number | undefined;
  readonly lastFrameId: number | undefined;
  /** From the frame's time to its result, the mean of the last 64; meaningless for files. */
  readonly latencyMs: number | undefined;
}

export interface PipelineReport {
  /** Empty for what a failed initialise leaves behind. */
  readonly sources: readonly PipelineSourceReport[];
  readonly updates: readonly PipelineUpdate[];
}

export interface ConsumedFrame {
  readonly sourceId: number;
  readonly frameId: number;
  /** ISO 8601; for files it starts at the file's own date. */
  readonly timestamp: string;
  readonly outputs: SerialisedOutputs;
}

export interface ConsumedResult {
  /** One entry for each source; undefined where that source had no frame. */
  readonly frames: readonly (ConsumedFrame | undefined)[];
}

const NO_ERROR = { error_type: undefined, error_message: undefined };
const startedSchema = z.object({ context: z.object({ pipeline_id: z.string() }) });
const listSchema = z.object({ pipelines: z.array(z.string()) });
const statusSchema = z.object({
  report: z.object({
    video_source_status_updates: z.array(
      z.object({
        severity: z.number(),
        event_type: z.string(),
        payload: z
          .object({ error_type: optional(z.string()), error_message: optional(z.string()) })
          .catch(() => NO_ERROR), // An event of another kind, which carries no error.
      }),
    ),
    latency_reports: z
      .array(z.object({ source_id: optional(z.number()), e2e_latency: optional(z.number()) }))
      .catch([]),
    sources_metadata: z.array(
      z.object({
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
      }),
    ),
    completion_statistics: optional(
      z.object({
        sources: z.array(
          z.object({
            source_id: optional(z.number()),
            completed_frames: optional(z.number()),
            last_frame_id: optional(z.number()),
          }),
        ),
      }),
    ),
  }),
});
const consumeSchema = z.object({
  outputs: z.array(z.record(z.string(), z.unknown()).nullable()),
  frames_metadata: z.array(
    z.object({ frame_timestamp: z.string(), frame_id: z.number(), source_id: optional(z.number()) }).nullable(),
  ),
});

/** The server's id stands in the context, not at the top. */
export function parsePipelineId(answer: unknown): string {
  return parseAnswer(startedSchema, answer, "initialise of a pipeline").context.pipeline_id;
}

export function parsePipelineList(answer: unknown): readonly string[] {
  return parseAnswer(listSchema, answer, "the list of pipelines").pipelines;
}

export function parsePipelineReport(answer: unknown): PipelineReport {
  const { report } = parseAnswer(statusSchema, answer, "the status of a pipeline");
  const completed = report.completion_statistics?.sources ?? [];
  return {
    updates: report.video_source_status_updates.map(({ severity, event_type, payload }) => {
      const { error_type: kind, error_message: words } = payload;
      const error = [kind, words].filter((part) => part !== undefined).join(": ");
      return {
        severity: severityOf(severity),
        type: event_type,
        ...(error !== "" && { error: redact(String(error)) }),
      };
    }),
    sources: report.sources_metadata.map(({ source_id: sourceId, state, source_properties: properties }) => {
      const done = completed.find((one) => one.source_id === sourceId);
      const latency = report.latency_reports.find((one) => one.source_id === sourceId)?.e2e_latency;
      const isFile = properties?.is_file === true;
      return {
        sourceId,
        state: SOURCE_STATES.find((known) => known === state),
        size: sizeOf(properties?.width, properties?.height),
        fps: properties?.fps,
        isFile,
        totalFrames: isFile && (properties?.total_frames ?? 0) > 0 ? properties?.total_frames : undefined,
        completedFrames: done?.completed_frames,
        lastFrameId: done?.last_frame_id,
        latencyMs: latency === undefined ? undefined : latency * 1000,
      };
    }),
  };
}

/** Undefined when nothing is ready. */
export function parseConsumed(answer: unknown): ConsumedResult | undefined {
  const { outputs, frames_metadata: metadata } = parseAnswer(consumeSchema, answer, "a consumed result");
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
  return frames.length === 0 ? undefined : { frames };
}

/** Servers write their own time without a zone; it is taken as UTC. */
function toIsoTime(text: string): string {
  const withZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
  const ms = Date.parse(withZone);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

function severityOf(level: number): PipelineUpdate["severity"] {
  if (level >= 40) return "error";
  if (level >= 30) return "warning";
  return level >= 20 ? "info" : "debug";
}

function sizeOf(width: number | undefined, height: number | undefined): ImageSize | undefined {
  return width === undefined || height === undefined ? undefined : { width, height };
}
