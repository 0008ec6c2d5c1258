import { z } from "zod";
import { parseAnswer } from "../wire/parse-answer.ts";
import { toWorkflowConfiguration } from "../wire/workflow-setup.ts";
import type { WebRtcCalls, WebRtcStart } from "./inference-client.ts";
import type { Transport } from "./transport.ts";

const answerSchema = z.object({ sdp: z.string(), type: z.literal("answer") });
const PATH = "/initialise_webrtc_worker";

export function createWebRtcCalls(transport: Transport): WebRtcCalls {
  return {
    async initialise(start, options) {
      const call = { method: "POST", path: PATH, route: PATH, body: startBody(start), key: "body" } as const;
      // Never repeated: every try starts a process that loads its own models.
      const { json } = await transport.send({ ...call, timeout: "webrtcMs", repeat: "never" }, options);
      return parseAnswer(answerSchema, json, `POST ${PATH}`);
    },
  };
}

function startBody(start: WebRtcStart): object {
  return {
    workflow_configuration: toWorkflowConfiguration(start),
    webrtc_offer: { type: "offer", sdp: start.offerSdp },
    webrtc_config: start.iceServers && { iceServers: start.iceServers },
    webrtc_realtime_processing: start.realtime,
    stream_output: start.streamOutput,
    data_output: start.dataOutput,
    declared_fps: start.declaredFps,
    rtsp_url: start.rtspUrl,
    mjpeg_url: start.mjpegUrl,
    processing_timeout: start.processingTimeoutS,
    requested_plan: start.requestedPlan,
    requested_region: start.requestedRegion,
  };
}
