// usage + prices → millionths of a dollar, in whole numbers
import type { CachePlan, ModelProfile, Price } from "../llm/llm-client.ts";
import { agentError } from "../types/errors.ts";
import type { ContextReport } from "../types/events.ts";
import type { Usage } from "../types/message.ts";

/** Prices are dollars per million tokens, that is millionths per token; counted here in millionths of those. */
const FINE = 1_000_000;
/** An estimate of the prompt may be short by so much. */
const ESTIMATE_MARGIN = 1.25;

type Tier = Price["tiers"][number];
type StatedPrice = NonNullable<ModelProfile["price"]>;

/** X15: what a call cost, its extra passes and the provider's own tools included; rounded up. */
export function costMicroUsd(usage: Usage, price: StatedPrice): number {
  if (price === "free") return 0;
  return Math.ceil(fineCost(usage, price) / FINE);
}

/**
 * What a call may cost at most: the whole prompt at the dearest rate that the plan allows, and every token of the answer.
 * Without a plan the client may still write to the cache. Tools that the provider runs are not foreseen.
 */
export function worstCaseMicroUsd(
  report: Pick<ContextReport, "tokens" | "source">,
  maxTokens: number,
  plan: CachePlan | undefined,
  price: StatedPrice,
): number {
  if (price === "free") return 0;
  const prompt = promptTokens(report);
  const tier = tierFor(prompt, price);
  const writes = plan?.breakpoints.map(({ ttl }) => (ttl === "1h" ? tier.cacheWrite1h : tier.cacheWrite5m));
  const dearest = Math.max(tier.input, ...(writes ?? [tier.cacheWrite5m]));
  return Math.ceil((prompt * toFine(dearest) + maxTokens * toFine(tier.output)) / FINE);
}

/** Tokens that the prompt may have. */
export function promptTokens({ tokens, source }: Pick<ContextReport, "tokens" | "source">): number {
  return Math.ceil(tokens.total * (source === "estimated" ? ESTIMATE_MARGIN : 1));
}

/**
 * What the profile states, else what is assumed: choose that too high rather than too low. A limit holds only where the
 * price is known. Throws `AgentError` kind `budget`, code `unknown_price`.
 */
export function requirePrice(
  { id, price }: Pick<ModelProfile, "id" | "price">,
  assumed: Price | undefined,
): StatedPrice {
  const known = price ?? assumed;
  if (known) return known;
  const message =
    `The price of "${id}" is not known, so a cost limit cannot hold. State it in the client's \`profiles\` ` +
    `(\`price: "free"\` if it costs nothing), set \`assumePrice\` in the budget, or remove the limit.`;
  throw agentError("budget", "unknown_price", message);
}

/** For people: millionths in dollars, to the cent or, below a dollar, to three digits. */
export function toUsd(microUsd: number): string {
  const usd = microUsd / 1e6;
  return `${Number(usd < 1 ? usd.toPrecision(3) : usd.toFixed(2))} USD`;
}

function fineCost(usage: Usage, price: Price): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens = 0 } = usage;
  const tier = tierFor(inputTokens + cacheReadTokens + cacheWriteTokens, price);
  const own =
    inputTokens * toFine(tier.input) +
    outputTokens * toFine(tier.output) +
    cacheReadTokens * toFine(tier.cacheRead) +
    (cacheWriteTokens - cacheWrite1hTokens) * toFine(tier.cacheWrite5m) +
    cacheWrite1hTokens * toFine(tier.cacheWrite1h) +
    (usage.serverToolRequests ?? 0) * toFine((price.serverToolPer1k ?? 0) * 1_000);
  return (usage.extraIterations ?? []).reduce((sum, extra) => sum + fineCost(extra, price), own);
}

/** The highest tier whose bound the prompt exceeds; the lowest one for small prompts. */
function tierFor(prompt: number, { tiers }: Price): Tier {
  const sorted = [...tiers].sort((a, b) => a.aboveInputTokens - b.aboveInputTokens);
  const tier = sorted.findLast(({ aboveInputTokens }) => prompt > aboveInputTokens) ?? sorted[0];
  if (!tier) throw new RangeError("A price needs at least one tier.");
  return tier;
}

/** A price as a whole number, so that sums are exact. */
function toFine(rate: number): number {
  return Math.round(rate * FINE);
}
