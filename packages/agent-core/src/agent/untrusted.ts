// transcript → whether the model has just read something from outside
import type { TranscriptEntry } from "../session/session-store.ts";
import type { Message, Part } from "../types/message.ts";

/**
 * Since the message before the last: what a page or a picture asked for may be done one message later, when the person
 * only said thanks.
 */
export function hasUntrusted(entries: readonly TranscriptEntry[]): boolean {
  let messages = 0;
  for (let at = entries.length - 1; at >= 0 && messages < 2; at--) {
    const entry = entries[at];
    if (entry?.type !== "message") continue;
    if (entry.message.parts.some(isUntrusted)) return true;
    if (isRequest(entry.message)) messages += 1;
  }
  return false;
}

function isUntrusted(part: Part): boolean {
  switch (part.type) {
    case "image":
      return true;
    case "tool_result":
      return part.untrusted === true || part.content.some(({ type }) => type === "image");
    case "state_note":
      return part.untrusted === true;
    default:
      return false;
  }
}

function isRequest({ role, origin }: Message): boolean {
  return role === "user" && origin !== "core" && origin !== "steer";
}
