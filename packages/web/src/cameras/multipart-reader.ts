// bytes of multipart/mixed → whole parts
export interface MultipartPart {
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** `no_boundary` the header names none · `no_length` a part does not say its size · `too_large` headers or body over the limit. */
export type MultipartErrorKind = "no_boundary" | "no_length" | "too_large";

export class MultipartError extends Error {
  override readonly name = "MultipartError";
  readonly kind: MultipartErrorKind;

  constructor(kind: MultipartErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const HEADER_LIMIT_BYTES = 8192;
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

export function boundaryOf(contentType: string | null): string {
  const match = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? "");
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw new MultipartError("no_boundary", `No boundary in content type "${contentType}".`);
  return boundary;
}

/** Parts are cut by their Content-Length, so that a body may hold anything. */
export function createMultipartReader(boundary: string) {
  const delimiter = `--${boundary}`;
  let header: number[] = [];
  let part: { contentType: string; body: Uint8Array<ArrayBuffer>; filled: number } | undefined;

  const takeHeaderByte = (byte: number): void => {
    header.push(byte);
    if (header.length > HEADER_LIMIT_BYTES) throw new MultipartError("too_large", "The headers of a part do not end.");
    if (!endsWithBlankLine(header)) return;
    const text = String.fromCharCode(...header);
    header = [];
    const start = text.indexOf(delimiter);
    // A preamble before the first delimiter is no part.
    if (start >= 0) part = openPart(text.slice(start + delimiter.length));
  };

  return {
    /** Takes the next bytes, split anywhere, and returns the parts they complete. Throws `MultipartError`. */
    push(chunk: Uint8Array): readonly MultipartPart[] {
      const whole: MultipartPart[] = [];
      let offset = 0;
      while (offset < chunk.length) {
        if (part === undefined) {
          takeHeaderByte(chunk[offset]!);
          offset += 1;
        } else {
          const taken = chunk.subarray(offset, offset + part.body.length - part.filled);
          part.body.set(taken, part.filled);
          part.filled += taken.length;
          offset += taken.length;
        }
        if (part !== undefined && part.filled === part.body.length) {
          whole.push({ contentType: part.contentType, body: part.body });
          part = undefined;
        }
      }
      return whole;
    },
  };
}

function endsWithBlankLine(bytes: readonly number[]): boolean {
  const end = bytes.length;
  return (
    bytes[end - 1] === LINE_FEED &&
    bytes[end - 2] === CARRIAGE_RETURN &&
    bytes[end - 3] === LINE_FEED &&
    bytes[end - 4] === CARRIAGE_RETURN
  );
}

function openPart(headers: string): { contentType: string; body: Uint8Array<ArrayBuffer>; filled: number } {
  const length = /^content-length:[ \t]*(\d+)/im.exec(headers)?.[1];
  if (length === undefined) throw new MultipartError("no_length", "A part does not say its Content-Length.");
  const bytes = Number(length);
  if (bytes > BODY_LIMIT_BYTES) throw new MultipartError("too_large", `A part of ${bytes} bytes is over the limit.`);
  const contentType = /^content-type:[ \t]*([^\r\n;]+)/im.exec(headers)?.[1]?.trim().toLowerCase() ?? "";
  return { contentType, body: new Uint8Array(bytes), filled: 0 };
}
