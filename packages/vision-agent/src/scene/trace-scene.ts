// results and states of pipelines → the trace, until closed
import type { Clock } from "@vision-agent/agent-core";
import type { FrameResult, Json, PipelineStatus } from "@vision-agent/protocol";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { SceneTrace } from "../store/scene-trace.ts";
import type { TracedFrame, TracedState } from "../store/trace-line.ts";
import { trackedIn } from "./recognize-tracks.ts";
import { narrownessOf, thresholdOf } from "./scene-interest.ts";

const LONGEST_TEXT = 60;

/** Returns the way to stop, which may be called twice. */
export function traceScene(options: {
  readonly pipelines: Pick<PipelineRegistry, "onResult" | "onChange" | "definition">;
  readonly trace: Pick<SceneTrace, "note" | "noteState">;
  readonly clock: Pick<Clock, "now">;
}): () => void {
  const { pipelines, trace, clock } = options;
  let known = new Map<string, { readonly state: TracedState; readonly key: string }>();
  const takeStates = (statuses: readonly PipelineStatus[]): void => {
    const atMs = clock.now();
    const now = new Map(
      statuses.map((status) => {
        const state = toState(status, known.get(status.pipeline_id)?.state, { pipelines, atMs });
        return [status.pipeline_id, { state, key: JSON.stringify({ ...state, atMs: 0 }) }];
      }),
    );
    for (const [id, { state, key }] of now) if (known.get(id)?.key !== key) trace.noteState(state);
    for (const [id, { state }] of known) if (!now.has(id)) trace.noteState({ ...state, atMs, status: "stopped" });
    known = now;
  };
  const leave = [
    pipelines.onResult((status, result) => trace.note(toTracedFrame(status, result))),
    pipelines.onChange(takeStates),
  ];
  return () => {
    for (const stop of leave) stop();
  };
}

function toState(
  { pipeline_id, name, video_reference, status, health }: PipelineStatus,
  known: Pick<TracedState, "threshold" | "narrowness"> | undefined,
  { pipelines, atMs }: { readonly pipelines: Pick<PipelineRegistry, "definition">; readonly atMs: number },
): TracedState {
  const { threshold, narrowness } = known ?? scoresOf(pipelines.definition(pipeline_id));
  return {
    camera: video_reference,
    atMs,
    pipelineId: pipeline_id,
    pipelineName: name,
    status,
    health: health?.state,
    threshold,
    narrowness,
  };
}

function scoresOf({ spec }: Pick<ReturnType<PipelineRegistry["definition"]>, "spec">) {
  return { threshold: thresholdOf(spec), narrowness: narrownessOf(spec) };
}

function toTracedFrame({ pipeline_id, video_reference }: PipelineStatus, result: FrameResult): TracedFrame {
  const { width, height, timestamp } = result.frame;
  const values = Object.entries(result.outputs).flatMap(([name, output]) =>
    output.kind === "value" && isShort(output.value) ? [[name, output.value] as const] : [],
  );
  return {
    camera: video_reference,
    atMs: Date.parse(timestamp),
    pipelineId: pipeline_id,
    width,
    height,
    things: trackedIn(result)?.map(({ trackerId, className, confidence, colour, box: [left, top, right, bottom] }) => ({
      trackerId,
      className,
      confidence,
      ...(colour && { colour }),
      box: [left / width, top / height, right / width, bottom / height],
    })),
    weak: (result.weak ?? []).map(({ class_name, confidence, box }) => ({ className: class_name, confidence, box })),
    ...(result.moving !== undefined && { moving: result.moving }),
    values: Object.fromEntries(values),
  };
}

function isShort(value: Json): boolean {
  return typeof value === "number" || typeof value === "boolean" || String(value).length <= LONGEST_TEXT;
}
