const SECRET_PARAMETER =
  /([?&;](?:user|username|usr|login|pass|passwd|password|pwd|token|key|auth|apikey|api_key|secret)=)[^&;#]*/gi;

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
