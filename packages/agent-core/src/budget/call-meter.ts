// one call: its worst case before, what it showed meanwhile → what it used and cost
import type { CallContext, LLMDelta, LLMRequest, LLMResponse, ModelProfile } from "../llm/llm-client.ts";
import { toMaxTokens } from "../llm/tool-wire.ts";
import { AgentError } from "../types/errors.ts";
import { NO_USAGE, type Part, type Usage } from "../types/message.ts";
import { costMicroUsd, promptTokens, worstCaseMicroUsd } from "./price.ts";

export type CallSize = NonNullable<CallContext["size"]>;

/** What a call used, and what that costs. */
export interface MeteredUse {
  readonly usage: Usage;
  readonly costMicroUsd: number;
}

/** Bytes rather than characters: a sign that takes three of them is about a token. */
const BYTES_PER_OUTPUT_TOKEN = 3;
/** Of a prompt, where the profile says nothing. */
const CHARS_PER_TOKEN = 3.5;
/** Of one picture, whatever its size. */
const IMAGE_TOKENS = 1_600;

/** Counts what came, for calls whose provider does not say what they used. */
export class CallMeter {
  readonly worstMicroUsd: number;
  readonly #request: LLMRequest;
  readonly #price: ModelProfile["price"];
  readonly #size: CallSize;
  readonly #maxTokens: number;
  #hasBegun = false;
  #saidBytes = 0;
  #thoughtBytes = 0;

  constructor(request: LLMRequest, profile: ModelProfile, price: ModelProfile["price"], size?: CallSize) {
    this.#request = request;
    this.#price = price;
    this.#size = size ?? estimateSize(request, profile);
    this.#maxTokens = mostOutput(request, profile);
    this.worstMicroUsd = this.#most(this.#maxTokens);
  }

  see(delta: LLMDelta): void {
    this.#hasBegun = true;
    if (delta.type === "thinking") this.#thoughtBytes += Buffer.byteLength(delta.text);
    else if (delta.type === "text") this.#saidBytes += Buffer.byteLength(delta.text);
    else if (delta.type === "tool_args") this.#saidBytes += Buffer.byteLength(delta.json);
  }

  /** A server that does not report, or reports nothing at all, is charged by what was sent and came. */
  complete({ usage, message }: LLMResponse): MeteredUse {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, estimated } = usage;
    const isReported = !estimated && inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens > 0;
    if (isReported) return { usage, costMicroUsd: this.#price ? costMicroUsd(usage, this.#price) : 0 };
    if (this.#saidBytes + this.#thoughtBytes === 0)
      this.#saidBytes = Buffer.byteLength(message.parts.map(toWords).join());
    return this.#estimate();
  }

  /** Undefined when the call cannot have used anything. `thrown` is absent when the reader left. */
  cut(thrown: unknown, isCancelled: boolean): MeteredUse | undefined {
    return this.#hasBegun || isCancelled || thrown === undefined || mayBeBilled(thrown) ? this.#estimate() : undefined;
  }

  /** On the safe side, and never above what was reserved. */
  #estimate(): MeteredUse {
    // Providers bill thinking that they show only a summary of.
    const tokens = Math.ceil(this.#saidBytes / BYTES_PER_OUTPUT_TOKEN) + this.#thoughtBytes;
    const outputTokens = Math.min(tokens, this.#maxTokens);
    const usage = { ...NO_USAGE, inputTokens: promptTokens(this.#size), outputTokens, estimated: true };
    return { usage, costMicroUsd: this.#most(outputTokens) };
  }

  #most(outputTokens: number): number {
    return this.#price ? worstCaseMicroUsd(this.#size, outputTokens, this.#request.cache, this.#price) : 0;
  }
}

/** Nothing came, yet the provider may have read the prompt. What it refused, and what never reached it, costs nothing. */
function mayBeBilled(thrown: unknown): boolean {
  if (!(thrown instanceof AgentError) || thrown.status !== undefined) return false;
  const { kind, code } = thrown;
  return kind === "timeout" || (kind === "network" && code !== "connect") || code === "protocol";
}

const OWN_CAPS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;

/** A cap among the provider's own options replaces ours on the wire. */
function mostOutput({ config = {} }: LLMRequest, profile: ModelProfile): number {
  const caps = OWN_CAPS.map((name) => config.providerOptions?.[name]).filter((cap) => typeof cap === "number");
  return Math.max(toMaxTokens(config, profile), ...caps);
}

function estimateSize({ system, messages, tools }: LLMRequest, profile: ModelProfile): CallSize {
  const parts = messages.flatMap((message) => message.parts);
  const words = [JSON.stringify(tools), ...system.map(({ text }) => text), ...parts.map(toWords)].join("\n");
  const images = parts.filter(({ type }) => type === "image").length * IMAGE_TOKENS;
  const history = Math.ceil(Buffer.byteLength(words) / (profile.charsPerToken ?? CHARS_PER_TOKEN));
  const tokens = { tools: 0, system: 0, state: 0, history, images, total: history + images };
  return { tokens, source: "estimated" };
}

function toWords(part: Part): string {
  if ("text" in part) return part.text;
  return part.type === "image" ? "" : JSON.stringify({ ...part, data: undefined });
}
