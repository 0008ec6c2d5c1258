// text with secrets, whole or in pieces → the same with something else in their place
import { LiteralAutomaton } from "./literal-automaton.ts";
import { toSecretForms } from "./secret-forms.ts";

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
/** Of all forms together; each letter takes memory. Of further secrets only the usual forms are searched for. */
const MOST_LETTERS = 2_000_000;
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
export function createSecretPieces(known: () => SecretForms, standIn: (written: string) => string): SecretPieces {
  let [waiting, state] = ["", 0];
  let forms: SecretForms | undefined;
  return {
    take(piece) {
      const now = known();
      // Other secrets: what waits is read again.
      if (forms !== now) state = now.read(0, waiting);
      forms = now;
      const whole = waiting + piece;
      state = now.read(state, piece);
      const heldAt = whole.length - now.heldBack(state);
      if (heldAt === 0) {
        waiting = whole;
        return "";
      }
      const { text: shown, end } = replaceUpTo(whole, now, standIn, heldAt);
      waiting = whole.slice(end);
      if (end > heldAt) state = now.read(0, waiting);
      return shown;
    },
    rest() {
      const last = replaceSecrets(waiting, known(), standIn);
      [waiting, state] = ["", 0];
      return last;
    },
  };
}

/** The ways in which secrets are written, ready to be searched for. The automatons are made when they are needed. */
export class SecretForms {
  readonly written: readonly string[];
  #forwards: LiteralAutomaton | undefined;
  #backwards: LiteralAutomaton | undefined;

  constructor(written: readonly string[]) {
    this.written = written;
  }

  /** For each place of the text the length of the longest secret that begins there. Undefined when there is none. */
  find(text: string): Int32Array | undefined {
    if (this.written.length === 0) return undefined;
    this.#backwards ??= new LiteralAutomaton(this.written, { backwards: true });
    const automaton = this.#backwards;
    let lengths: Int32Array | undefined;
    for (let at = text.length - 1, state = 0; at >= 0; at--) {
      state = automaton.next(state, text.charCodeAt(at));
      const length = state === 0 ? 0 : (automaton.longest[state] ?? 0);
      if (length === 0) continue;
      lengths ??= new Int32Array(at + 1);
      lengths[at] = length;
    }
    return lengths;
  }

  /** For a text that comes in pieces: the state after one more. It begins with 0. */
  read(state: number, piece: string): number {
    if (this.written.length === 0) return 0;
    this.#forwards ??= new LiteralAutomaton(this.written, { backwards: false });
    const automaton = this.#forwards;
    let now = state;
    for (let at = 0; at < piece.length; at++) now = automaton.next(now, piece.charCodeAt(at));
    return automaton.unfinished[now] ?? 0;
  }

  /** How many characters at the end are the beginning of a secret, and not yet all of it. */
  heldBack(state: number): number {
    return this.#forwards?.depths[state] ?? 0;
  }
}

/** Each secret in all the ways in which it is written. The very same object until there are more. */
export function createKnownSecrets(secrets: Secrets): () => SecretForms {
  const all = new Set<string>();
  const written = new Set<string>();
  let letters = 0;
  let forms = new SecretForms([]);
  return () => {
    const before = written.size;
    for (const secret of ask(secrets)) {
      if (secret.length < MIN_SECRET_LENGTH || all.has(secret)) continue;
      all.add(secret);
      for (const form of toSecretForms(secret, { usualOnly: letters > MOST_LETTERS })) {
        written.add(form);
        letters += form.length;
      }
    }
    if (written.size > before) forms = new SecretForms([...written]);
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

/** The same text when there is none in it. */
export function replaceSecrets(text: string, forms: SecretForms, standIn: (written: string) => string): string {
  return replaceUpTo(text, forms, standIn, text.length).text;
}

/** What begins at `limit` or behind it is left alone; `end` is where that is. */
function replaceUpTo(
  text: string,
  forms: SecretForms,
  standIn: (written: string) => string,
  limit: number,
): { readonly text: string; readonly end: number } {
  const lengths = forms.find(text) ?? new Int32Array();
  const shown: string[] = [];
  let end = 0;
  for (let at = 0; at < Math.min(lengths.length, limit); at++) {
    const length = lengths[at] ?? 0;
    if (length === 0 || isWithinStandIn(text, at, at + length)) continue;
    // The first in the text, and of several that begin there the longest.
    shown.push(text.slice(end, at), standIn(text.slice(at, at + length)));
    end = at + length;
    at = end - 1;
  }
  const rest = Math.max(end, limit);
  const isSame = end === 0 && rest === text.length;
  return { text: isSame ? text : shown.join("") + text.slice(end, rest), end: rest };
}

/** Whether it lies inside of what was put in the place of a secret. */
function isWithinStandIn(text: string, start: number, end: number): boolean {
  if (end - start >= STAND_IN_LENGTH) return false;
  const earliest = Math.max(0, end - STAND_IN_LENGTH);
  const begin = earliest + text.slice(earliest, start + 1).lastIndexOf("<");
  if (begin < earliest) return false;
  STAND_IN.lastIndex = begin;
  const [found = ""] = STAND_IN.exec(text) ?? [];
  return begin + found.length >= end;
}
