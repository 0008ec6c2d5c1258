// runs → at most one in so many seconds goes on
import { ImageValue } from "../../frames/image-value.ts";
import { roundHalfEven } from "../../geometry/points.ts";
import type { Block, BlockInputs } from "../block.ts";
import { numberOr, textsOf } from "../block-inputs.ts";
import { FlowControl } from "../flow-control.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

export const rateLimiter: Block = {
  manifest: manifestOf("roboflow_core/rate_limiter@v1"),
  description: "Runs the next steps at most once in so many seconds, by the clock or by the time of a video.",
  phrase: ({ properties }) => `goes on at most once in ${properties.cooldown_seconds ?? 1} s`,
  create: ({ now }) => {
    let lastMicros: number | undefined;
    return {
      run(inputs) {
        const micros = microsecondsOf(inputs, now());
        const cooldown = numberOr(inputs, "cooldown_seconds", 1);
        if (lastMicros !== undefined && (micros - lastMicros) / 1e6 < cooldown) return new FlowControl();
        lastMicros = micros;
        return new FlowControl(textsOf(inputs, "next_steps"));
      },
    };
  },
};

/** Whole microseconds: frames that lie exactly one cooldown apart are let through. */
function microsecondsOf({ video_reference_image: image }: BlockInputs, nowMs: number): number {
  const video = image instanceof ImageValue ? image.videoOrDefault(nowMs) : undefined;
  if (video === undefined || video.fps === 0) return nowMs * 1000;
  return roundHalfEven((1 / video.fps) * video.frameNumber * 1e6);
}
