import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/** What a file must hash to, written as its source writes it. */
export interface Checksum {
  readonly algorithm: "sha256" | "sha512" | "md5";
  readonly encoding: "hex" | "base64";
  readonly value: string;
}

export async function matchesChecksum(file: string, checksum: Checksum, signal?: AbortSignal): Promise<boolean> {
  const hash = createHash(checksum.algorithm);
  await pipeline(createReadStream(file), hash, { ...(signal && { signal }) });
  return hash.digest(checksum.encoding) === checksum.value;
}
