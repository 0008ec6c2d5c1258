// values with secrets in them ⇄ the same with tokens, which only this host can turn back
import { createHmac } from "node:crypto";
import { FIELD_NAME } from "./redacted-copy.ts";
import {
  createKnownSecrets,
  createSecretPieces,
  replaceSecrets,
  type SecretForms,
  type SecretPieces,
  type Secrets,
} from "./secret-filter.ts";

/**
 * Secrets of the host are replaced by tokens where they enter a conversation and put back where they are used. A token
 * is the same in every process that has the same key, tells nothing of the secret, and stands for it exactly as it was
 * written: as it is, escaped in JSON, or encoded in a URL. What is no token of a known secret stays as it is.
 */
export interface SecretTokens {
  /** Gets the key. Before that, secrets are hidden for good. May be called often. */
  open(): Promise<void>;
  /**
   * A text, or any data, in which every text is looked at, and every key that is not letters alone. Gives back the very
   * same value where there is nothing to hide.
   */
  hide<T>(value: T): T;
  /** The reverse, for the moment of use alone. */
  reveal<T>(value: T): T;
  /** A token in it that stands for no secret that is known, such as one that was changed since. */
  lostToken(value: unknown): string | undefined;
  /** How many ways of writing secrets are known. It only grows. */
  known(): number;
  /** For one text that comes in pieces. */
  pieces(): SecretPieces;
}

/** Which secrets, and the key that their tokens are made with. */
export interface SecretTokensOptions {
  readonly secrets: Secrets;
  /** Random bytes that never leave the host, such as the `secret()` of a session store. Asked for once. */
  readonly key: () => Promise<Uint8Array>;
}

const TOKEN = /<secret:[0-9a-f]{12}>/g;
const MARK = "<secret>";
const TOKEN_DIGITS = 12;

/** For a host without secrets. */
export const NO_SECRETS: SecretTokens = {
  open: async () => undefined,
  hide: (value) => value,
  reveal: (value) => value,
  lostToken: (value) => findToken(value, () => false),
  known: () => 0,
  pieces: () => ({ take: (piece) => piece, rest: () => "" }),
};

/** Tokens for the host's secrets: the conversation has the token, the tool gets the secret. */
export function createSecretTokens({ secrets, key }: SecretTokensOptions): SecretTokens {
  const known = createKnownSecrets(secrets);
  const tokens = new Map<string, string>();
  const originals = new Map<string, string>();
  let opened: Uint8Array | undefined;
  let made: SecretForms | undefined;
  const tokenOf = (written: string): string => {
    const earlier = tokens.get(written);
    if (earlier !== undefined || !opened) return earlier ?? MARK;
    const digest = createHmac("sha256", opened).update(written).digest("hex");
    const token = `<secret:${digest.slice(0, TOKEN_DIGITS)}>`;
    tokens.set(written, token);
    originals.set(token, written);
    return token;
  };
  /** Undefined for a token of nothing that is known. Tokens of all secrets are made only for one that was never seen. */
  const originalOf = (token: string): string | undefined => {
    const forms = known();
    if (opened && made !== forms && !originals.has(token)) {
      forms.written.forEach(tokenOf);
      made = forms;
    }
    return originals.get(token);
  };
  return {
    async open() {
      opened ??= await key();
    },
    hide(value) {
      const forms = known();
      return forms.written.length === 0 ? value : mapTexts(value, (text) => replaceSecrets(text, forms, tokenOf));
    },
    reveal(value) {
      if (known().written.length === 0) return value;
      const put = (text: string): string =>
        text.includes("<secret:") ? text.replace(TOKEN, (token) => originalOf(token) ?? token) : text;
      return mapTexts(value, put);
    },
    lostToken(value) {
      return findToken(value, (token) => originalOf(token) !== undefined);
    },
    known: () => known().written.length,
    pieces: () => createSecretPieces(known, tokenOf),
  };
}

function findToken(value: unknown, isKnown: (token: string) => boolean): string | undefined {
  let found: string | undefined;
  mapTexts(value, (text) => {
    if (text.includes("<secret:")) found ??= text.match(TOKEN)?.find((token) => !isKnown(token));
    return text;
  });
  return found;
}

/** A list or an object on the way down to its texts. */
interface Level {
  readonly owner: object;
  readonly keys: readonly string[] | undefined;
  readonly inner: readonly unknown[];
  readonly done: unknown[];
}

/** The same shape with its texts changed; what does not change is not copied. Of any depth. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  const levels: Level[] = [];
  const above = new Set<object>();
  let last: unknown;
  /** False where there is more to look into first. */
  const isDone = (one: unknown): boolean => {
    last = typeof one === "string" ? change(one) : one;
    if (typeof one !== "object" || one === null || ArrayBuffer.isView(one) || above.has(one)) return true;
    above.add(one);
    levels.push(toLevel(one));
    return false;
  };
  if (isDone(value)) return last as T;
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { owner, inner, done } = level;
    if (done.length < inner.length) {
      if (isDone(inner[done.length])) done.push(last);
      continue;
    }
    levels.pop();
    above.delete(owner);
    const whole = finish(level, change);
    const parent = levels.at(-1);
    if (!parent) return whole as T;
    parent.done.push(whole);
  }
  return value;
}

/** What writes itself, and a Map or a Set, is looked into as it is written. */
function toLevel(owner: object): Level {
  if (Array.isArray(owner)) return { owner, keys: undefined, inner: owner, done: [] };
  if (owner instanceof Set) return { owner, keys: undefined, inner: [...owner], done: [] };
  const json: unknown = "toJSON" in owner && typeof owner.toJSON === "function" ? [owner.toJSON()] : undefined;
  if (Array.isArray(json)) return { owner, keys: [], inner: json, done: [] };
  const entries = owner instanceof Map ? [...owner].map(([key, one]) => [String(key), one]) : Object.entries(owner);
  return { owner, keys: entries.map(([key]) => key), inner: entries.map(([, one]) => one), done: [] };
}

function finish({ owner, keys, inner, done }: Level, change: (text: string) => string): unknown {
  const isSame = done.every((one, at) => Object.is(one, inner[at]));
  if (!keys) return isSame ? owner : done;
  // What it wrote of itself.
  if (keys.length < inner.length) return isSame ? owner : done[0];
  const names = keys.map((key) => (FIELD_NAME.test(key) ? key : change(key)));
  if (isSame && names.every((name, at) => name === keys[at])) return owner;
  // As data even where the key is `__proto__`.
  return Object.fromEntries(names.map((name, at) => [name, done[at]]));
}
