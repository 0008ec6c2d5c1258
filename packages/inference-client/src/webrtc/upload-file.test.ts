import { randomBytes } from "node:crypto";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseUploadChunk } from "../testing/server-framing.ts";
import { CHUNK_BYTES } from "./framing.ts";
import type { SendingChannel } from "./peer.ts";
import { openUpload, UPLOAD_BUFFER_BYTES } from "./upload-file.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "upload-"));
  path = join(folder, "video.mp4");
});

afterEach(() => rm(folder, { recursive: true }));

describe("openUpload", () => {
  it("never has more than 256 KiB wait in the channel, and sends every byte once", async () => {
    const bytes = randomBytes(50 * CHUNK_BYTES + 5);
    await writeFile(path, bytes);
    const channel = slowChannel();
    const upload = await openUpload(path);
    await upload.send(channel, AbortSignal.timeout(10_000));
    await upload.close();
    const chunks = channel.sent.map(parseUploadChunk);
    expect(channel.most).toBeLessThanOrEqual(UPLOAD_BUFFER_BYTES);
    expect(chunks.map((chunk) => chunk?.index)).toEqual(Array.from({ length: 51 }, (_, index) => index));
    expect(new Set(chunks.map((chunk) => chunk?.total))).toEqual(new Set([51]));
    expect(Buffer.concat(chunks.map((chunk) => chunk!.payload)).equals(bytes)).toBe(true);
  });

  it("stops with the signal", async () => {
    await writeFile(path, Buffer.alloc(50 * CHUNK_BYTES));
    const stop = new AbortController();
    const upload = await openUpload(
      path,
      ({ sentBytes }) => sentBytes > 3 * CHUNK_BYTES && stop.abort(new Error("enough")),
    );
    await expect(upload.send(slowChannel(), stop.signal)).rejects.toThrow("enough");
    await upload.close();
    await upload.close();
  });

  it("says that a file became shorter", async () => {
    await writeFile(path, Buffer.alloc(3 * CHUNK_BYTES));
    const upload = await openUpload(path);
    await truncate(path, CHUNK_BYTES);
    await expect(upload.send(slowChannel(), AbortSignal.timeout(5000))).rejects.toMatchObject({ kind: "invalid" });
    await upload.close();
  });

  it("refuses an empty file", async () => {
    await writeFile(path, "");
    await expect(openUpload(path)).rejects.toMatchObject({ kind: "invalid", message: "The video file is empty." });
  });
});

/** Takes one message of what waits whenever it is asked whether there is room. */
function slowChannel(): SendingChannel & { readonly sent: Buffer[]; readonly most: number } {
  const sent: Buffer[] = [];
  const waiting: number[] = [];
  let most = 0;
  const bufferedAmount = (): number => waiting.reduce((sum, bytes) => sum + bytes, 0);
  return {
    sent,
    get most() {
      return most;
    },
    send(data) {
      sent.push(data as Buffer);
      waiting.push(data.length);
      most = Math.max(most, bufferedAmount());
    },
    async drained(bytes, signal) {
      signal.throwIfAborted();
      while (bufferedAmount() > bytes) waiting.shift();
    },
  };
}
