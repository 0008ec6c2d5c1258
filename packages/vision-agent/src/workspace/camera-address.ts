const SECRET_NAMES = "pass|passwd|password|pwd|token|key|auth|apikey|api_key|secret";
const SECRET_PARAMETER = new RegExp(`([?&;](?:user|username|usr|login|${SECRET_NAMES})=)[^&;#]*`, "gi");
const SECRET_VALUE = new RegExp(`[?&;](?:${SECRET_NAMES})=([^&;#]+)`, "gi");

/**
 * An address as it may be shown: without user, password and keys.
 * Everything up to the last `@` before the query goes, so that a password with `/` or `@` leaves nothing behind.
 */
export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^?#]*@/i, "$1").replace(SECRET_PARAMETER, "$1***");
}

/** Whether a text is a source of its own rather than the name of a camera. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /[/\\]/.test(text) || /\.[a-z0-9]{2,4}$/i.test(text);
}

/** The password inside an address, as it is typed; absent when there is none. */
export function passwordOf(address: string): string | undefined {
  const credentials = /^[a-z][a-z0-9+.-]*:\/\/([^?#]*)@/i.exec(address)?.[1] ?? "";
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
