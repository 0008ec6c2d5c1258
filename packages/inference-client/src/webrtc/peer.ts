// an offer → the server's answer → channels and tracks; the one file that knows werift
import type { RTCDataChannel, RTCPeerConnection } from "werift";
import { clientError } from "../errors.ts";
import type { IceServer } from "../http/pipeline-calls.ts";
import type { Vp8Packet } from "./vp8-rtp.ts";

const GATHER_WITHIN_MS = 5000;

export interface PeerOptions {
  readonly iceServers: readonly IceServer[];
  readonly sendsVideo: boolean;
  readonly receivesVideo: boolean;
  readonly uploads: boolean;
  /** A message of the control channel; a text is none of the server's. Must not throw. */
  readonly onMessage: (bytes: Buffer | string) => void;
  /** Must not throw. */
  readonly onPacket: (packet: Vp8Packet) => void;
  /** The connection or the control channel is gone for good. Must not throw. */
  readonly onLost: (reason: "connection" | "channel") => void;
}

/** A data channel as far as an upload and acknowledgements need it. */
export interface SendingChannel {
  send(data: Buffer | string): void;
  /** Resolves when at most `bytes` wait to be sent; rejects with the signal's reason. */
  drained(bytes: number, signal: AbortSignal): Promise<void>;
}

export interface Peer {
  /** With all candidates in it. */
  readonly offerSdp: string;
  readonly control: SendingChannel;
  readonly upload: SendingChannel | undefined;
  /** Resolves when the channels are open; rejects with the signal's reason. */
  connect(answerSdp: string, signal: AbortSignal): Promise<void>;
  /** Nothing happens before the connection is there. */
  sendVideo(packet: { readonly timestamp: number; readonly marker: boolean; readonly payload: Buffer }): void;
  /** Asks the server for a key frame. */
  requestKeyFrame(): void;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Loads werift, makes an offer and gathers. */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  const werift = await import("werift");
  const connection = new werift.RTCPeerConnection({
    iceServers: options.iceServers.map(({ urls, ...rest }) => ({ urls: [...[urls].flat()], ...rest })),
    // One transport for all: werift leaves the sockets of the others open.
    bundlePolicy: "max-bundle",
    // A machine without a network still reaches a server on itself.
    iceAdditionalHostAddresses: ["127.0.0.1"],
    codecs: { audio: [], video: [vp8Codec(werift)] },
  });
  try {
    const control = connection.createDataChannel("inference");
    const upload = options.uploads ? connection.createDataChannel("video_upload") : undefined;
    const video = addVideo(werift, connection, options);
    watch(connection, control, options);
    await connection.setLocalDescription(await connection.createOffer());
    await gathered(connection);
    const offerSdp = connection.localDescription?.sdp;
    if (offerSdp === undefined) throw clientError("network", "No WebRTC offer could be made.");
    return {
      offerSdp,
      control: sendingChannel(control),
      upload: upload && sendingChannel(upload),
      async connect(answerSdp, signal) {
        await connection.setRemoteDescription({ type: "answer", sdp: answerSdp }).catch((cause: unknown) => {
          throw clientError("protocol", "The server's WebRTC answer cannot be used.", { cause });
        });
        const channels = upload === undefined ? [control] : [control, upload];
        await Promise.all(channels.map((channel) => opened(channel, signal)));
      },
      sendVideo: video.send,
      requestKeyFrame: video.requestKeyFrame,
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

type Werift = typeof import("werift");

function vp8Codec(werift: Werift): InstanceType<Werift["RTCRtpCodecParameters"]> {
  const rtcpFeedback = [{ type: "nack" }, { type: "nack", parameter: "pli" }, { type: "goog-remb" }];
  return new werift.RTCRtpCodecParameters({ mimeType: "video/VP8", clockRate: 90_000, rtcpFeedback });
}

function addVideo(
  werift: Werift,
  connection: RTCPeerConnection,
  { sendsVideo, receivesVideo, onPacket }: PeerOptions,
): { send: Peer["sendVideo"]; requestKeyFrame(): void } {
  const nothing = (): void => undefined;
  if (!sendsVideo && !receivesVideo) return { send: nothing, requestKeyFrame: nothing };
  const track = sendsVideo ? new werift.MediaStreamTrack({ kind: "video" }) : undefined;
  const oneWay = sendsVideo ? "sendonly" : "recvonly";
  const direction = sendsVideo && receivesVideo ? "sendrecv" : oneWay;
  const transceiver = connection.addTransceiver(track ?? "video", { direction });
  let ssrc: number | undefined;
  connection.onTrack.subscribe((remote) => {
    remote.onReceiveRtp.subscribe(({ header, payload }) => {
      ssrc = header.ssrc;
      const { sequenceNumber, timestamp, marker } = header;
      onPacket({ sequenceNumber, timestamp, marker, payload });
    });
  });
  let sequenceNumber = 0;
  return {
    send({ timestamp, marker, payload }) {
      const header = new werift.RtpHeader({ sequenceNumber, timestamp, marker, payloadType: 96 });
      sequenceNumber = (sequenceNumber + 1) & 0xffff;
      track?.writeRtp(new werift.RtpPacket(header, payload));
    },
    requestKeyFrame() {
      // A request that is lost is made again at the next gap.
      if (ssrc !== undefined) transceiver.receiver.sendRtcpPLI(ssrc).catch(nothing);
    },
  };
}

function watch(connection: RTCPeerConnection, control: RTCDataChannel, options: PeerOptions): void {
  control.onMessage.subscribe(options.onMessage);
  // At the time limit the server closes the channel while the connection seems fine.
  control.stateChanged.subscribe((state) => {
    if (state === "closed") options.onLost("channel");
  });
  connection.connectionStateChange.subscribe((state) => {
    if (state === "failed" || state === "closed") options.onLost("connection");
  });
}

async function gathered(connection: RTCPeerConnection): Promise<void> {
  if (connection.iceGatheringState === "complete") return;
  const complete = Promise.withResolvers<void>();
  const { unSubscribe } = connection.iceGatheringStateChange.subscribe((state) => {
    if (state === "complete") complete.resolve();
  });
  // A STUN server that does not answer costs its candidate, not the session.
  const timer = setTimeout(complete.resolve, GATHER_WITHIN_MS);
  await complete.promise;
  clearTimeout(timer);
  unSubscribe();
}

function opened(channel: RTCDataChannel, signal: AbortSignal): Promise<void> {
  return waitFor(signal, (done) => {
    if (channel.readyState === "open") done();
    return channel.stateChanged.subscribe((state) => {
      if (state === "open") done();
    }).unSubscribe;
  });
}

function sendingChannel(channel: RTCDataChannel): SendingChannel {
  return {
    send(data) {
      if (channel.readyState === "open") channel.send(data);
    },
    drained(bytes, signal) {
      channel.bufferedAmountLowThreshold = bytes;
      return waitFor(signal, (done) => {
        if (channel.bufferedAmount <= bytes) done();
        return channel.bufferedAmountLow.subscribe(done).unSubscribe;
      });
    },
  };
}

function waitFor(signal: AbortSignal, subscribe: (done: () => void) => () => void): Promise<void> {
  const waiting = Promise.withResolvers<void>();
  const stop = (): void => waiting.reject(signal.reason);
  const unSubscribe = subscribe(waiting.resolve);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return waiting.promise.finally(() => {
    unSubscribe();
    signal.removeEventListener("abort", stop);
  });
}
