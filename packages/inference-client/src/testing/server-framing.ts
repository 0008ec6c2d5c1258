// the server's side of a data channel: results cut into chunks, chunks of an upload read
import { CHUNK_BYTES } from "../webrtc/framing.ts";

const RESULT_HEADER_BYTES = 12;
const UPLOAD_HEADER_BYTES = 8;

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

/** Undefined where the bytes are no chunk of an upload. */
export function parseUploadChunk(
  bytes: Buffer,
): { readonly index: number; readonly total: number; readonly payload: Buffer } | undefined {
  if (bytes.length <= UPLOAD_HEADER_BYTES) return undefined;
  const [index, total] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  return index < total ? { index, total, payload: bytes.subarray(UPLOAD_HEADER_BYTES) } : undefined;
}
