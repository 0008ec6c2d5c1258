// RTP packets of a VP8 track → one note per whole frame

export interface TrackPacket {
  readonly timestamp: number;
  readonly marker: boolean;
  readonly payload: Buffer;
}

export interface TrackFrame {
  /** Ticks of 1/90,000 s since the first frame. */
  readonly pts: number;
  readonly width: number;
  readonly height: number;
}

/** Counts frames by their last packet. A track whose first key frame has not come gives nothing: it cannot be decoded. */
export function createTrackReader(): { add(packet: TrackPacket): TrackFrame | undefined } {
  let first: number | undefined;
  let size: { width: number; height: number } | undefined;
  return {
    add({ timestamp, marker, payload }) {
      size = keyFrameSize(payload) ?? size;
      if (!marker || size === undefined) return undefined;
      first ??= timestamp;
      return { pts: (timestamp - first) >>> 0, ...size };
    },
  };
}

/** From the header of a VP8 key frame; `undefined` in the middle of a frame and in the frames between. */
function keyFrameSize(payload: Buffer): { width: number; height: number } | undefined {
  const start = payload[0] ?? 0;
  const isFirstPacket = (start & 0x10) !== 0 && (start & 0x07) === 0;
  const at = descriptorBytes(payload);
  if (!isFirstPacket || payload.length < at + 10 || (payload[at]! & 1) !== 0) return undefined;
  if (payload.readUIntBE(at + 3, 3) !== 0x9d012a) return undefined;
  return { width: payload.readUInt16LE(at + 6) & 0x3fff, height: payload.readUInt16LE(at + 8) & 0x3fff };
}

/** Length of the payload descriptor (RFC 7741, 4.2). */
function descriptorBytes(payload: Buffer): number {
  if (((payload[0] ?? 0) & 0x80) === 0) return 1;
  const extras = payload[1] ?? 0;
  const hasLongPicture = ((payload[2] ?? 0) & 0x80) !== 0;
  const picture = (extras & 0x80) === 0 ? 0 : 1 + Number(hasLongPicture);
  return 2 + picture + ((extras & 0x40) >> 6) + Number((extras & 0x30) !== 0);
}
