// one frame of a source, or the bytes of a picture → JPEG for a server
import type { FrameMetadata } from "@vision-agent/protocol";
import type { FrameSource, OpenSourceOptions, Picture } from "@vision-agent/vision-engine";
import { BackendError } from "./backend.ts";

/** Opens a camera: the engine's function of the same name. */
export type OpenSource = (address: string, options: OpenSourceOptions) => Promise<FrameSource>;

/** Takes one frame of a source. Throws what `openSource` throws, or the reason of the signal. */
export type Capture = (address: string, sourceId: string, signal?: AbortSignal) => Promise<Picture>;

/** Detectors see little of what is lost above it, and the bytes are a tenth of a PNG's. */
const QUALITY = 90;

export function createCapture(options: {
  readonly openSource: OpenSource;
  readonly clock: OpenSourceOptions["clock"];
}): Capture {
  return async (address, sourceId, signal = new AbortController().signal) => {
    const source = await options.openSource(address, { sourceId, clock: options.clock, signal });
    try {
      const frame = await source.next(signal);
      if (frame === undefined) {
        throw new BackendError({ kind: "source", message: `${source.label} ended before its first picture.` });
      }
      const { width, height } = frame.metadata;
      const jpeg = await encodeJpeg(frame.rgba, { width, height });
      return { jpeg, width, height, frame: frame.metadata };
    } finally {
      await source.close();
    }
  };
}

async function encodeJpeg(
  rgba: Uint8ClampedArray,
  size: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  const { default: sharp } = await import("sharp");
  return sharp(rgba, { raw: { ...size, channels: 4 } })
    .removeAlpha()
    .jpeg({ quality: QUALITY })
    .toBuffer();
}

/** An encoded picture as JPEG, upright. A JPEG that is upright stays as it is. Throws `BackendError` kind `source`. */
export async function toPicture(
  bytes: Uint8Array,
  frame: Pick<FrameMetadata, "source_id" | "timestamp">,
): Promise<Picture> {
  const { default: sharp } = await import("sharp");
  try {
    const image = sharp(bytes, { limitInputPixels: 100_000_000 });
    const { format, orientation = 1, width, height } = await image.metadata();
    if (format === "jpeg" && orientation === 1) return ofBytes(bytes, { width, height }, frame);
    const upright = image.rotate().flatten().jpeg({ quality: QUALITY });
    const { data, info } = await upright.toBuffer({ resolveWithObject: true });
    return ofBytes(data, info, frame);
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): BackendError {
  const message = "The picture is damaged or of a kind that cannot be read; give a JPEG, PNG or WebP.";
  return new BackendError({ kind: "source", message, cause });
}

function ofBytes(
  jpeg: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  frame: Pick<FrameMetadata, "source_id" | "timestamp">,
): Picture {
  return { jpeg, width, height, frame: { ...frame, frame_number: 1, width, height, fps: 0 } };
}
