import type { ImageDetail } from "../../types/message.ts";
import type { ModelProfile, Price } from "../llm-client.ts";

/** A model behind one of the two wires of this provider, with what the request must know. */
export interface OpenAIProfile extends ModelProfile {
  readonly reasoning: NonNullable<ModelProfile["reasoning"]>;
  /** A temperature is taken where the effort is `none`, although not otherwise. */
  readonly temperatureWithoutEffort?: boolean;
  /**
   * Chat: the server wants the `reasoning_content` of an answer back with the calls that it led to; others refuse the field.
   * Default: true at the addresses of DeepSeek, Moonshot and Z.ai, else false.
   */
  readonly returnsReasoning?: boolean;
  /** What the chat wire calls the cap. Default `max_completion_tokens`. */
  readonly maxTokensField?: "max_completion_tokens" | "max_tokens";
}

const AS_OF = "2026-11-15";
/** Prompts above this cost twice the input and one and a half times the output. */
const LONG_PROMPT_TOKENS = 272_000;

/** Dollars per million tokens. What nobody lists is taken as dear: reading as input, writing as a quarter more. */
function priceOf(input: number, output: number, cacheRead: number = input, cacheWrite: number = input * 1.25): Price {
  const tier = (aboveInputTokens: number, more: number, moreOut: number) => ({
    aboveInputTokens,
    input: input * more,
    output: output * moreOut,
    cacheRead: cacheRead * more,
    cacheWrite5m: cacheWrite * more,
    cacheWrite1h: cacheWrite * more,
  });
  return { tiers: [tier(0, 1, 1), tier(LONG_PROMPT_TOKENS, 2, 1.5)], serverToolPer1k: 10, asOf: AS_OF };
}

const PATCH = 32;
const LOW_DETAIL_TOKENS = 300;
const MAX_PATCHES: Readonly<Record<"high" | "original", number>> = { high: 2_500, original: 10_000 };

/** VI-16: no formula is published for this family, so patches are counted generously. */
function imageTokens(width: number, height: number, detail: ImageDetail = "auto"): number {
  if (detail === "low") return LOW_DETAIL_TOKENS;
  const patches = Math.ceil(width / PATCH) * Math.ceil(height / PATCH);
  return Math.ceil(1.2 * Math.min(patches, MAX_PATCHES[detail === "original" ? "original" : "high"]));
}

const REASONING = {
  modes: ["adaptive", "off"],
  efforts: ["none", "low", "medium", "high", "xhigh", "max"],
  defaultEffort: "medium",
  prefixBound: false,
} as const;

const CURRENT = {
  provider: "openai",
  // 272 k of prompt and the answer; what lies beyond is not relied on.
  contextWindow: 400_000,
  maxOutput: 128_000,
  supportsVision: true,
  supportsTemperature: false,
  temperatureWithoutEffort: true,
  supportsForcedToolChoice: true,
  supportsParallelTools: true,
  supportsStructuredOutput: true,
  reasoning: REASONING,
  cache: { kind: "implicit", minTokens: 1_024, maxBreakpoints: 0, lookbackBlocks: 0 },
  limits: { requestBytes: 50_000_000, images: 500, imageBytes: 15_000_000, imageEdge: 6_000 },
  imageTokens,
  charsPerToken: 3.5,
  source: "builtin",
} as const;

/** Built-in table, as published in November 2026. */
export const OPENAI_PROFILES: readonly OpenAIProfile[] = [
  { ...CURRENT, id: "gpt-6.1-sol", price: priceOf(2, 10, 0.1, 2.5) },
  { ...CURRENT, id: "gpt-6.1-terra", price: priceOf(1, 5, 0.05, 1.25) },
  { ...CURRENT, id: "gpt-6-luna", price: priceOf(0.1, 0.5, 0.01, 0.125) },
  { ...CURRENT, id: "gpt-6-sol", price: priceOf(2, 10, 0.2) },
  { ...CURRENT, id: "gpt-6-astra", price: priceOf(10, 50) },
  { ...CURRENT, id: "gpt-5.6-sol", price: priceOf(4, 20) },
  { ...CURRENT, id: "gpt-5.6-terra", price: priceOf(2, 12) },
  { ...CURRENT, id: "gpt-5.6-luna", price: priceOf(0.2, 1.2) },
  { ...CURRENT, id: "gpt-5.4-mini", price: priceOf(0.75, 4.5, 0.075) },
];

/** For an id that the table does not know, on a server that may be anyone's: no pictures, no extras, no price. */
export const CAUTIOUS_OPENAI_PROFILE: Omit<OpenAIProfile, "id"> = {
  provider: "openai",
  contextWindow: 32_000,
  maxOutput: 8_000,
  supportsVision: false,
  supportsTemperature: true,
  supportsForcedToolChoice: false,
  supportsParallelTools: true,
  supportsStructuredOutput: false,
  reasoning: { modes: [], efforts: [], prefixBound: false },
  cache: { kind: "none", minTokens: 0, maxBreakpoints: 0, lookbackBlocks: 0 },
  maxTokensField: "max_tokens",
  charsPerToken: 3,
  source: "builtin",
};
