// kept frame → JPEG for those who look, as fast as they look
import type { FrameResult } from "@vision-agent/protocol";
import type { KeptFrame } from "../frames/frame-ring.ts";
import type { Picture } from "./pipeline.ts";

export interface LiveEncoderOptions {
  readonly encode: (kept: KeptFrame) => Promise<Picture>;
  readonly onPicture: (picture: Picture, result: FrameResult) => void;
  readonly onError: (error: unknown) => void;
}

/** Encodes one picture at a time, and the next only when the last has been shown. What comes meanwhile is left out. */
export interface LiveEncoder {
  offer(kept: KeptFrame, result: FrameResult): void;
  /** The last picture has been shown. */
  shown(): void;
  setWatched(watched: boolean): void;
}

export function createLiveEncoder({ encode, onPicture, onError }: LiveEncoderOptions): LiveEncoder {
  let watched = false;
  let busy = false;
  return {
    offer(kept, result) {
      if (!watched || busy) return;
      busy = true;
      encode(kept).then(
        (picture) => onPicture(picture, result),
        (error: unknown) => {
          busy = false;
          onError(error);
        },
      );
    },
    shown() {
      busy = false;
    },
    setWatched(value) {
      watched = value;
    },
  };
}
