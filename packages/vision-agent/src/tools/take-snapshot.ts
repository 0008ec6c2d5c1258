// camera → what it shows now: from the pipeline that runs there, else by opening the camera once
import type { Picture } from "@vision-agent/vision-engine";
import type { Capture } from "../backends/still-picture.ts";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";

export interface SnapshotOptions {
  readonly pipelines: Pick<PipelineRegistry, "onCamera" | "picture">;
  readonly capture: Capture;
  /** Longest side in pixels of a running pipeline's picture. */
  readonly maxEdge: number;
}

/** Throws what `capture` throws. */
export async function takeSnapshot(
  { pipelines, capture, maxEdge }: SnapshotOptions,
  { name, address }: { readonly name: string; readonly address: string },
  signal: AbortSignal,
): Promise<Picture> {
  const running = pipelines.onCamera(name);
  const seen = running && (await pipelines.picture(running.pipeline_id, { maxEdge }));
  return seen ?? (await capture(address, name, signal));
}
