// text with secrets, whole or in pieces → the same without them
import { copyRedacted, RECORD_LIMITS } from "./redacted-copy.ts";

/** Keys and passwords, or a function that is asked each time and must not throw. */
export type Secrets = readonly string[] | (() => readonly string[]);

/** Takes out secrets and nothing else. What was a secret once stays one; those shorter than six characters are ignored. */
export type SecretFilter = ReturnType<typeof createSecretFilter>;
/** What may be the beginning of a secret waits for the rest. */
export type SecretPieces = ReturnType<SecretFilter["pieces"]>;

/** Shorter values would blot out ordinary words. */
const MIN_SECRET_LENGTH = 6;
const INSTEAD = "<secret>";

interface Known {
  readonly forms: readonly string[];
  readonly pattern: RegExp | undefined;
}

export function createSecretFilter(secrets: Secrets) {
  const find = createFinder(secrets);
  const text = (value: string): string => {
    const { pattern } = find();
    return pattern ? value.replace(pattern, INSTEAD) : value;
  };
  return {
    text,
    /** The same shape. Data that only its provider understands stays as it came. */
    record: <T>(value: T): T =>
      copyRedacted(value, { text, placeholder: () => undefined, limits: RECORD_LIMITS, keepOpaque: true }) as T,
    /** For one text that comes in pieces. */
    pieces() {
      let waiting = "";
      return {
        /** What may be shown now. */
        take(piece: string): string {
          const { shown, held } = split(waiting + piece, find());
          waiting = held;
          return shown;
        },
        /** What still waited; begins anew. */
        rest(): string {
          const last = text(waiting);
          waiting = "";
          return last;
        },
      };
    },
  };
}

function createFinder(secrets: Secrets): () => Known {
  const all = new Set<string>();
  let known: Known = { forms: [], pattern: undefined };
  return () => {
    const before = all.size;
    for (const secret of typeof secrets === "function" ? secrets() : secrets) all.add(secret);
    if (all.size > before) known = toKnown([...all]);
    return known;
  };
}

/** Each secret as it is, as JSON writes it and as a URL does. Longest first, so that none leaves its end behind. */
function toKnown(secrets: readonly string[]): Known {
  const written = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]);
  const forms = [...new Set(written)].sort((a, b) => b.length - a.length);
  if (forms.length === 0) return { forms, pattern: undefined };
  const escaped = forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return { forms, pattern: new RegExp(escaped.join("|"), "g") };
}

/** A secret that is whole goes at once, unless it may still grow into a longer one. */
function split(text: string, { forms, pattern }: Known): { readonly shown: string; readonly held: string } {
  if (!pattern) return { shown: text, held: "" };
  const heldAt = text.length - longestBeginning(text, forms);
  let [shown, at] = ["", 0];
  for (const match of text.matchAll(pattern)) {
    if (match.index >= heldAt) break;
    shown += text.slice(at, match.index) + INSTEAD;
    at = match.index + match[0].length;
  }
  const end = Math.max(at, heldAt);
  return { shown: shown + text.slice(at, end), held: text.slice(end) };
}

/** How many characters at the end of the text are the beginning of a form, and not yet all of it. */
function longestBeginning(text: string, forms: readonly string[]): number {
  let longest = 0;
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length > longest; length -= 1) {
      if (!text.endsWith(form.slice(0, length))) continue;
      longest = length;
      break;
    }
  }
  return longest;
}
