// an offer → a connected session that runs the workflow over its source and sends results
import type { Json } from "@vision-agent/protocol";
import { MediaStreamTrack, type RTCDataChannel, RTCPeerConnection, type RTCRtpTransceiver, useVP8 } from "werift";
import { FakeRefusal, failure } from "./answer.ts";
import { type OpenVideo, openFile } from "./cameras.ts";
import { isObject, type JsonMap } from "./check-body.ts";
import type { FakeSessionView } from "./fake-server.ts";
import { createTrackReader } from "./pushed-track.ts";
import { ResultSender } from "./result-sender.ts";
import { createUpload } from "./upload.ts";
import type { RunnerWorkflow } from "./workflow-runner.ts";
import type { World } from "./world.ts";

/** A stream without a video is an unreachable one that was not looked at before the answer. */
export type FakeSessionSource =
  | { readonly kind: "upload" | "track" }
  | { readonly kind: "rtsp" | "mjpeg"; readonly video: OpenVideo | undefined };

interface Parts {
  readonly world: World;
  readonly workflow: RunnerWorkflow;
  readonly request: JsonMap;
  readonly source: FakeSessionSource;
  /** When the worker was asked for, in the server's milliseconds: the time limit counts from here. */
  readonly began: number;
}

const DEFAULT_LIMIT_S = 3600;
const ACK_WINDOW = 1;

export class WorkerSession {
  readonly #parts: Parts;
  readonly #peer: RTCPeerConnection;
  readonly #sender: ResultSender;
  readonly #upload = createUpload();
  readonly #isRealtime: boolean;
  readonly #state = { connected: false, closed: false, lastAck: 0, framesReceived: 0, badMessages: 0 };
  #drawn: MediaStreamTrack | undefined;
  #stopListening: () => void = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#isRealtime = parts.request.webrtc_realtime_processing !== false;
    this.#sender = new ResultSender(parts);
    this.#peer = new RTCPeerConnection({
      iceServers: [],
      iceUseIpv6: false,
      iceAdditionalHostAddresses: ["127.0.0.1"],
      codecs: { audio: [], video: [useVP8()] },
    });
    this.#peer.onDataChannel.subscribe((channel) => this.#attach(channel));
    this.#peer.onTrack.subscribe((track) => this.#read(track));
    this.#peer.connectionStateChange.subscribe((state) => {
      if (state === "connected") this.#state.connected = true;
      if (state === "closed" || state === "failed" || state === "disconnected") this.#stop();
    });
  }

  get view(): FakeSessionView {
    const [state, sender, upload, parts] = [this.#state, this.#sender, this.#upload, this.#parts];
    return {
      source: parts.source.kind,
      request: parts.request,
      get connected() {
        return state.connected;
      },
      get closed() {
        return state.closed;
      },
      get lastAck() {
        return state.lastAck;
      },
      get framesSent() {
        return sender.sent;
      },
      get uploadedBytes() {
        return upload.bytes;
      },
      get framesReceived() {
        return state.framesReceived;
      },
      get badMessages() {
        return state.badMessages;
      },
    };
  }

  /** The SDP of the answer, with all candidates in it. */
  async answer(offer: string): Promise<string> {
    try {
      await this.#peer.setRemoteDescription({ type: "offer", sdp: offer });
    } catch (cause) {
      await this.end();
      throw Object.assign(new FakeRefusal(failure(500, "Internal error.")), { cause });
    }
    this.#answerTrack();
    await this.#peer.setLocalDescription(await this.#peer.createAnswer());
    const { source } = this.#parts;
    if (source.kind === "rtsp" || source.kind === "mjpeg") this.#follow(source.video);
    this.#limitTime();
    return this.#peer.localDescription?.sdp ?? "";
  }

  async end(): Promise<void> {
    this.#stop();
    await this.#peer.close();
    await this.#parts.workflow.close();
  }

  #stop(): void {
    this.#state.closed = true;
    this.#stopListening();
    this.#sender.stop();
  }

  #attach(channel: RTCDataChannel): void {
    if (channel.label === "video_upload") {
      channel.onMessage.subscribe((message) => this.#takeUpload(channel, message));
      return;
    }
    this.#sender.attach(channel);
    channel.onMessage.subscribe((message) => this.#takeControl(message));
    channel.stateChanged.subscribe((state) => {
      if (state === "closed") this.#stop();
    });
  }

  #takeUpload(channel: RTCDataChannel, message: Buffer | string): void {
    switch (this.#upload.add(message)) {
      case "echo":
        channel.send(message);
        break;
      case "bad":
        this.#state.badMessages += 1;
        break;
      case "complete":
        void this.#play(openFile("upload", this.#parts.world.settings.uploads));
        break;
      case "kept":
        break;
    }
  }

  #takeControl(message: Buffer | string): void {
    const command = parseCommand(message);
    if (command === undefined) this.#state.badMessages += 1;
    else if (typeof command.ack === "number") this.#state.lastAck = Math.max(this.#state.lastAck, command.ack);
    else if (Array.isArray(command.data_output)) this.#sender.choose(command.data_output);
  }

  /** Every frame of a file: as fast as they are worked off, or at the speed of the film. */
  async #play(video: OpenVideo): Promise<void> {
    const { time, settings } = this.#parts.world;
    const frameMs = this.#isRealtime ? 1000 / video.fps : settings.inferenceMs;
    for (let frame = 1; frame <= video.frames && !this.#state.closed; frame++) {
      await time.sleep(frameMs);
      while (!this.#maySend(frame) && !this.#state.closed) await time.sleep(frameMs);
      await this.#sender.send({ frame, pts: frame - 1, timeBase: 1 / video.fps, video });
    }
    this.#sender.complete(null);
  }

  /** Flow control begins with the first acknowledgement. */
  #maySend(frame: number): boolean {
    const { lastAck } = this.#state;
    return this.#isRealtime || lastAck === 0 || frame <= lastAck + ACK_WINDOW;
  }

  /** Frames of a camera, from now on and whether or not somebody listens. */
  #follow(video: OpenVideo | undefined): void {
    if (video === undefined) return;
    const { time } = this.#parts.world;
    const isMjpeg = this.#parts.source.kind === "mjpeg";
    this.#stopListening = video.onCut(() => this.#sender.complete(null));
    let frame = 0;
    const next = async () => {
      if (this.#state.closed || this.#sender.isComplete) return;
      frame += 1;
      if (frame > video.frames) {
        this.#sender.complete(null);
        return;
      }
      const pts = isMjpeg ? frame - 1 : Math.round(((frame - 1) * 90_000) / video.fps);
      await this.#sender.send({ frame, pts, timeBase: isMjpeg ? 0.04 : 1 / 90_000, video });
      time.after(1000 / video.fps, () => void next());
    };
    time.after(1000 / video.fps, () => void next());
  }

  /** A pushed track gives a result for every frame, and no completion when it just stops. */
  #read(track: MediaStreamTrack): void {
    const reader = createTrackReader();
    track.onReceiveRtp.subscribe((packet) => {
      const { header, payload } = packet;
      this.#drawn?.writeRtp(packet.clone());
      const found = reader.add({ timestamp: header.timestamp, marker: header.marker, payload });
      if (found === undefined) return;
      this.#state.framesReceived += 1;
      const fps = Number(this.#parts.request.declared_fps ?? 30);
      const video = {
        ...openFile("track", { frames: 0, fps, width: found.width, height: found.height }),
        isFile: false,
      };
      void this.#sender.send({ frame: this.#state.framesReceived, pts: found.pts, timeBase: 1 / 90_000, video });
    });
  }

  /** Sends back what it receives where a track was asked for and the offer can take one. */
  #answerTrack(): void {
    const transceiver = this.#peer.getTransceivers().find((item: RTCRtpTransceiver) => item.kind === "video");
    if (transceiver === undefined) return;
    const { stream_output: asked } = this.#parts.request;
    const wantsTrack = !Array.isArray(asked) || asked.some((name) => typeof name === "string" && name !== "");
    if (!wantsTrack) {
      transceiver.setDirection("recvonly");
      return;
    }
    this.#drawn = new MediaStreamTrack({ kind: "video" });
    void transceiver.sender.replaceTrack(this.#drawn);
    transceiver.setDirection("sendrecv");
  }

  #limitTime(): void {
    const asked = this.#parts.request.processing_timeout;
    if (asked === null) return;
    const { time } = this.#parts.world;
    const limit = Number(asked ?? DEFAULT_LIMIT_S) * 1000 - (time.now() - this.#parts.began);
    time.after(Math.max(0, limit), () => {
      if (!this.#state.closed) this.#sender.complete("timeout_reached");
    });
  }
}

function parseCommand(message: Buffer | string): { ack?: Json; data_output?: Json; stream_output?: Json } | undefined {
  try {
    const command = JSON.parse(message.toString()) as Json;
    const isKnown = isObject(command) && ["ack", "data_output", "stream_output"].some((key) => key in command);
    return typeof message === "string" && isKnown ? command : undefined;
  } catch {
    return undefined;
  }
}
