// camera + workflow → start_pipeline, once
import type { WorkflowSpec } from "@vision-agent/protocol";
import { parseFrameSize } from "../../../tools/capture-frame.ts";
import { type PipelineLine, parsePipelineLines } from "../../../tools/pipeline-lines.ts";
import { evidence } from "../answers/evidence.ts";
import type { Place } from "../slots/find-places.ts";
import { callOne, type PlannedCall, type Steps, type ToolAnswer } from "./plan.ts";

const LONGEST_NAME = 64;

export interface Start {
  readonly camera: string;
  readonly name: string;
  readonly fps?: number;
  readonly alertOn?: string;
  /** Inline, or what names it elsewhere: `model_id`, `workflow_id`. */
  readonly run: { readonly workflow_spec: WorkflowSpec } | { readonly [key: string]: string };
}

/** What runs, read back; or why it does not. */
export type Started =
  | { readonly ok: true; readonly line: PipelineLine; readonly answer: ToolAnswer }
  | { readonly ok: false; readonly reason: string };

export function* startPipeline({ camera, name, fps, alertOn, run }: Start): Steps<Started> {
  const answer = yield* callOne("start_pipeline", {
    video_reference: camera,
    pipeline_name: name,
    ...run,
    ...(fps !== undefined && { max_fps: fps }),
    ...(alertOn !== undefined && { alert_on: [alertOn] }),
  });
  const line = answer.ok ? parsePipelineLines(answer.text)[0] : undefined;
  return line === undefined ? { ok: false, reason: answer.text } : { ok: true, line, answer };
}

/** A sentence for a pipeline that is not running yet, and by what it sees. */
export function startedWords({ line, answer }: Extract<Started, { ok: true }>): string {
  const fine = line.state === "running" || line.state === "starting";
  return [fine ? "" : `It is ${line.state} at the moment.`, evidence(answer.text)].filter(Boolean).join(" ");
}

export type FrameSize = { readonly width: number; readonly height: number };

/** Lines and zones of workflows are in pixels, so a look at the camera comes first. */
export function* measureFrame(camera: string): Steps<FrameSize | { readonly reason: string }> {
  const look = yield* callOne("capture_frame", { camera });
  const size = look.ok ? parseFrameSize(look.text) : undefined;
  return size ?? { reason: look.text };
}

export function toPixels(places: readonly Place[], { width, height }: FrameSize): readonly Place[] {
  return places.map(([x, y]) => [Math.round(x * width), Math.round(y * height)]);
}

/** The name says what it does: `street-top-person-count`. */
export function toPipelineName(...words: readonly string[]): string {
  return words
    .map((word) =>
      word
        .toLowerCase()
        .replace(/^.*\/(?=[^/]+$)/, "")
        .replace(/[^\p{L}\p{N}]+/gu, "-")
        .replace(/^-|-$/g, ""),
    )
    .filter((word) => word !== "")
    .join("-")
    .slice(0, LONGEST_NAME);
}

export function resultsCall(pipeline: string): PlannedCall {
  return { tool: "get_pipeline_results", args: { pipeline_id: pipeline, max_results: 1 } };
}

export function* getResults(pipeline: string): Steps<ToolAnswer> {
  const { tool, args } = resultsCall(pipeline);
  return yield* callOne(tool, args);
}
