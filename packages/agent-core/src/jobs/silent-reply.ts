const AROUND = /^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu;

/** VA-3: nothing but the token, whatever marks stand around it. A token among other words is an answer. */
export function isSilentReply(text: string, token: string): boolean {
  return text.replaceAll(AROUND, "") === token.replaceAll(AROUND, "");
}
