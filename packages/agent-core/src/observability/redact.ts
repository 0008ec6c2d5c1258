// anything that may be logged, traced or shown → the same without bytes and secrets
import type { Json } from "../types/json.ts";
import { copyRedacted, DISPLAY_LIMITS, type RedactLimits, readField, UNREADABLE } from "./redacted-copy.ts";
import { createSecretFilter, type Secrets } from "./secret-filter.ts";

const DATA_URL = /data:([a-z][\w.+-]*\/[\w.+-]+)(?:;[\w.-]+=[\w.-]+)*;base64,([A-Za-z0-9+/=_-]+)/gi;
const DATA_URL_MARK = /;base64,/i;
/** How the base64 of a picture begins. */
const PICTURES: readonly (readonly [beginning: string, mimeType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];
/** The whole of such a picture, also where it is broken into lines. */
const PICTURE_RUN = new RegExp(
  `(?<![A-Za-z0-9+/_-])(?:${PICTURES.map(([beginning]) => beginning).join("|")})` +
    "[A-Za-z0-9+/_-]{58,}(?:(?:\\r?\\n|(?:\\\\r)?\\\\n)[A-Za-z0-9+/_-]{16,})*={0,2}",
  "g",
);

const UNKNOWN_BYTES = "application/octet-stream";
/** 64 characters are 48 bytes: less shows nothing of a picture. */
const BASE64_RUN = 64;
const STANDARD_RUN = toRunPattern("[A-Za-z0-9+/]");
const URL_SAFE_RUN = toRunPattern("[A-Za-z0-9_-]");
const LOG_LIMITS: RedactLimits = { depth: 20, items: 1_000, chars: 20_000, values: 20_000 };

/** VI-13: what stands where the bytes of a picture were. */
export function imagePlaceholder(mimeType: string, bytes: number): string {
  return `<image ${mimeType} ${bytes} bytes>`;
}

/** Takes out what must not be told. None of its functions throws, whatever it is given. */
export interface Redactor {
  /** For logs and spans: strips secrets, data URLs and long runs of base64. */
  text(value: string): string;
  /**
   * For logs and spans: a bounded copy that JSON can hold. Bytes become placeholders, secrets `<secret>`;
   * functions vanish, cycles are null, and what cannot be read says so.
   */
  value(value: unknown): Json;
  /**
   * For what a person is shown, such as an event: the same shape, nothing cut. Strips secrets, data URLs, bytes and
   * base64 that begins like a picture; any other base64 may be the key or the digest that was asked for, and stays.
   * So does data that only its provider understands (`opaque`), but for secrets.
   */
  display<T>(value: T): T;
}

/** What must not be told. */
export interface RedactorOptions {
  /**
   * Keys and passwords. Those shorter than six characters are ignored: they would blot out ordinary words.
   * A function is asked each time and must not throw; what was a secret once stays one.
   */
  readonly secrets?: Secrets;
  /** A rule of the host for every text, such as passwords by their form. Where it throws, the text is not told. */
  readonly alsoHide?: (text: string) => string;
  readonly limits?: Partial<RedactLimits>;
}

/** VI-13: the one way out for everything that is logged, traced or shown. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const { alsoHide = String } = options;
  const secrets = createSecretFilter(options.secrets ?? []);
  const limits = { ...LOG_LIMITS, ...options.limits };
  const logged = (): ((value: string) => string) => {
    const withoutSecrets = secrets.asked();
    return (value) => withoutRuns(withoutPictures(withoutSecrets(alsoHide(value))));
  };
  return {
    text(value) {
      try {
        return logged()(value);
      } catch {
        // No memory, perhaps; the reason could quote what must not be told.
        return UNREADABLE;
      }
    },
    value: (value) => copyRedacted(value, { text: logged(), placeholder, limits }),
    display<T>(value: T): T {
      const opaqueText = secrets.asked();
      const text = (one: string): string => withoutPictures(opaqueText(alsoHide(one)));
      return copyRedacted(value, { text, placeholder, limits: DISPLAY_LIMITS, opaqueText }) as T;
    },
  };
}

/** How many bytes a base64 text holds. */
function base64Bytes(data: string): number {
  return Math.floor((data.replace(/[=\s]|\\[rn]/g, "").length * 3) / 4);
}

/** The look back keeps it from trying again at each letter of a run that is too short. Padding counts as a letter. */
function toRunPattern(letters: string): RegExp {
  const least = BASE64_RUN;
  return new RegExp(
    `(?<!${letters})(?:${letters}{${least},}={0,2}|${letters}{${least - 1}}=|${letters}{${least - 2}}==)`,
    "g",
  );
}

function withoutPictures(text: string): string {
  // Searching for a few letters is far quicker than a pattern.
  const withoutUrls = DATA_URL_MARK.test(text)
    ? text.replace(DATA_URL, (_, mimeType: string, data: string) => imagePlaceholder(mimeType, base64Bytes(data)))
    : text;
  if (withoutUrls.length < BASE64_RUN) return withoutUrls;
  const hasPicture = PICTURES.some(([beginning]) => withoutUrls.includes(beginning));
  return hasPicture ? withoutUrls.replace(PICTURE_RUN, describeRun) : withoutUrls;
}

function withoutRuns(text: string): string {
  if (text.length < BASE64_RUN) return text;
  return text
    .replace(STANDARD_RUN, (run) => (isDigest(run) || isPath(run) ? run : describeRun(run)))
    .replace(URL_SAFE_RUN, (run) => (isDigest(run) || !looksEncoded(run) ? run : describeRun(run)));
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
