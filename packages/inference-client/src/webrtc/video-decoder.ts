// VP8 frames → ffmpeg → JPEG pictures
import type { ClientError } from "../errors.ts";
import { startFfmpeg } from "./ffmpeg-child.ts";
import { ivfFrameHeader, ivfHeader } from "./ivf.ts";
import type { Peer } from "./peer.ts";
import { createPicturePairing } from "./pts-pairs.ts";
import type { SessionPicture } from "./session.ts";
import { createVp8Assembler, type Vp8Frame } from "./vp8-rtp.ts";

/** Frames that may be inside ffmpeg at once; then none until a key frame. */
const MAX_UNDER_WAY = 30;
const HEAD_END = Buffer.from("\r\n\r\n");

export interface VideoDecoderOptions {
  readonly ffmpegPath: string;
  /** Must not throw. */
  readonly onPicture: (jpeg: Buffer, tag: number | undefined) => void;
  /** Must not throw. */
  readonly onFailure: (error: ClientError) => void;
}

export function createVideoDecoder(options: VideoDecoderOptions) {
  const tags: (number | undefined)[] = [];
  let number = 0;
  let behind = false;
  const child = startFfmpeg({
    path: options.ffmpegPath,
    // One thread on both sides: more would hold back a frame each.
    words: [
      ...["-probesize", "32", "-analyzeduration", "0", "-fpsprobesize", "0", "-threads", "1", "-f", "ivf"],
      ...["-i", "pipe:0", "-fps_mode", "passthrough", "-c:v", "mjpeg", "-q:v", "3", "-threads", "1"],
      ...["-flush_packets", "1", "-f", "mpjpeg", "pipe:1"],
    ],
    onOutput: createMultipartReader((jpeg) => options.onPicture(jpeg, tags.shift())),
    onFailure: options.onFailure,
  });
  // Sizes of zero: the decoder reads the real one from each key frame.
  child.write(ivfHeader({ fourcc: "VP80", width: 0, height: 0, fps: 30 }));
  return {
    /** `tag` comes back with the picture. Frames must be decodable in this order. */
    push(frame: Vp8Frame, tag: number | undefined): void {
      behind = tags.length >= MAX_UNDER_WAY || (behind && !frame.key);
      if (behind) return;
      // Frames that are not shown give no picture.
      if (((frame.bytes[0]! >> 4) & 1) === 1) tags.push(tag);
      child.write(ivfFrameHeader({ number: number++, bytes: frame.bytes.length }));
      child.write(frame.bytes);
    },
    /** May be called twice. */
    close: () => child.close(),
  };
}

/** Pictures of a multipart stream whose parts tell their length. */
export function createMultipartReader(onPart: (bytes: Buffer) => void): (bytes: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  return (bytes) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    for (;;) {
      const head = held.indexOf(HEAD_END);
      if (head < 0) return;
      const length = /content-length: *(\d+)/i.exec(held.toString("latin1", 0, head))?.[1];
      const start = head + HEAD_END.length;
      const end = start + Number(length ?? 0);
      if (held.length < end) return;
      if (end > start) onPart(held.subarray(start, end));
      held = held.subarray(end);
    }
  };
}

export type VideoReceiver = ReturnType<typeof createVideoReceiver>;

export interface VideoReceiverOptions extends Omit<VideoDecoderOptions, "onPicture"> {
  readonly requestKeyFrame: Peer["requestKeyFrame"];
  /** Must not throw. */
  readonly onPicture: (picture: SessionPicture) => void;
}

export function createVideoReceiver(options: VideoReceiverOptions) {
  const pairing = createPicturePairing();
  const decoder = createVideoDecoder({
    ...options,
    onPicture: (jpeg, frameId) => options.onPicture({ jpeg, frameId }),
  });
  const add = createVp8Assembler({
    onFrame: (frame) => decoder.push(frame, pairing.frameOf(frame.timestamp)),
    onLoss: options.requestKeyFrame,
  });
  return {
    add,
    /** A result came for the frame of this time. */
    noteResult: pairing.note,
    close: decoder.close,
  };
}
