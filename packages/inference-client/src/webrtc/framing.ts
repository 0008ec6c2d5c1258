// bytes of a data channel ↔ chunks ↔ messages
import { gunzipSync } from "node:zlib";
import { ClientError } from "../errors.ts";

/** Payload of one chunk, in both directions. */
export const CHUNK_BYTES = 49_152;
const RESULT_HEADER_BYTES = 12;
const UPLOAD_HEADER_BYTES = 8;
/** A message of the server is never larger, packed or unpacked; what is larger is refused. */
export const MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_PARTIAL_MESSAGES = 8;

/** `partial` more chunks are needed · `bad` says what is wrong with the bytes. */
export type Assembled =
  | { readonly kind: "message"; readonly frameId: number; readonly payload: Buffer }
  | { readonly kind: "partial" }
  | { readonly kind: "bad"; readonly reason: string };

export interface Reassembly {
  add(bytes: Buffer): Assembled;
  /** Bytes of messages that are not complete. */
  readonly heldBytes: number;
}

interface PartialMessage {
  readonly chunks: (Buffer | undefined)[];
  missing: number;
  bytes: number;
}

/** Puts chunks together by frame; the oldest incomplete message goes when there are more than eight or they are too large. */
export function createReassembly(maxBytes: number = MESSAGE_BYTES): Reassembly {
  const partial = new Map<number, PartialMessage>();
  let heldBytes = 0;

  function drop(frameId: number): void {
    heldBytes -= partial.get(frameId)?.bytes ?? 0;
    partial.delete(frameId);
  }

  function keep({ frameId, index, total, payload }: ResultChunk): Assembled {
    const message = partial.get(frameId) ?? { chunks: Array(total), missing: total, bytes: 0 };
    if (message.chunks.length !== total) {
      drop(frameId);
      return bad(`frame ${frameId} changed its number of chunks`);
    }
    if (message.chunks[index] !== undefined) return bad(`chunk ${index} of frame ${frameId} came twice`);
    message.chunks[index] = payload;
    message.missing -= 1;
    message.bytes += payload.length;
    heldBytes += payload.length;
    partial.set(frameId, message);
    if (message.missing === 0) {
      drop(frameId);
      return { kind: "message", frameId, payload: Buffer.concat(message.chunks as Buffer[]) };
    }
    while (partial.size > MAX_PARTIAL_MESSAGES || heldBytes > maxBytes) drop(partial.keys().next().value!);
    return { kind: "partial" };
  }

  return {
    get heldBytes() {
      return heldBytes;
    },
    add(bytes) {
      const chunk = parseResultChunk(bytes);
      if (chunk === undefined) return bad("this is no chunk of a message");
      if (chunk.total === 1) return { kind: "message", frameId: chunk.frameId, payload: chunk.payload };
      if (chunk.total > Math.ceil(maxBytes / CHUNK_BYTES)) return bad(`${chunk.total} chunks are too many`);
      return keep(chunk);
    },
  };
}

interface ResultChunk {
  readonly frameId: number;
  readonly index: number;
  readonly total: number;
  readonly payload: Buffer;
}

function parseResultChunk(bytes: Buffer): ResultChunk | undefined {
  if (bytes.length < RESULT_HEADER_BYTES) return undefined;
  const [frameId, index, total] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
  return index < total ? { frameId, index, total, payload: bytes.subarray(RESULT_HEADER_BYTES) } : undefined;
}

function bad(reason: string): Assembled {
  return { kind: "bad", reason };
}

/** How the server cuts a message. */
export function toResultChunks(frameId: number, payload: Uint8Array): readonly Buffer[] {
  const total = Math.max(1, Math.ceil(payload.length / CHUNK_BYTES));
  return Array.from({ length: total }, (_, index) => {
    const part = payload.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
    const chunk = Buffer.allocUnsafe(RESULT_HEADER_BYTES + part.length);
    chunk.writeUInt32LE(frameId, 0);
    chunk.writeUInt32LE(index, 4);
    chunk.writeUInt32LE(total, 8);
    chunk.set(part, RESULT_HEADER_BYTES);
    return chunk;
  });
}

/** Text of a message, unpacked where it is gzip. Throws `ClientError` kind `protocol`. */
export function toMessageText(payload: Buffer, maxBytes: number = MESSAGE_BYTES): string {
  try {
    const packed = payload[0] === 0x1f && payload[1] === 0x8b;
    const plain = packed ? gunzipSync(payload, { maxOutputLength: maxBytes }) : payload;
    return new TextDecoder("utf-8", { fatal: true }).decode(plain);
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): ClientError {
  return new ClientError({ kind: "protocol", message: "A message of the server cannot be unpacked.", cause });
}

/** Chunks of a file of so many bytes. */
export function countUploadChunks(fileBytes: number): number {
  return Math.ceil(fileBytes / CHUNK_BYTES);
}

/** Room for one chunk of an upload: the header is written, the payload is to be filled in. */
export function createUploadChunk(chunk: { index: number; total: number; payloadBytes: number }): {
  readonly bytes: Buffer;
  readonly payload: Buffer;
} {
  const bytes = Buffer.allocUnsafe(UPLOAD_HEADER_BYTES + chunk.payloadBytes);
  bytes.writeUInt32LE(chunk.index, 0);
  bytes.writeUInt32LE(chunk.total, 4);
  return { bytes, payload: bytes.subarray(UPLOAD_HEADER_BYTES) };
}

/** Undefined where the bytes are no chunk of an upload. */
export function parseUploadChunk(
  bytes: Buffer,
): { readonly index: number; readonly total: number; readonly payload: Buffer } | undefined {
  if (bytes.length <= UPLOAD_HEADER_BYTES) return undefined;
  const [index, total] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  return index < total ? { index, total, payload: bytes.subarray(UPLOAD_HEADER_BYTES) } : undefined;
}
