// the provider's running totals → Usage
import { NO_USAGE, type Usage } from "../../types/usage.ts";

/** What a report may hold. Numbers are running totals: a later report replaces an earlier one. */
interface UsageReport {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number | null } | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null;
  readonly server_tool_use?: { readonly [tool: string]: number | null } | null;
  /** Only with betas. Compaction and fallback are billed beside the totals. */
  readonly iterations?: readonly (UsageReport & { readonly type?: string })[] | null;
}

/** `report` is what came from the wire, older or newer than the SDK's types. */
export function mergeUsage(usage: Usage, report: UsageReport): Usage {
  const hourTokens = report.cache_creation?.ephemeral_1h_input_tokens ?? usage.cacheWrite1hTokens;
  const requests = report.server_tool_use ? sum(Object.values(report.server_tool_use)) : usage.serverToolRequests;
  const extra = report.iterations
    ?.filter(({ type }) => type !== "message")
    .map((iteration) => mergeUsage(NO_USAGE, iteration));
  const extraIterations = extra && extra.length > 0 ? extra : usage.extraIterations;
  return {
    inputTokens: report.input_tokens ?? usage.inputTokens,
    outputTokens: report.output_tokens ?? usage.outputTokens,
    cacheReadTokens: report.cache_read_input_tokens ?? usage.cacheReadTokens,
    cacheWriteTokens: report.cache_creation_input_tokens ?? usage.cacheWriteTokens,
    ...(hourTokens ? { cacheWrite1hTokens: hourTokens } : {}),
    reasoningTokens: report.output_tokens_details?.thinking_tokens ?? usage.reasoningTokens,
    ...(requests ? { serverToolRequests: requests } : {}),
    ...(extraIterations ? { extraIterations } : {}),
    estimated: false,
  };
}

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}
