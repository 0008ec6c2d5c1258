// chunks of the channel `video_upload` → a file, once every one of them is there

export const CHUNK_BYTES = 49_152;
const HEADER_BYTES = 8;

export interface Upload {
  readonly bytes: number;
  /** `echo`: a keep-alive to send back · `complete`: the last missing chunk · `bad`: not the framing of an upload. */
  add(message: Buffer | string): "echo" | "kept" | "complete" | "bad";
}

export function createUpload(): Upload {
  const chunks = new Map<number, number>();
  let total: number | undefined;
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    add(message) {
      if (typeof message === "string") return "bad";
      if (message.length === 1) return "echo";
      if (message.length <= HEADER_BYTES || message.length > HEADER_BYTES + CHUNK_BYTES) return "bad";
      const [index, count] = [message.readUInt32LE(0), message.readUInt32LE(4)];
      if (index >= count || count !== (total ?? count)) return "bad";
      total = count;
      if (!chunks.has(index)) bytes += message.length - HEADER_BYTES;
      chunks.set(index, message.length - HEADER_BYTES);
      return chunks.size === total ? "complete" : "kept";
    },
  };
}
