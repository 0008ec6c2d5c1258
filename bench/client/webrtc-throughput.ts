// two peers on loopback → how much a data channel carries
import { setTimeout as sleep } from "node:timers/promises";
import { type RTCDataChannel, RTCPeerConnection } from "werift";
import { CHUNK_BYTES } from "../../packages/inference-client/src/webrtc/framing.ts";
import { UPLOAD_BUFFER_BYTES } from "../../packages/inference-client/src/webrtc/upload-file.ts";
import { type Figure, round } from "../figure.ts";

const MEASURE_MS = 3000;
const MESSAGES = [
  { name: "WebRTC data, messages of 1 kB", bytes: 1000 },
  { name: "WebRTC data, chunks of 48 KiB", bytes: CHUNK_BYTES },
];

/** Megabytes a second from one peer to the other, with the back-pressure of an upload. */
export async function webRtcThroughputFigures(signal: AbortSignal): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, bytes } of MESSAGES) {
    const value = await measure(bytes, signal);
    figures.push({ name, value: round(value), unit: "MB/s", goal: "reported", met: true });
  }
  return figures;
}

async function measure(messageBytes: number, signal: AbortSignal): Promise<number> {
  const { near, far, close } = await connect();
  let received = 0;
  far.onMessage.subscribe((data) => {
    received += data.length;
  });
  try {
    const message = Buffer.alloc(messageBytes);
    const startedAt = performance.now();
    while (performance.now() - startedAt < MEASURE_MS && !signal.aborted) {
      if (near.bufferedAmount + messageBytes > UPLOAD_BUFFER_BYTES) await roomIn(near);
      near.send(message);
    }
    return received / 1000 / (performance.now() - startedAt);
  } finally {
    await close();
  }
}

async function connect(): Promise<{ near: RTCDataChannel; far: RTCDataChannel; close(): Promise<void> }> {
  const options = { iceAdditionalHostAddresses: ["127.0.0.1"] };
  const [offering, answering] = [new RTCPeerConnection(options), new RTCPeerConnection(options)];
  const arrived = new Promise<RTCDataChannel>((found) => answering.onDataChannel.subscribe(found));
  const near = offering.createDataChannel("inference");
  await offering.setLocalDescription(await offering.createOffer());
  await answering.setRemoteDescription(offering.localDescription!);
  await answering.setLocalDescription(await answering.createAnswer());
  await offering.setRemoteDescription(answering.localDescription!);
  const far = await arrived;
  while (near.readyState !== "open") await sleep(10);
  const close = async (): Promise<void> => void (await Promise.all([offering.close(), answering.close()]));
  return { near, far, close };
}

function roomIn(channel: RTCDataChannel): Promise<void> {
  channel.bufferedAmountLowThreshold = UPLOAD_BUFFER_BYTES / 2;
  return new Promise((done) => channel.bufferedAmountLow.once(done));
}
