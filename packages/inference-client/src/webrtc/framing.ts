// bytes of a data channel ↔ chunks ↔ messages
import { gunzipSync } from "node:zlib";
import type { Json } from "@vision-agent/protocol";
import { z } from "zod";
import { type ClientError, clientError } from "../errors.ts";

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

interface PartialMessage {
  readonly chunks: (Buffer | undefined)[];
  missing: number;
  bytes: number;
}

/** Puts chunks together by frame; the oldest incomplete message goes when there are more than eight or they are too large. */
export function createReassembly(maxBytes: number = MESSAGE_BYTES) {
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
    /** Of messages that are not complete. */
    get heldBytes() {
      return heldBytes;
    },
    add(bytes: Buffer): Assembled {
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

/** Text of a message, unpacked where it is gzip. Throws `ClientError` kind `protocol`. */
export function toMessageText(payload: Buffer, maxBytes: number = MESSAGE_BYTES): string {
  try {
    const packed = payload[0] === 0x1f && payload[1] === 0x8b;
    const plain = packed ? gunzipSync(payload, { maxOutputLength: maxBytes }) : payload;
    return new TextDecoder("utf-8", { fatal: true }).decode(plain);
  } catch (cause) {
    throw unreadable("cannot be unpacked", cause);
  }
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

/** Ticks of a second in the clock of video tracks. */
export const TICKS_PER_SECOND = 90_000;

const messageSchema = z
  .object({
    serialized_output_data: z.record(z.string(), z.custom<Json>()).nullish(),
    video_metadata: z
      .object({
        received_at: z.string().nullish(),
        pts: z.number().nullish(),
        time_base: z.number().nullish(),
        width: z.number().nullish(),
        height: z.number().nullish(),
      })
      .nullish(),
    errors: z.array(z.string()).nullish(),
    processing_complete: z.boolean().nullish(),
    termination_reason: z.string().nullish(),
  })
  .transform(({ serialized_output_data, video_metadata, errors, processing_complete, termination_reason }) => {
    const timeLimit = termination_reason === "timeout_reached";
    if (processing_complete === true) return { kind: "complete", timeLimit } as const;
    const { pts, time_base, width, height, received_at } = video_metadata ?? {};
    return {
      kind: "result",
      /** Serialised workflow outputs by name; images only where they were asked for by name. */
      outputs: serialized_output_data ?? {},
      /** What went wrong with this frame. The stream goes on. */
      errors: errors ?? [],
      width: width ?? undefined,
      height: height ?? undefined,
      /** Time of the frame in the video, in seconds. */
      videoSeconds: typeof pts === "number" && typeof time_base === "number" ? pts * time_base : undefined,
      /** The server's clock when the frame arrived there, as it wrote it (no time zone). */
      receivedAt: received_at ?? undefined,
    } as const;
  });
export type ParsedMessage = z.output<typeof messageSchema>;

/** Throws `ClientError` kind `protocol`. */
export function parseMessage(text: string): ParsedMessage {
  const parsed = messageSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw unreadable("has no known shape");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable("is no JSON", cause);
  }
}

function unreadable(what: string, cause?: unknown): ClientError {
  return clientError("protocol", `A message of the server ${what}.`, { cause });
}
