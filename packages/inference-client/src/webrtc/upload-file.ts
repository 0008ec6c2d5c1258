// a video file on disk → chunks on the upload channel, no faster than the network takes them
import { open } from "node:fs/promises";
import { type ClientError, clientError } from "../errors.ts";
import { CHUNK_BYTES, countUploadChunks, createUploadChunk } from "./framing.ts";
import type { SendingChannel } from "./peer.ts";
import type { UploadProgress } from "./session.ts";

/** No more than this waits in the channel. */
export const UPLOAD_BUFFER_BYTES = 262_144;
/** Sending goes on when so little waits that one more chunk fits. */
const RESUME_BYTES = UPLOAD_BUFFER_BYTES - 2 * CHUNK_BYTES;

export type OpenedFile = Awaited<ReturnType<typeof openUpload>>;

/** Opens the file, so that one that cannot be sent is told before a server starts anything. Throws `ClientError`. */
export async function openUpload(path: string, onProgress?: (progress: UploadProgress) => void) {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw unreadable(cause);
  });
  const { size, isFile } = await file.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }));
  if (!isFile || size === 0) {
    await file.close();
    throw clientError("invalid", isFile ? "The video file is empty." : "This is no file that could be uploaded.");
  }
  return {
    bytes: size,
    /** Resolves when the network has taken everything. Throws `ClientError`, or the reason of the signal. */
    async send(channel: SendingChannel, signal: AbortSignal): Promise<void> {
      const total = countUploadChunks(size);
      for (let index = 0; index < total; index++) {
        await channel.drained(RESUME_BYTES, signal);
        const at = index * CHUNK_BYTES;
        const { bytes, payload } = createUploadChunk({ index, total, payloadBytes: Math.min(CHUNK_BYTES, size - at) });
        const { bytesRead } = await file.read(payload, 0, payload.length, at);
        if (bytesRead < payload.length)
          throw clientError("invalid", "The video file became shorter while it was uploaded.");
        signal.throwIfAborted();
        channel.send(bytes);
        onProgress?.({ sentBytes: at + payload.length, totalBytes: size });
      }
      await channel.drained(0, signal);
    },
    /** May be called twice. */
    close: () => file.close(),
  };
}

function unreadable(cause: unknown): ClientError {
  const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
  const message = missing ? "The video file does not exist." : "The video file may not be read.";
  return clientError(missing ? "not_found" : "invalid", message, { cause });
}
