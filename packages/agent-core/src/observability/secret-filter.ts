// text with secrets, whole or in pieces → the same with something else in their place

/** Keys and passwords, or a function that is asked each time. Where it throws, what is known already counts. */
export type Secrets = readonly string[] | (() => readonly string[]);

/** Replaces secrets and nothing else. */
export interface SecretFilter {
  text(value: string): string;
  /** For many texts at once: asks for the secrets now and no more. */
  asked(): (value: string) => string;
  /** For one text that comes in pieces: a secret that is split between two of them is found too. */
  pieces(): SecretPieces;
}

/** What may be the beginning of a secret waits for the rest. */
export interface SecretPieces {
  /** What may be shown now. */
  take(piece: string): string;
  /** What still waited; begins anew. */
  rest(): string;
}

/** Shorter values would blot out ordinary words. */
const MIN_SECRET_LENGTH = 6;
const MARK = "<secret>";
/** What stands in the place of a secret: a mark, or a token that names it. */
const STAND_IN = /<secret(?::[0-9a-f]{12})?>/y;
const STAND_IN_LENGTH = "<secret:0123456789ab>".length;

/**
 * What was a secret once stays one; those shorter than six characters are ignored. `standIn` gives what is written in
 * place of a secret, by the way it was written.
 */
export function createSecretFilter(secrets: Secrets, standIn: (written: string) => string = () => MARK): SecretFilter {
  const known = createKnownSecrets(secrets);
  const asked = (): ((value: string) => string) => {
    const forms = known();
    return (value) => replaceSecrets(value, forms, standIn);
  };
  return {
    text: (value) => asked()(value),
    asked,
    pieces: () => createSecretPieces(known, standIn),
  };
}

/** `known` gives the secrets of the moment. */
export function createSecretPieces(
  known: () => readonly SecretForm[],
  standIn: (written: string) => string,
): SecretPieces {
  let waiting = "";
  return {
    take(piece) {
      const whole = waiting + piece;
      const forms = known();
      const heldAt = whole.length - Math.max(0, ...forms.map((form) => unfinishedAtEnd(whole, form)));
      const { text: shown, end } = replaceUpTo(whole, forms, standIn, heldAt);
      waiting = whole.slice(end);
      return shown;
    },
    rest() {
      const last = replaceSecrets(waiting, known(), standIn);
      waiting = "";
      return last;
    },
  };
}

/** One way in which a secret is written. */
export interface SecretForm {
  readonly written: string;
  /** How far a text that differs at this place has come all the same (Knuth, Morris, Pratt). Made when it is needed. */
  fallbacks?: Int32Array;
}

/** Each secret in all the ways in which it is written. Longest first, so that none leaves its end behind. */
export function createKnownSecrets(secrets: Secrets): () => readonly SecretForm[] {
  const all = new Set<string>();
  let forms: readonly SecretForm[] = [];
  return () => {
    const before = all.size;
    for (const secret of ask(secrets)) if (secret.length >= MIN_SECRET_LENGTH) all.add(secret);
    if (all.size > before) forms = toForms(all);
    return forms;
  };
}

function ask(secrets: Secrets): readonly string[] {
  if (typeof secrets !== "function") return secrets;
  try {
    return secrets();
  } catch {
    // Every event and every line passes here, also those that would tell of it.
    return [];
  }
}

function toForms(secrets: ReadonlySet<string>): readonly SecretForm[] {
  const written = [...secrets].flatMap((secret) =>
    // A URL strips some characters; what is left may be an ordinary word.
    [...jsonForms(secret), ...urlForms(secret.toWellFormed())].filter((one) => one.length >= secret.length),
  );
  return [...new Set(written)].sort((a, b) => b.length - a.length).map((one) => ({ written: one }));
}

/** As it is, in JSON, in JSON inside JSON, and as other languages escape it. */
function jsonForms(secret: string): readonly string[] {
  const json = toJson(secret);
  const ascii = toAscii(json);
  return [secret, json, toJson(json), ascii, toJson(ascii), json.replaceAll("/", "\\/"), ascii.replaceAll("/", "\\/")];
}

function toJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function toAscii(json: string): string {
  // Every code unit of its own, as JSON has it.
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** As a component, a whole address, a query and a form have it, with large and small letters in codes. */
function urlForms(secret: string): readonly string[] {
  const form = new URLSearchParams([["", secret]]).toString().slice("=".length);
  const query = new URL(`http://h/?${secret.replaceAll("#", "%23")}`).search.slice("?".length);
  const large = [encodeURIComponent(secret), encodeURI(secret), query, form, form.replaceAll("+", "%20")];
  return [...large, ...large.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/** The same text when there is none in it. */
export function replaceSecrets(
  text: string,
  forms: readonly SecretForm[],
  standIn: (written: string) => string,
): string {
  return replaceUpTo(text, forms, standIn, text.length).text;
}

/** What begins at `limit` or behind it is left alone; `end` is where that is. */
function replaceUpTo(
  text: string,
  forms: readonly SecretForm[],
  standIn: (written: string) => string,
  limit: number,
): { readonly text: string; readonly end: number } {
  // Plain searches, because a pattern of all secrets has limits of its own.
  let places = forms.flatMap(({ written }) => {
    const at = findOutside(text, written, 0);
    return at < 0 ? [] : [{ written, at }];
  });
  let [done, end] = ["", 0];
  while (places.length > 0) {
    // The first in the text, and of several that begin there the longest.
    const first = places.reduce((best, place) => (place.at < best.at ? place : best));
    if (first.at >= limit) break;
    done += text.slice(end, first.at) + standIn(first.written);
    end = first.at + first.written.length;
    places = places.flatMap((place) => {
      if (place.at >= end) return [place];
      const at = findOutside(text, place.written, end);
      return at < 0 ? [] : [{ written: place.written, at }];
    });
  }
  const rest = Math.max(end, limit);
  return { text: end === 0 && rest === text.length ? text : done + text.slice(end, rest), end: rest };
}

/** Where it stands next; not inside of what was put in the place of a secret. */
function findOutside(text: string, written: string, from: number): number {
  let at = text.indexOf(written, from);
  while (at >= 0 && written.length < STAND_IN_LENGTH) {
    const end = endOfStandIn(text, at, at + written.length);
    if (end === undefined) break;
    at = text.indexOf(written, end);
  }
  return at;
}

/** Undefined when the stretch does not lie within a stand-in. */
function endOfStandIn(text: string, start: number, end: number): number | undefined {
  const begin = text.lastIndexOf("<", start);
  if (begin < 0 || end - begin > STAND_IN_LENGTH) return undefined;
  STAND_IN.lastIndex = begin;
  const [standIn = ""] = STAND_IN.exec(text) ?? [];
  return begin + standIn.length >= end ? begin + standIn.length : undefined;
}

/** How many characters at the end of the text are the beginning of the secret, and not yet all of it. In linear time. */
function unfinishedAtEnd(text: string, form: SecretForm): number {
  const { written } = form;
  let matched = 0;
  for (let at = Math.max(0, text.length - written.length + 1); at < text.length; at++) {
    if (matched > 0 && written[matched] !== text[at]) {
      form.fallbacks ??= toFallbacks(written);
      while (matched > 0 && written[matched] !== text[at]) matched = form.fallbacks[matched - 1] ?? 0;
    }
    if (written[matched] === text[at]) matched += 1;
  }
  return matched;
}

function toFallbacks(written: string): Int32Array {
  const table = new Int32Array(written.length);
  let matched = 0;
  for (let at = 1; at < written.length; at++) {
    while (matched > 0 && written[matched] !== written[at]) matched = table[matched - 1] ?? 0;
    if (written[matched] === written[at]) matched += 1;
    table[at] = matched;
  }
  return table;
}
