// a source and a workflow → a WebRTC session → results
import { ClientError, clientError } from "../errors.ts";
import type { WebRtcStart } from "../http/pipeline-calls.ts";
import { requireFfmpeg } from "./ffmpeg-child.ts";
import { createReassembly, type ParsedMessage, parseMessage, TICKS_PER_SECOND, toMessageText } from "./framing.ts";
import { openPeer, type Peer } from "./peer.ts";
import {
  closedFailure,
  connectFailure,
  lostFailure,
  noResultFailure,
  type SessionEnd,
  type SessionFrame,
  type SessionMessage,
  type SessionOptions,
  type SessionOutputs,
  type SessionState,
  startFailure,
} from "./session.ts";
import { type OpenedFile, openUpload } from "./upload-file.ts";
import { createVideoReceiver, type VideoReceiver } from "./video-decoder.ts";
import { createVideoSender, type VideoSender } from "./video-encoder.ts";

/** So long may the server take to start the worker. */
const START_WITHIN_MS = 180_000;
const CONNECT_WITHIN_MS = 30_000;
const FIRST_RESULT_WITHIN_MS = 60_000;

/**
 * Resolves when the session is connected; a file is then still being uploaded. Throws `ClientError`: what the server
 * says against the request, `timeout`, `network`, `unsupported` without ffmpeg, `cancelled` by the signal.
 */
export async function openSession(options: SessionOptions): Promise<WebRtcSession> {
  const session = new OpenedSession(options);
  await session.open();
  return session;
}

/** A session while it lasts. */
export type WebRtcSession = Omit<OpenedSession, "open">;

class OpenedSession {
  readonly #options: SessionOptions;
  readonly #ended = Promise.withResolvers<SessionEnd>();
  /** Fires with the reason when the session ends. */
  readonly #stop = new AbortController();
  readonly #reassembly = createReassembly();
  /** Of messages, those that could not be read, and frames, those that were refused because the encoder or the network was behind. */
  readonly #counts = { results: 0, unreadable: 0, framesPushed: 0, framesDropped: 0, pictures: 0 };
  readonly #realtime: boolean;
  #state: SessionState = "starting";
  #closing: Promise<void> | undefined;
  #deadline: AbortController | undefined;
  #peer: Peer | undefined;
  #upload: OpenedFile | undefined;
  #sender: VideoSender | undefined;
  #receiver: VideoReceiver | undefined;
  /** Results that are being used, one after the other. */
  #used: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#realtime = options.realtime ?? options.source.kind !== "file";
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Resolves when nothing of the session is left: no process, socket or timer. Never rejects. */
  get ended(): Promise<SessionEnd> {
    return this.#ended.promise;
  }

  async open(): Promise<void> {
    const { signal, source, client, connectWithinMs = CONNECT_WITHIN_MS } = this.#options;
    const abort = (): void => void this.close();
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    void this.ended.then(() => signal?.removeEventListener("abort", abort));
    try {
      this.#enter("starting");
      const peer = await this.#prepare();
      const answer = await client.webrtc.initialise(this.#request(peer), {
        timeoutMs: START_WITHIN_MS,
        signal: this.#stop.signal,
      });
      this.#enter("connecting");
      this.#setDeadline(connectWithinMs, () => connectFailure(connectWithinMs));
      await peer.connect(answer.sdp, this.#stop.signal);
      this.#begin(peer);
    } catch (error) {
      const failure = startFailure(this.#stop.signal.aborted ? this.#stop.signal.reason : error, source.kind);
      await this.#end({ kind: "failed", error: failure });
      // What was opened while the session was being closed.
      await this.#release();
      throw failure;
    }
  }

  /**
   * One frame of a `frames` source. False when it was dropped because the last ones are still on their way, or the
   * session has ended. Throws `ClientError` kind `invalid` for pixels of another size or another kind of source.
   */
  push(frame: SessionFrame): boolean {
    if (this.#sender === undefined)
      throw clientError("invalid", "Frames can be pushed only into a session whose source is frames.");
    if (this.#state !== "running") return false;
    const taken = this.#sender.push(frame);
    this.#counts[taken ? "framesPushed" : "framesDropped"] += 1;
    if (this.#counts.framesPushed === 1 && taken) this.#awaitFirstResult();
    return taken;
  }

  /** From one of the next frames on. Nothing happens after the end. */
  setOutputs({ data, stream }: SessionOutputs): void {
    if (stream !== undefined && this.#options.streamOutput === undefined)
      throw clientError("invalid", "This session was opened without a video to be sent back.");
    if (data !== undefined) this.#peer?.control.send(JSON.stringify({ data_output: data }));
    if (stream !== undefined) this.#peer?.control.send(JSON.stringify({ stream_output: [stream] }));
  }

  /** How often and how it worked, for people who look into it. */
  figures() {
    return { ...this.#counts };
  }

  /** May be called twice. */
  close(): Promise<void> {
    return this.#end({ kind: "closed" });
  }

  /** Everything that can fail without a server, first. */
  async #prepare(): Promise<Peer> {
    const { source, ffmpegPath = "ffmpeg", streamOutput, onVideo, iceServers = [] } = this.#options;
    const shows = streamOutput !== undefined && onVideo !== undefined;
    if (source.kind === "frames") checkSize(source);
    if (source.kind === "frames" || shows) await requireFfmpeg(ffmpegPath);
    if (source.kind === "file") this.#upload = await openUpload(source.path, source.onProgress);
    this.#stop.signal.throwIfAborted();
    const peer = await openPeer({
      iceServers,
      sendsVideo: source.kind === "frames",
      receivesVideo: streamOutput !== undefined,
      uploads: source.kind === "file",
      onMessage: (bytes) => this.#receive(bytes),
      onPacket: (packet) => this.#receiver?.add(packet),
      onLost: (what) => this.#fail(lostFailure(what)),
    });
    this.#peer = peer;
    this.#stop.signal.throwIfAborted();
    const onFailure = (error: ClientError): void => this.#fail(error);
    if (source.kind === "frames")
      this.#sender = createVideoSender({ ...source, ffmpegPath, send: peer.sendVideo, onFailure });
    if (shows) {
      const onPicture: typeof onVideo = (picture) => {
        this.#counts.pictures += 1;
        if (this.#closing === undefined) onVideo(picture);
      };
      this.#receiver = createVideoReceiver({ ffmpegPath, requestKeyFrame: peer.requestKeyFrame, onPicture, onFailure });
    }
    return peer;
  }

  #request(peer: Peer): WebRtcStart {
    const { workflow, imageInput, parameters, disableSinks, source, iceServers, streamOutput } = this.#options;
    const { dataOutput = ["*"], processingTimeoutS = null } = this.#options;
    return {
      workflow,
      imageInput,
      parameters,
      disableSinks,
      offerSdp: peer.offerSdp,
      iceServers,
      realtime: this.#realtime,
      streamOutput: streamOutput === undefined ? [] : [streamOutput],
      dataOutput,
      processingTimeoutS,
      ...(source.kind === "frames" && { declaredFps: source.fps }),
      ...(source.kind === "rtsp" && { rtspUrl: source.url }),
      ...(source.kind === "mjpeg" && { mjpegUrl: source.url }),
    };
  }

  #begin(peer: Peer): void {
    this.#cancelDeadline();
    if (this.#upload !== undefined && peer.upload !== undefined) {
      this.#enter("uploading");
      this.#upload.send(peer.upload, this.#stop.signal).then(
        () => this.#run(),
        (error) => this.#fail(startFailure(error, "file")),
      );
    } else this.#run();
  }

  #run(): void {
    this.#enter("running");
    if (this.#options.source.kind !== "frames") this.#awaitFirstResult();
  }

  #awaitFirstResult(): void {
    const { source, firstResultWithinMs: ms = FIRST_RESULT_WITHIN_MS } = this.#options;
    if (this.#counts.results === 0)
      this.#setDeadline(ms, () => noResultFailure(source.kind, ms, this.#counts.unreadable));
  }

  #receive(bytes: Buffer | string): void {
    if (this.#closing !== undefined) return;
    const assembled = typeof bytes === "string" ? undefined : this.#reassembly.add(bytes);
    if (assembled?.kind === "partial") return;
    const parsed = assembled?.kind === "message" ? readMessage(assembled.payload) : undefined;
    if (assembled?.kind !== "message" || parsed === undefined) {
      this.#counts.unreadable += 1;
      return;
    }
    if (parsed.kind === "complete") void this.#end({ kind: parsed.timeLimit ? "time_limit" : "completed" });
    else this.#give(this.#toSessionMessage(assembled.frameId, parsed));
  }

  #toSessionMessage(frameId: number, { kind: _, ...result }: ParsedMessage & { kind: "result" }): SessionMessage {
    if (result.videoSeconds === undefined) return { ...result, frameId, capturedAt: undefined };
    const ticks = Math.round(result.videoSeconds * TICKS_PER_SECOND);
    this.#receiver?.noteResult(ticks, frameId);
    return { ...result, frameId, capturedAt: this.#sender?.capturedAt(ticks) };
  }

  #give(message: SessionMessage): void {
    const { onMessage } = this.#options;
    this.#counts.results += 1;
    this.#cancelDeadline();
    if (this.#realtime) {
      void onMessage(message);
      return;
    }
    // The server sends the next frame only after this one was used.
    this.#used = this.#used.then(async () => {
      await onMessage(message);
      this.#peer?.control.send(JSON.stringify({ ack: message.frameId }));
    });
  }

  #enter(state: SessionState): void {
    if (this.#state === "ended" || (this.#closing !== undefined && state !== "ended")) return;
    this.#state = state;
    this.#options.onState?.(state);
  }

  #setDeadline(ms: number, failure: () => ClientError): void {
    this.#cancelDeadline();
    const deadline = new AbortController();
    this.#deadline = deadline;
    this.#options.clock.sleep(ms, deadline.signal).then(
      () => this.#fail(failure()),
      () => undefined, // It came in time.
    );
  }

  #cancelDeadline(): void {
    this.#deadline?.abort();
    this.#deadline = undefined;
  }

  #fail(error: ClientError): void {
    void this.#end({ kind: "failed", error });
  }

  /** The first reason counts. */
  #end(end: SessionEnd): Promise<void> {
    this.#closing ??= this.#shutDown(end);
    return this.#closing;
  }

  async #shutDown(end: SessionEnd): Promise<void> {
    this.#stop.abort(end.kind === "failed" ? end.error : closedFailure());
    this.#cancelDeadline();
    if (end.kind === "completed") await this.#used;
    await this.#release();
    this.#enter("ended");
    this.#ended.resolve(end);
  }

  async #release(): Promise<void> {
    const parts = [this.#peer, this.#sender, this.#receiver, this.#upload];
    await Promise.allSettled(parts.map((part) => part?.close()));
  }
}

/** Undefined when it cannot be read. */
function readMessage(payload: Buffer): ParsedMessage | undefined {
  try {
    return parseMessage(toMessageText(payload));
  } catch (error) {
    if (error instanceof ClientError) return undefined;
    throw error;
  }
}

function checkSize({ width, height, fps }: { width: number; height: number; fps: number }): void {
  const fits = [width, height].every(
    (side) => Number.isInteger(side) && side >= 16 && side <= 16_383 && side % 2 === 0,
  );
  if (!fits || !(fps > 0))
    throw clientError(
      "invalid",
      `Frames of ${width} × ${height} at ${fps} a second cannot be sent: width and height must be even and at least 16, the rate above 0.`,
    );
}
