// the other end of a session, in this process, without a workflow: tests say what it sends
import { gzipSync } from "node:zlib";
import type { Json } from "@vision-agent/protocol";
import { MediaStreamTrack, type RTCDataChannel, RTCPeerConnection, RTCRtpCodecParameters } from "werift";
import type { WebRtcStart } from "../../http/pipeline-calls.ts";
import { parseUploadChunk, toResultChunks } from "../../testing/server-framing.ts";
import type { SessionClient } from "../session.ts";

/** The server's end of one session. */
export interface Link {
  readonly start: WebRtcStart;
  /** Resolves when the control channel is there. */
  readonly opened: Promise<void>;
  /** What the client wrote into the control channel. */
  readonly texts: readonly string[];
  /** Bytes of the file, in the order in which they came. */
  uploaded(): Buffer;
  readonly packets: number;
  send(bytes: Buffer | string): void;
  sendResult(frameId: number, message: { outputs?: Json; pts?: number; receivedAt?: string; gzip?: boolean }): void;
  complete(reason?: string): void;
  closeChannel(): void;
  close(): Promise<void>;
}

export interface Answerer {
  readonly client: SessionClient;
  readonly links: readonly Link[];
  close(): Promise<void>;
}

/** Answers every offer; a track that is pushed comes back as it is. */
export function createAnswerer(): Answerer {
  const links: Link[] = [];
  return {
    links,
    client: {
      webrtc: {
        async initialise(start) {
          const { link, sdp } = await answer(start);
          links.push(link);
          return { sdp, type: "answer" };
        },
      },
    },
    close: async () => void (await Promise.all(links.map((link) => link.close()))),
  };
}

async function answer(start: WebRtcStart): Promise<{ link: Link; sdp: string }> {
  const vp8 = new RTCRtpCodecParameters({ mimeType: "video/VP8", clockRate: 90_000, rtcpFeedback: [{ type: "nack" }] });
  const connection = new RTCPeerConnection({
    iceAdditionalHostAddresses: ["127.0.0.1"],
    codecs: { audio: [], video: [vp8] },
  });
  const opened = Promise.withResolvers<void>();
  const texts: string[] = [];
  const parts: Buffer[] = [];
  let control: RTCDataChannel | undefined;
  let packets = 0;
  connection.onDataChannel.subscribe((channel) => {
    channel.onMessage.subscribe((data) => {
      if (channel.label !== "video_upload") texts.push(data.toString());
      else if (typeof data !== "string") parts.push(parseUploadChunk(data)?.payload ?? Buffer.from("bad chunk"));
    });
    if (channel.label === "video_upload") return;
    control = channel;
    opened.resolve();
  });
  const back = start.streamOutput?.[0] === undefined ? undefined : new MediaStreamTrack({ kind: "video" });
  connection.onTrack.subscribe((track) => {
    track.onReceiveRtp.subscribe((packet) => {
      packets += 1;
      back?.writeRtp(packet);
    });
  });
  await connection.setRemoteDescription({ type: "offer", sdp: start.offerSdp });
  if (back !== undefined) connection.addTrack(back);
  await connection.setLocalDescription(await connection.createAnswer());
  const send = (bytes: Buffer | string): void => control?.send(bytes);
  const link: Link = {
    start,
    opened: opened.promise,
    texts,
    uploaded: () => Buffer.concat(parts),
    get packets() {
      return packets;
    },
    send,
    sendResult(frameId, { outputs = {}, pts = frameId * 9000, receivedAt = "", gzip = true }) {
      const video_metadata = {
        frame_id: frameId,
        received_at: receivedAt,
        pts,
        time_base: 1 / 90_000,
        width: 64,
        height: 48,
      };
      const text = JSON.stringify({
        serialized_output_data: outputs,
        video_metadata,
        errors: [],
        processing_complete: false,
      });
      for (const chunk of toResultChunks(frameId, gzip ? gzipSync(text) : Buffer.from(text))) send(chunk);
    },
    complete(reason) {
      const text = JSON.stringify({ processing_complete: true, termination_reason: reason ?? null, errors: [] });
      for (const chunk of toResultChunks(99_999, Buffer.from(text))) send(chunk);
    },
    closeChannel: () => control?.close(),
    close: () => connection.close(),
  };
  return { link, sdp: connection.localDescription?.sdp ?? "" };
}
