import { NO_USAGE, type Usage } from "../../types/usage.ts";

/** Both wires' reports under one set of names. */
export interface UsageReport {
  /** All of the prompt, cached tokens included. */
  readonly prompt: number;
  readonly output: number;
  readonly cached?: number | null | undefined;
  readonly written?: number | null | undefined;
  readonly reasoning?: number | null | undefined;
  readonly image?: number | null | undefined;
}

/** AI-7: this provider's prompt count includes what the cache served, ours does not. */
export function toUsage({ prompt, output, cached, written, reasoning, image }: UsageReport): Usage {
  const cacheReadTokens = cached ?? 0;
  const cacheWriteTokens = written ?? 0;
  return {
    inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
    outputTokens: output,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: reasoning ?? 0,
    ...(image ? { imageTokens: image } : {}),
    estimated: false,
  };
}

/** The server never said. */
export const UNREPORTED_USAGE: Usage = { ...NO_USAGE, estimated: true };
