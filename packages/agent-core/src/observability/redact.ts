// anything that may be logged → the same without bytes and secrets
import type { Json } from "../types/json.ts";

const DATA_URL = /data:([a-z]+\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=_-]+)/gi;
/** Shorter values would blot out ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** VI-13: what stands where the bytes of a picture were. */
export function imagePlaceholder(mimeType: string, bytes: number): string {
  return `<image ${mimeType} ${bytes} bytes>`;
}

/** Takes out what must not be told. */
export interface Redactor {
  /** Strips secrets and the bytes of data URLs. */
  text(value: string): string;
  /** A copy that JSON can hold: bytes become placeholders, secrets `<secret>`, functions and cycles vanish. */
  value(value: unknown): Json;
}

/** Secrets shorter than six characters are ignored. */
export function createRedactor(options: { readonly secrets?: readonly string[] } = {}): Redactor {
  const secrets = (options.secrets ?? []).filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  const text = (value: string): string => {
    const bare = value.replace(DATA_URL, (_, mimeType: string, data: string) =>
      imagePlaceholder(mimeType, base64Bytes(data)),
    );
    return secrets.reduce((left, secret) => left.replaceAll(secret, "<secret>"), bare);
  };
  return { text, value: (value) => copy(value, text, new Set()) };
}

function copy(value: unknown, text: (value: string) => string, above: ReadonlySet<object>): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || above.has(value)) return null;
  if (ArrayBuffer.isView(value)) return imagePlaceholder("application/octet-stream", value.byteLength);
  const inside = new Set([...above, value]);
  if (Array.isArray(value)) return value.map((item) => copy(item, text, inside));
  if (value instanceof Error) return { name: value.name, message: text(value.message) };
  const source = base64Source(value);
  if (source) return source;
  const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined && typeof inner !== "function");
  return Object.fromEntries(pairs.map(([key, inner]) => [text(key), copy(inner, text, inside)]));
}

/** The provider's shape for inline pictures. */
function base64Source(value: object): string | undefined {
  if (!("type" in value && value.type === "base64" && "data" in value && typeof value.data === "string")) return;
  const mimeType = "media_type" in value && typeof value.media_type === "string" ? value.media_type : "unknown";
  return imagePlaceholder(mimeType, base64Bytes(value.data));
}

function base64Bytes(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}
