import type { PipelineState } from "@vision-agent/protocol";
import type { PipelineFigures } from "@vision-agent/vision-engine";

/** What is known of a pipeline that runs elsewhere. */
export interface ServerFigures {
  readonly state: PipelineState;
  readonly reason: string | undefined;
  readonly fps: number;
  readonly framesProcessed: number;
  readonly framesDropped: number;
}

/** Servers do not say why they left a frame out: a newer one was there. They watch no camera's health. */
export function toPipelineFigures({ reason, ...figures }: ServerFigures): PipelineFigures {
  const { state, fps, framesProcessed, framesDropped } = figures;
  return {
    state,
    reason,
    fps,
    framesProcessed,
    framesDropped,
    drops: {
      buffer_full: 0,
      not_taken_in_time: framesDropped,
      consumer_behind: 0,
      rate_limit: 0,
      decode_error: 0,
    },
    resultsLost: 0,
    health: {},
  };
}
