// values with secrets in them ⇄ the same with tokens, which only this host can turn back
import { createHmac } from "node:crypto";
import {
  createKnownSecrets,
  createSecretFilter,
  replaceSecrets,
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
  /** Any JSON. Gives back the very same value where there is nothing to hide. Signed provider data is not touched. */
  hide<T>(value: T): T;
  /** The reverse, for the moment of use alone. */
  reveal<T>(value: T): T;
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
  pieces: () => ({ take: (piece) => piece, rest: () => "" }),
};

/** Tokens for the host's secrets: the conversation has the token, the tool gets the secret. */
export function createSecretTokens({ secrets, key }: SecretTokensOptions): SecretTokens {
  const known = createKnownSecrets(secrets);
  const tokens = new Map<string, string>();
  const originals = new Map<string, string>();
  let opened: Uint8Array | undefined;
  const tokenOf = (written: string): string => {
    const earlier = tokens.get(written);
    if (earlier !== undefined || !opened) return earlier ?? MARK;
    const digest = createHmac("sha256", opened).update(written).digest("hex");
    const token = `<secret:${digest.slice(0, TOKEN_DIGITS)}>`;
    tokens.set(written, token);
    originals.set(token, written);
    return token;
  };
  return {
    async open() {
      opened ??= await key();
    },
    hide(value) {
      const forms = known();
      return forms.length === 0 ? value : mapTexts(value, (text) => replaceSecrets(text, forms, tokenOf));
    },
    reveal(value) {
      const forms = known();
      if (forms.length === 0) return value;
      for (const { written } of forms) tokenOf(written);
      const put = (text: string): string =>
        text.includes("<secret:") ? text.replace(TOKEN, (token) => originals.get(token) ?? token) : text;
      return mapTexts(value, put);
    },
    pieces: () => createSecretFilter(secrets, tokenOf).pieces(),
  };
}

/** Deeper than any data that people make; a stack holds it. */
const MAX_DEPTH = 1_000;
const OPAQUE_OWNERS: ReadonlySet<unknown> = new Set(["reasoning", "tool_call", "provider"]);

/** The same shape with every text and key changed; what does not change is not copied. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  const map = (one: unknown, depth: number): unknown => {
    if (typeof one === "string") return change(one);
    if (typeof one !== "object" || one === null || ArrayBuffer.isView(one)) return one;
    if (depth >= MAX_DEPTH) return "<too deep>";
    if (Array.isArray(one)) return mapList(one, depth);
    if ("toJSON" in one && typeof one.toJSON === "function") {
      const json: unknown = one.toJSON();
      const changed = map(json, depth + 1);
      return changed === json ? one : changed;
    }
    return mapFields(one, depth);
  };
  const mapList = (list: readonly unknown[], depth: number): readonly unknown[] => {
    const changed = list.map((item) => map(item, depth + 1));
    return changed.every((item, at) => Object.is(item, list[at])) ? list : changed;
  };
  const mapFields = (owner: object, depth: number): object => {
    const entries = Object.entries(owner);
    const isOpaque = (key: string): boolean => key === "opaque" && "type" in owner && OPAQUE_OWNERS.has(owner.type);
    const changed = entries.map(
      ([key, inner]) => [change(key), isOpaque(key) ? inner : map(inner, depth + 1)] as const,
    );
    const isSame = changed.every(([key, inner], at) => key === entries[at]?.[0] && Object.is(inner, entries[at]?.[1]));
    // As data even where the key is `__proto__`.
    return isSame ? owner : Object.fromEntries(changed);
  };
  return map(value, 0) as T;
}
