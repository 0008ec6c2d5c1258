// VP8 frames ↔ payloads of RTP packets (RFC 7741)

/** Small enough for any path, with room for the headers. */
const PAYLOAD_BYTES = 1100;
const FIRST = 0x90;
const LATER = 0x80;
/** Frames that may be waited for while packets are sent again. */
const MAX_PENDING = 16;

/** Payloads of one frame: a descriptor with a picture number of 15 bits, then a part of the frame. */
export function toVp8Payloads(frame: Buffer, pictureId: number): readonly Buffer[] {
  const total = Math.max(1, Math.ceil(frame.length / PAYLOAD_BYTES));
  return Array.from({ length: total }, (_, index) => {
    const part = frame.subarray(index * PAYLOAD_BYTES, (index + 1) * PAYLOAD_BYTES);
    const id = pictureId & 0x7fff;
    return Buffer.concat([Buffer.from([index === 0 ? FIRST : LATER, 0x80, 0x80 | (id >> 8), id & 0xff]), part]);
  });
}

export interface Vp8Packet {
  /** 16 bits. */
  readonly sequenceNumber: number;
  /** 32 bits; the same for all packets of a frame. */
  readonly timestamp: number;
  /** On the last packet of a frame. */
  readonly marker: boolean;
  readonly payload: Buffer;
}

export interface Vp8Frame {
  readonly timestamp: number;
  readonly key: boolean;
  readonly bytes: Buffer;
}

interface PendingFrame {
  readonly timestamp: number;
  readonly parts: Map<number, { readonly first: boolean; readonly marker: boolean; readonly bytes: Buffer }>;
}

/**
 * Whole frames in the order of their times, each decodable: after a loss nothing comes until the next key frame,
 * and `onLoss` is told, so that one can be asked for.
 */
export function createVp8Assembler(listen: {
  onFrame(frame: Vp8Frame): void;
  onLoss(): void;
}): (packet: Vp8Packet) => void {
  let pending: PendingFrame[] = [];
  let lastGiven: { readonly timestamp: number; readonly sequenceNumber: number } | undefined;
  let waitsForKey = true;

  function give(frame: WholeFrame): void {
    const gap = lastGiven !== undefined && frame.firstSequence !== ((lastGiven.sequenceNumber + 1) & 0xffff);
    if (gap && !waitsForKey) lose();
    lastGiven = { timestamp: frame.timestamp, sequenceNumber: frame.lastSequence };
    const key = (frame.bytes[0]! & 1) === 0;
    if (waitsForKey && !key) return;
    waitsForKey = false;
    listen.onFrame({ timestamp: frame.timestamp, key, bytes: frame.bytes });
  }

  function lose(): void {
    waitsForKey = true;
    listen.onLoss();
  }

  function giveWhole(): void {
    for (let whole = toWhole(pending[0]); whole !== undefined; whole = toWhole(pending[0])) {
      pending = pending.slice(1);
      if (whole.bytes.length > 0) give(whole);
    }
  }

  return (packet) => {
    const late = lastGiven !== undefined && ((packet.timestamp - lastGiven.timestamp) | 0) <= 0;
    const part = toPart(packet);
    if (late || part === undefined) return;
    keepPart(pending, packet, part);
    if (pending.length > MAX_PENDING) {
      pending.shift();
      if (!waitsForKey) lose();
    }
    giveWhole();
  };
}

interface WholeFrame {
  readonly timestamp: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly bytes: Buffer;
}

function keepPart(pending: PendingFrame[], packet: Vp8Packet, part: { first: boolean; bytes: Buffer }): void {
  let frame = pending.find(({ timestamp }) => timestamp === packet.timestamp);
  if (frame === undefined) {
    frame = { timestamp: packet.timestamp, parts: new Map() };
    pending.push(frame);
    pending.sort((a, b) => (a.timestamp - b.timestamp) | 0);
  }
  frame.parts.set(packet.sequenceNumber, { ...part, marker: packet.marker });
}

/** The frame's bytes when every packet from the first to the one with the marker is there. */
function toWhole(frame: PendingFrame | undefined): WholeFrame | undefined {
  if (frame === undefined) return undefined;
  const { timestamp, parts } = frame;
  const begin = [...parts].find(([, part]) => part.first)?.[0];
  if (begin === undefined) return undefined;
  const bytes: Buffer[] = [];
  for (let sequence = begin; ; sequence = (sequence + 1) & 0xffff) {
    const part = parts.get(sequence);
    if (part === undefined) return undefined;
    bytes.push(part.bytes);
    if (part.marker) return { timestamp, firstSequence: begin, lastSequence: sequence, bytes: Buffer.concat(bytes) };
  }
}

/** Undefined for a payload that is too short to be one. */
function toPart({ payload }: Vp8Packet): { readonly first: boolean; readonly bytes: Buffer } | undefined {
  const flags = payload[0];
  if (flags === undefined) return undefined;
  let at = 1;
  if ((flags & 0x80) !== 0) {
    const extensions = payload[at++] ?? 0;
    if ((extensions & 0x80) !== 0) at += ((payload[at] ?? 0) & 0x80) !== 0 ? 2 : 1;
    if ((extensions & 0x40) !== 0) at += 1;
    if ((extensions & 0x30) !== 0) at += 1;
  }
  if (at > payload.length) return undefined;
  return { first: (flags & 0x10) !== 0 && (flags & 0x07) === 0, bytes: payload.subarray(at) };
}
