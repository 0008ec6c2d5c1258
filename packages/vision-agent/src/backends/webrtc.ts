// requests → Inference servers over WebRTC → results
import type { Egress } from "../egress/open-egress.ts";
import { admitCamera } from "./admit-to-server.ts";
import { BackendError, type InferenceBackend, type PipelineRequest, withErrors } from "./backend.ts";
import { toServerBackendError } from "./client-errors.ts";
import { createServerRuns } from "./server-runs.ts";
import type { Capture } from "./still-picture.ts";
import { toWebRtcSource, type WebRtcSource } from "./webrtc-frames.ts";
import { openWebRtcPipeline, type WebRtcPipelineParts } from "./webrtc-pipeline.ts";

export interface WebRtcBackendOptions extends WebRtcPipelineParts {
  /** Takes one picture of a camera on this machine. */
  readonly capture: Capture;
  /** Says of which cameras pictures may go to which server. */
  readonly egress: Pick<Egress, "admit" | "admitStream">;
  /** Whether parts of a camera's picture may not be seen: it is then read here, and sent masked. Default: none has such. */
  readonly isMasked?: (request: Pick<PipelineRequest, "sourceId" | "address">) => boolean;
}

/**
 * Runs workflows on Inference servers in sessions of their own: video files are sent there, RTSP cameras are read
 * there, and what only this machine can read is sent as video. Single pictures go over HTTP.
 */
export function createWebRtcBackend(options: WebRtcBackendOptions): InferenceBackend {
  const runs = createServerRuns(options);
  return {
    name: "webrtc",
    ...runs,
    async open(request) {
      try {
        const source: WebRtcSource = options.isMasked?.(request)
          ? { kind: "frames" }
          : await toWebRtcSource(request.address);
        // A session takes a minute to say what this call says at once.
        const problems = await runs.validate(request.spec);
        if (problems.length > 0) {
          const message = `The workflow cannot run: ${problems.map(({ message }) => message).join(" ")}`;
          throw new BackendError({ kind: "invalid_workflow", message, problems });
        }
        const allowed = await admitCamera(request, options.fleet, options.egress);
        return withErrors(await openWebRtcPipeline({ ...request, allowed }, source, options), toServerBackendError);
      } catch (error) {
        throw toServerBackendError(error);
      }
    },
  };
}
