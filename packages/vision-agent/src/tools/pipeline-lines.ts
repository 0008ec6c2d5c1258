// pipeline status → one stable line that people, models and programs read, and back
import type { PipelineStatus } from "@vision-agent/protocol";

/** What a program reads back from a pipeline's line. */
export interface PipelineLine {
  readonly name: string;
  readonly id: string;
  readonly camera: string;
  readonly state: string;
}

/** e.g. `street-count (pl_1) on street: running, 9.8 fps, 120 frames. Counts person …` */
export function formatPipelineLine(status: PipelineStatus): string {
  const head = `${status.name} (${status.pipeline_id}) on ${status.video_reference}: ${status.status}`;
  const figures = `${status.fps.toFixed(1)} fps, ${status.frames_processed} frames, ${status.frames_dropped} left out`;
  const reason = status.reason === undefined ? "" : ` ${status.reason}`;
  return `${head}, ${figures}. ${status.workflow_description}${reason}`;
}

/** Every pipeline line in a text; other lines are passed over. */
export function parsePipelineLines(text: string): readonly PipelineLine[] {
  return text.split("\n").flatMap((line) => {
    const match = /^(.+?) \((\S+)\) on (.+?): ([a-z]+), [\d.]+ fps/.exec(line);
    if (match === null) return [];
    const [, name = "", id = "", camera = "", state = ""] = match;
    return [{ name, id, camera, state }];
  });
}
