// packets of the track that comes back → VP8 → pictures with their frame
import type { ClientError } from "../errors.ts";
import type { Peer } from "./peer.ts";
import { createPicturePairing } from "./pts-pairs.ts";
import type { SessionPicture } from "./session.ts";
import { createVideoDecoder } from "./video-decoder.ts";
import { createVp8Assembler, type Vp8Packet } from "./vp8-rtp.ts";

export interface VideoReceiver {
  add(packet: Vp8Packet): void;
  /** A result came for the frame of this time. */
  noteResult(ticks: number, frameId: number): void;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface VideoReceiverOptions {
  readonly ffmpegPath: string;
  readonly requestKeyFrame: Peer["requestKeyFrame"];
  /** Must not throw. */
  readonly onPicture: (picture: SessionPicture) => void;
  /** Must not throw. */
  readonly onFailure: (error: ClientError) => void;
}

export function createVideoReceiver(options: VideoReceiverOptions): VideoReceiver {
  const pairing = createPicturePairing();
  const decoder = createVideoDecoder({
    ffmpegPath: options.ffmpegPath,
    onPicture: (jpeg, frameId) => options.onPicture({ jpeg, frameId }),
    onFailure: options.onFailure,
  });
  const assembler = createVp8Assembler({
    onFrame: (frame) => decoder.push(frame, pairing.frameOf(frame.timestamp)),
    onLoss: options.requestKeyFrame,
  });
  return { add: assembler.add, noteResult: pairing.note, close: decoder.close };
}
