// a hosted pipeline → the report of its status
import type { Json } from "@vision-agent/protocol";
import type { SimulatedPipeline } from "./hosted-pipeline.ts";
import { type FakeSettings, isBefore18 } from "./settings.ts";
import type { SourceRun } from "./source-run.ts";

/** What OpenCV says of a stream without an end; outside the safe integers of JavaScript. */
const NO_TOTAL = -(2 ** 63);

/** `pipeline` is undefined for the id that a failed initialise left behind. */
export function toReport(pipeline: SimulatedPipeline | undefined, settings: FakeSettings, now: number): Json {
  const sources = pipeline?.sources ?? [];
  const statistics = { sampled_at_monotonic: now / 1000, sources: sources.map((source) => completion(source, now)) };
  return {
    video_source_status_updates: pipeline?.events.map((event) => ({ ...event })) ?? [],
    latency_reports: sources.map((source) => latency(source, settings)),
    inference_throughput: pipeline?.throughput ?? 0,
    sources_metadata: sources.map(metadata),
    ...(isBefore18(settings) ? {} : { completion_statistics: statistics }),
  };
}

function completion(source: SourceRun, now: number): Json {
  const hasFrames = source.completed > 0;
  return {
    source_id: source.id,
    completed_frames: source.completed,
    last_completed_at_monotonic: hasFrames ? now / 1000 : null,
    last_frame_id: source.lastFrame ?? null,
  };
}

function latency(source: SourceRun, settings: FakeSettings): Json {
  const seconds = settings.inferenceMs / 1000;
  const known = source.completed > 0;
  return {
    source_id: source.id,
    frame_decoding_latency: known ? 0.1 : null,
    inference_latency: known ? seconds : null,
    e2e_latency: known ? seconds + 0.1 : null,
  };
}

function metadata(source: SourceRun): Json {
  const { video } = source;
  const properties = video && {
    width: video.width,
    height: video.height,
    total_frames: video.isFile ? video.frames : NO_TOTAL,
    is_file: video.isFile,
    fps: video.fps,
    is_reconnectable: null,
    timestamp_created: video.isFile ? "2026-01-01T00:00:00" : null,
  };
  return {
    source_properties: properties ?? null,
    source_reference: source.reference,
    buffer_size: source.reading.bufferSize,
    state: source.state,
    buffer_filling_strategy: source.reading.filling,
    buffer_consumption_strategy: source.reading.consumption,
    source_id: source.id,
  };
}
