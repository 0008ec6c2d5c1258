// request → where the provider's prompt cache is told to end, and why
import type { CachePlan, ModelProfile, SystemBlock, ToolDefinition } from "../llm/llm-client.ts";
import type { Message } from "../types/message.ts";

export interface CachePlanInput {
  readonly system: readonly SystemBlock[];
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  readonly profile: ModelProfile;
  /** Tokens of tools and system together. */
  readonly prefixTokens: number;
  /** Of the whole request. */
  readonly totalTokens: number;
  /** The session rests for longer than the short time to live: heartbeats, slow talk. */
  readonly idleGaps: boolean;
}

type Breakpoint = CachePlan["breakpoints"][number];

/** Blocks after which the provider no longer finds the last mark by itself: it looks back twenty. */
const FAR_BLOCKS = 15;

/** Undefined when the profile says nothing of a cache. */
export function planCache(input: CachePlanInput): CachePlan | undefined {
  const { cache } = input.profile;
  if (!cache) return undefined;
  if (cache.kind !== "explicit") return { breakpoints: [], reason: `the provider's cache is ${cache.kind}` };
  if (input.totalTokens < cache.minTokens) {
    return { breakpoints: [], reason: `${input.totalTokens} tokens are less than the ${cache.minTokens} it takes` };
  }
  const head = input.prefixTokens < cache.minTokens ? [] : headMarks(input);
  const tail = tailMarks(input.messages);
  // The tail's last mark saves most, then the end of the head; those before them are for sharing.
  const marks = [...head.slice(-1), ...tail];
  const spare = cache.maxBreakpoints - marks.length;
  const breakpoints = [...(spare > 0 ? head.slice(0, -1) : []), ...marks].slice(-cache.maxBreakpoints);
  return { breakpoints, reason: toReason(input, head, tail) };
}

/** The message that ended the request before this one: what stands up to it is in the cache. */
export function lastSent(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => message.role === "assistant") - 1;
}

/** VA-6: after the last tool and after the last block of the system prompt. */
function headMarks({ system, tools, idleGaps }: CachePlanInput): readonly Breakpoint[] {
  const ttl = idleGaps ? "1h" : "5m";
  const last = system.at(-1);
  return [
    ...(tools.length > 0 ? [{ after: "tools" as const, ttl } as const] : []),
    ...(last ? [{ after: { system: last.id }, ttl } as const] : []),
  ];
}

function tailMarks(messages: readonly Message[]): readonly Breakpoint[] {
  const last = messages.at(-1);
  if (!last) return [];
  const sent = lastSent(messages);
  const before = messages[sent];
  const added = messages.slice(sent + 1).reduce((blocks, message) => blocks + message.parts.length, 0);
  const far = before !== undefined && added > FAR_BLOCKS;
  return [
    ...(far ? [{ after: { message: before.id }, ttl: "5m" } as const] : []),
    { after: { message: last.id }, ttl: "5m" },
  ];
}

function toReason(input: CachePlanInput, head: readonly Breakpoint[], tail: readonly Breakpoint[]): string {
  const headWords = input.idleGaps ? "head for an hour, because the session rests" : "head for five minutes";
  return [
    head.length > 0 ? headWords : "head too short to keep",
    tail.length > 1 ? `rolling end, and the one before it: more than ${FAR_BLOCKS} blocks were added` : "rolling end",
  ].join("; ");
}
