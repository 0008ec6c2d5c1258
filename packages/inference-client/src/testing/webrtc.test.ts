import { gunzipSync } from "node:zlib";
import type { Json } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { MediaStreamTrack, type RTCDataChannel, RTCPeerConnection, RtpHeader, RtpPacket, useVP8 } from "werift";
import type { FakeServer, FakeServerOptions } from "./fake-server.ts";
import { scriptedRunner } from "./scripted-runner.ts";
import { startFakeServer } from "./start-fake-server.ts";

const SPEC = {
  version: "1.0",
  inputs: [{ type: "InferenceImage", name: "image" }],
  steps: [
    {
      type: "roboflow_core/roboflow_object_detection_model@v2",
      name: "det",
      images: "$inputs.image",
      model_id: "coco/3",
    },
    {
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "viz",
      image: "$inputs.image",
      predictions: "$steps.det.predictions",
    },
  ],
  outputs: [
    { type: "JsonField", name: "found", selector: "$steps.det.predictions" },
    { type: "JsonField", name: "viz", selector: "$steps.viz.image" },
  ],
};

interface Message {
  readonly frameId: number;
  readonly chunks: number;
  readonly isGzip: boolean;
  readonly body: { readonly [key: string]: Json } & { serialized_output_data: { [name: string]: Json } | null };
}

let server: FakeServer;
const peers: RTCPeerConnection[] = [];

afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
  await server.close();
});

describe("the fake WebRTC worker", () => {
  it.each([
    ["an unknown output", { data_output: ["zzz"] }, 400],
    ["ICE servers on an offline server", { webrtc_config: { iceServers: [{ urls: ["stun:a"] }] } }, 500],
    ["no workflow", { workflow_configuration: { type: "WorkflowConfiguration" } }, 500],
    ["an untagged workflow", { workflow_configuration: {} }, 422],
    ["a camera that is not there", { rtsp_url: "rtsp://nowhere", webrtc_realtime_processing: true }, 500],
    ["MJPEG from a private address", { mjpeg_url: "http://192.168.0.5/s" }, 500],
  ])("refuses %s", async (_, change, status) => {
    await open({ privateMjpeg: false });
    expect((await initialise("v=0\r\n", change)).status).toBe(status);
  });

  it("starts when every chunk is there, echoes keep-alives and completes in plain JSON", async () => {
    await open({ uploads: { frames: 3, fps: 10 } });
    const { control, upload } = await connect({ data_output: ["found"] });
    const echo = new Promise((resolve) => upload.onMessage.subscribe(resolve));
    upload.send(Buffer.from([0]));
    expect(await echo).toEqual(Buffer.from([0]));
    upload.send(chunk(1, 2));
    upload.send(chunk(0, 2));
    const messages = await read(control, 4);
    expect(messages.map((message) => [message.frameId, message.isGzip])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, false],
    ]);
    expect(messages[3]?.body).toMatchObject({ processing_complete: true, video_metadata: { frame_id: 3, pts: null } });
  });

  it("does nothing with a bad header or a missing chunk", async () => {
    await open();
    const { control, upload } = await connect({});
    upload.send(chunk(2, 2));
    upload.send(Buffer.alloc(5));
    upload.send(chunk(0, 3));
    upload.send(chunk(1, 3));
    await expect(read(control, 1, 300)).rejects.toThrow("1 message");
    expect(server.sessions[0]).toMatchObject({ badMessages: 2, framesSent: 0 });
  });

  it("sends no more than one frame ahead of the last acknowledgement once they have begun", async () => {
    await open({ uploads: { frames: 30, fps: 10 } });
    const { control, upload } = await connect({});
    upload.send(chunk(0, 1));
    await read(control, 1);
    control.send(JSON.stringify({ ack: 1 }));
    await until(() => server.sessions[0]?.lastAck === 1);
    const sent = server.sessions[0]?.framesSent ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.sessions[0]?.framesSent).toBeLessThanOrEqual(Math.max(2, sent));
    control.send(JSON.stringify({ ack: 30 }));
    await readUntil(control, (message) => message.body.processing_complete === true);
  });

  it("cuts large messages into chunks and changes its outputs on the way", async () => {
    await open({ uploads: { frames: 40, fps: 10 }, pictureBytes: 60_000 });
    const { control, upload } = await connect({ data_output: ["viz"] });
    upload.send(chunk(0, 1));
    const [first] = await read(control, 1);
    expect([first?.chunks, Object.keys(first?.body.serialized_output_data ?? {})]).toEqual([2, ["viz"]]);
    control.send(JSON.stringify({ data_output: ["found"] }));
    const changed = await readUntil(control, (message) => message.body.serialized_output_data?.viz === undefined);
    expect(changed.body.processing_complete).toBe(false);
    expect(Object.keys(changed.body.serialized_output_data ?? {})).toEqual(["found"]);
  });

  it("says that the time is up and closes the channel", async () => {
    await open({ cameras: { "rtsp://camera/1": { fps: 2 } } });
    const { control } = await connect({ rtsp_url: "rtsp://camera/1", processing_timeout: 20, data_output: [] });
    const closed = new Promise((resolve) =>
      control.stateChanged.subscribe((state) => state === "closed" && resolve(state)),
    );
    const last = await readUntil(control, (message) => message.body.processing_complete === true);
    expect(last.body.termination_reason).toBe("timeout_reached");
    await closed;
  });

  it("gives a result for each pushed frame and sends the track back", async () => {
    await open();
    const track = new MediaStreamTrack({ kind: "video" });
    const { control, peer } = await connect(
      { stream_output: ["viz"], declared_fps: 10, webrtc_realtime_processing: true },
      track,
    );
    const returned = new Promise((resolve) =>
      peer.getTransceivers()[0]?.receiver.track.onReceiveRtp.subscribe(resolve),
    );
    const reading = read(control, 2);
    for (let frame = 0; frame < 2; frame++) {
      const header = new RtpHeader({ sequenceNumber: frame, timestamp: frame * 9000, marker: true, payloadType: 96 });
      track.writeRtp(new RtpPacket(header, keyFrame(320, 240)));
    }
    const messages = await reading;
    expect(messages[1]?.body.video_metadata).toMatchObject({
      frame_id: 2,
      pts: 9000,
      width: 320,
      height: 240,
      declared_fps: 10,
    });
    expect(await returned).toBeDefined();
  });
});

async function open(options: FakeServerOptions = {}): Promise<void> {
  server = await startFakeServer({ timeScale: 0.1, workerStartMs: 10, workflows: scriptedRunner(), ...options });
}

async function initialise(sdp: string, change: object): Promise<{ status: number; json: { sdp: string } }> {
  const body = {
    workflow_configuration: { type: "WorkflowConfiguration", workflow_specification: SPEC },
    webrtc_offer: { type: "offer", sdp },
    webrtc_realtime_processing: false,
    stream_output: [],
    data_output: ["found"],
    processing_timeout: null,
    ...change,
  };
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}/initialise_webrtc_worker`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as { sdp: string } };
}

async function connect(
  change: object,
  track?: MediaStreamTrack,
): Promise<{ peer: RTCPeerConnection; control: RTCDataChannel; upload: RTCDataChannel }> {
  const peer = new RTCPeerConnection({
    iceServers: [],
    iceAdditionalHostAddresses: ["127.0.0.1"],
    codecs: { video: [useVP8()] },
  });
  peers.push(peer);
  if (track !== undefined) peer.addTransceiver(track, { direction: "sendrecv" });
  const [control, upload] = [peer.createDataChannel("inference"), peer.createDataChannel("video_upload")];
  const isOpen = new Promise((resolve) => upload.stateChanged.subscribe((state) => state === "open" && resolve(state)));
  await peer.setLocalDescription(await peer.createOffer());
  const { json } = await initialise(peer.localDescription?.sdp ?? "", change);
  await peer.setRemoteDescription({ type: "answer", sdp: json.sdp });
  await isOpen;
  return { peer, control, upload };
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The next messages, put together from their chunks. */
async function read(channel: RTCDataChannel, count: number, withinMs = 15_000): Promise<readonly Message[]> {
  const messages: Message[] = [];
  let parts: Buffer[] = [];
  const done = Promise.withResolvers<void>();
  const { unSubscribe } = channel.onMessage.subscribe((data) => {
    const bytes = Buffer.from(data);
    // The rest of a message whose beginning came before anybody read.
    if (bytes.readUInt32LE(4) !== parts.length) return;
    parts.push(bytes.subarray(12));
    if (parts.length < bytes.readUInt32LE(8)) return;
    messages.push(toMessage(bytes.readUInt32LE(0), parts));
    parts = [];
    if (messages.length === count) done.resolve();
  });
  const timer = setTimeout(() => done.reject(new Error(`${count} message(s) did not come.`)), withinMs);
  await done.promise.finally(() => {
    clearTimeout(timer);
    unSubscribe();
  });
  return messages;
}

async function readUntil(channel: RTCDataChannel, fits: (message: Message) => boolean): Promise<Message> {
  for (;;) {
    const [message] = await read(channel, 1);
    if (message !== undefined && fits(message)) return message;
  }
}

function toMessage(frameId: number, parts: readonly Buffer[]): Message {
  const payload = Buffer.concat(parts);
  const isGzip = payload.readUInt16BE(0) === 0x1f8b;
  const text = (isGzip ? gunzipSync(payload) : payload).toString();
  return { frameId, chunks: parts.length, isGzip, body: JSON.parse(text) as Message["body"] };
}

function chunk(index: number, total: number): Buffer {
  const bytes = Buffer.alloc(108);
  bytes.writeUInt32LE(index, 0);
  bytes.writeUInt32LE(total, 4);
  return bytes;
}

/** The beginning of a VP8 key frame behind a plain payload descriptor. */
function keyFrame(width: number, height: number): Buffer {
  const bytes = Buffer.from([0x10, 0, 0, 0, 0x9d, 0x01, 0x2a, 0, 0, 0, 0]);
  bytes.writeUInt16LE(width, 7);
  bytes.writeUInt16LE(height, 9);
  return bytes;
}
