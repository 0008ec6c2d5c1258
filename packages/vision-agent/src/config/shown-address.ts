/** An address as it may be shown: without user and password. Any other text stays as it is. */
export function toShownAddress(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^?#]*@/i, "$1");
}
