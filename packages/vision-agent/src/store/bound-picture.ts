// the picture of an event → the same, small enough to be kept for weeks
import { readImageHeader } from "@vision-agent/agent-core";

const WIDEST = 960;
const HEAVIEST_BYTES = 120_000;

/** At most 960 pixels wide. What cannot be read as a picture stays as it is: something is better than nothing. */
export async function boundPicture(
  bytes: Uint8Array,
  resize: (bytes: Uint8Array, options: { readonly width: number }) => Promise<{ readonly bytes: Uint8Array }>,
): Promise<Uint8Array> {
  const header = readImageHeader(bytes);
  if (header === undefined || ((header.width ?? 0) <= WIDEST && bytes.length <= HEAVIEST_BYTES)) return bytes;
  const { bytes: smaller } = await resize(bytes, { width: WIDEST });
  return smaller.length < bytes.length ? smaller : bytes;
}
