const SECRET_NAMES = "pass|passwd|password|pwd|token|key|auth|apikey|api_key|secret";
const SECRET_PARAMETER = new RegExp(`([?&;](?:user|username|usr|login|${SECRET_NAMES})=)[^&;#]*`, "gi");
const SECRET_VALUE = new RegExp(`[?&;](?:${SECRET_NAMES})=([^&;#]+)`, "gi");

/**
 * User and password as people paste them, in the order of trust: an `@` before the first slash, a password with a
 * slash, a password with `?` or `#`. Each goes up to its last `@`, so that no part of a password is left behind;
 * `host:80/…` and `host/@name` are none.
 */
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^?#/]*@(?:[^?#]*@)?|[^?#/:@[]*:[^?#]*@|[^?#/:@[]*:(?!\d*[/?#]).*@)/is;

/** Where an address begins. The limit keeps long runs of letters from being looked through again and again. */
const BEGINNING = /(?<![a-z])(?=[a-z][a-z0-9+.-]{0,40}:\/\/)/i;
/** Up to what ends an address in a sentence, a table or JSON; a password may hold that, too. */
const WRITTEN =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s"'`<>|]*@|[^\s/?#:@[]+:(?!\d*(?:[\s/?#"']|$))(?:\S*|[^\n]{0,60}?)@)?[^\s"'`<>|]+/i;
/** Marks of the sentence around an address. A password ends in `!` more often than a sentence after it. */
const SENTENCE_END = /[.,;:!?)\]}]+$/;
const END_AFTER_SECRET = /[.,;:)\]}]+$/;
const ENDS_IN_SECRET = new RegExp(`[?&;](?:${SECRET_NAMES})=[^&;#]*$`, "i");

/** An address as it may be shown: without user, password and keys. */
export function withoutCredentials(address: string): string {
  return address.replace(CREDENTIALS, "$1").replace(SECRET_PARAMETER, "$1***");
}

/** A text with each address in it changed. */
export function replaceAddresses(text: string, change: (address: string) => string): string {
  if (!text.includes("://")) return text;
  const replace = (written: string): string => {
    if (written === text) return change(text);
    const address = written.replace(ENDS_IN_SECRET.test(written) ? END_AFTER_SECRET : SENTENCE_END, "");
    return change(address) + written.slice(address.length);
  };
  return text
    .split(BEGINNING)
    .map((piece) => piece.replace(WRITTEN, replace))
    .join("");
}

/** Whether a text is a source of its own rather than the name of a camera. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /[/\\]/.test(text) || /\.[a-z0-9]{2,4}$/i.test(text);
}

/** The password inside an address, as it is typed; absent when there is none. */
export function passwordOf(address: string): string | undefined {
  const [whole = "", scheme = ""] = CREDENTIALS.exec(address) ?? [];
  const credentials = whole.slice(scheme.length, -1);
  const password = credentials.slice(credentials.indexOf(":") + 1);
  return credentials.includes(":") && password !== "" ? password : undefined;
}

/** Passwords and keys inside an address, as they are typed and as they are meant. */
export function secretsIn(address: string): readonly string[] {
  const typed = [passwordOf(address), ...[...address.matchAll(SECRET_VALUE)].map(([, value]) => value)];
  const secrets = typed.filter((secret) => secret !== undefined);
  return [...new Set([...secrets, ...secrets.map(unescaped)])];
}

/** A `%` that begins no escape was meant as it stands. */
function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll("%", ""), "hex").toString());
}
