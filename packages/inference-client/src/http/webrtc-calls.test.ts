import { describe, expect, it } from "vitest";
import { clientOf, hurriedClock, startLoopback } from "../testing/loopback.ts";

const specification = { version: "1.0", inputs: [], steps: [], outputs: [] };

describe("webrtc.initialise", () => {
  it("sends the offer and says that there is no time limit", async () => {
    const server = await startLoopback({ json: { status: "success", context: {}, sdp: "v=0 answer", type: "answer" } });
    const answer = await clientOf(server.url, { apiKey: "k1" }).webrtc.initialise({
      workflow: { specification },
      offerSdp: "v=0 offer",
      iceServers: [],
      realtime: false,
      streamOutput: [],
      dataOutput: ["*"],
      rtspUrl: "rtsp://cam/1",
      processingTimeoutS: null,
    });
    expect(answer).toEqual({ sdp: "v=0 answer", type: "answer" });
    expect(server.received[0]!.path).toBe("/initialise_webrtc_worker");
    expect(JSON.parse(server.received[0]!.body)).toEqual({
      api_key: "k1",
      workflow_configuration: {
        type: "WorkflowConfiguration",
        workflow_specification: specification,
        image_input_name: "image",
      },
      webrtc_offer: { type: "offer", sdp: "v=0 offer" },
      webrtc_config: { iceServers: [] },
      webrtc_realtime_processing: false,
      stream_output: [],
      data_output: ["*"],
      rtsp_url: "rtsp://cam/1",
      processing_timeout: null,
    });
  });

  it("is never repeated: each try starts a process", async () => {
    const server = await startLoopback({ status: 500, json: { message: "Internal error." } });
    const failed = clientOf(server.url, { clock: hurriedClock() }).webrtc.initialise({
      workflow: { specification },
      offerSdp: "v=0",
      processingTimeoutS: null,
    });
    await expect(failed).rejects.toMatchObject({ kind: "server" });
    expect(server.received.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});
