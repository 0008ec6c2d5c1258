// anything that may be logged, told or written → the same without bytes and secrets
import type { Json } from "../types/json.ts";
import { copyRedacted, RECORD_LIMITS, type RedactLimits, readField } from "./redacted-copy.ts";
import { createSecretFilter, type SecretFilter, type Secrets } from "./secret-filter.ts";

const DATA_URL = /data:([a-z]+\/[\w.+-]+)(?:;[\w.-]+=[\w.-]+)*;base64,([A-Za-z0-9+/=_-]+)/gi;
/** How the base64 of a picture begins. */
const PICTURES: readonly (readonly [beginning: string, mimeType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

const UNKNOWN_BYTES = "application/octet-stream";
/** 64 characters are 48 bytes: less shows nothing of a picture. */
const BASE64_RUN = 64;
const LOG_LIMITS: RedactLimits = { depth: 20, items: 1_000, chars: 20_000, values: 20_000 };

/** VI-13: what stands where the bytes of a picture were. */
export function imagePlaceholder(mimeType: string, bytes: number): string {
  return `<image ${mimeType} ${bytes} bytes>`;
}

/** Takes out what must not be told. None of its functions throws, whatever it is given. */
export interface Redactor {
  /** Strips secrets, data URLs and long runs of base64. */
  text(value: string): string;
  /**
   * For logs and spans: a bounded copy that JSON can hold. Bytes become placeholders, secrets `<secret>`;
   * functions vanish, cycles are null, and what cannot be read says so.
   */
  value(value: unknown): Json;
  /**
   * For what is read again, such as an event or a line of a transcript: the same shape, nothing cut. Data that only
   * its provider understands (`opaque`, as in signed reasoning) stays as it came, because a changed one is refused.
   */
  record<T>(value: T): T;
}

/** What must not be told. */
export interface RedactorOptions {
  /**
   * Keys and passwords. Those shorter than six characters are ignored: they would blot out ordinary words.
   * A function is asked each time and must not throw; what was a secret once stays one.
   */
  readonly secrets?: Secrets;
  /** The shortest run of base64 that is taken for bytes. Default 64; `Infinity` leaves all but data URLs. */
  readonly base64Run?: number;
  readonly limits?: Partial<RedactLimits>;
}

/** VI-13: the one way out for everything that is logged, told or written. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const text = createTextRedactor(createSecretFilter(options.secrets ?? []), options.base64Run ?? BASE64_RUN);
  const limits = { ...LOG_LIMITS, ...options.limits };
  return {
    text,
    value: (value) => copyRedacted(value, { text, placeholder, limits, keepOpaque: false }),
    record: <T>(value: T): T =>
      copyRedacted(value, { text, placeholder, limits: RECORD_LIMITS, keepOpaque: true }) as T,
  };
}

/** How many bytes a base64 text holds. */
function base64Bytes(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}

/** A function that strips the secrets, data URLs, and runs of base64 of at least `base64Run` characters. */
function createTextRedactor(secrets: SecretFilter, base64Run: number): (value: string) => string {
  const runs = Number.isFinite(base64Run) ? toRunPatterns(base64Run) : undefined;
  return (value) => {
    const withoutUrls = secrets
      .text(value)
      .replace(DATA_URL, (_, mimeType: string, data: string) => imagePlaceholder(mimeType, base64Bytes(data)));
    if (!runs || withoutUrls.length < base64Run) return withoutUrls;
    return withoutUrls
      .replace(runs.standard, (run) => (isDigest(run) || isPath(run) ? run : describeRun(run)))
      .replace(runs.urlSafe, (run) => (isDigest(run) || !looksEncoded(run) ? run : describeRun(run)));
  };
}

/** The look back keeps it from trying again at each letter of a run that is too short. */
function toRunPatterns(least: number): { readonly standard: RegExp; readonly urlSafe: RegExp } {
  // Padding counts as a letter of the run.
  const patternOf = (letters: string): RegExp =>
    new RegExp(
      `(?<!${letters})(?:${letters}{${least},}={0,2}|${letters}{${least - 1}}=|${letters}{${least - 2}}==)`,
      "g",
    );
  return { standard: patternOf("[A-Za-z0-9+/]"), urlSafe: patternOf("[A-Za-z0-9_-]") };
}

/** SHA-256, SHA-384 and SHA-512 as hex name things; they hold none. */
function isDigest(run: string): boolean {
  return (run.length === 64 || run.length === 96 || run.length === 128) && /^[0-9a-f]+$/.test(run);
}

/** A long path: mostly small letters, with a single slash every few. */
function isPath(run: string): boolean {
  const slashes = run.match(/\//g)?.length ?? 0;
  const small = run.match(/[a-z]/g)?.length ?? 0;
  return slashes >= run.length / 16 && !run.includes("//") && small >= run.length * 0.6;
}

/** Long names have these letters too, but hardly all kinds of them. */
function looksEncoded(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9]/.test(run);
}

function describeRun(run: string): string {
  const picture = PICTURES.find(([beginning]) => run.startsWith(beginning));
  return picture ? imagePlaceholder(picture[1], base64Bytes(run)) : `<base64 ${base64Bytes(run)} bytes>`;
}

/** What stands for an object that is bytes, or holds them under a name that says so. */
function placeholder(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return imagePlaceholder(UNKNOWN_BYTES, value.byteLength);
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return imagePlaceholder(UNKNOWN_BYTES, value.byteLength);
  }
  const [type, data] = [readField(value, "type").value, readField(value, "data").value];
  if (type === "Buffer" && Array.isArray(data)) return imagePlaceholder(UNKNOWN_BYTES, data.length);
  if (type !== "base64" || typeof data !== "string") return undefined;
  const mimeType = readField(value, "media_type").value;
  return imagePlaceholder(typeof mimeType === "string" ? mimeType : "unknown", base64Bytes(data));
}
