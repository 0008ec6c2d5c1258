// one call: its worst case before, what it showed meanwhile → what it used and cost
import type { CallContext, LLMDelta, LLMRequest, LLMResponse, ModelProfile, RequestConfig } from "../llm/llm-client.ts";
import { toMaxTokens } from "../llm/tool-wire.ts";
import { AgentError, agentError } from "../types/errors.ts";
import { NO_USAGE, type Part, type Usage } from "../types/message.ts";
import { costMicroUsd, promptTokens, worstCaseMicroUsd } from "./price.ts";

export type CallSize = NonNullable<CallContext["size"]>;

/** What a call used, and what that costs. */
export interface MeteredUse {
  readonly usage: Usage;
  readonly costMicroUsd: number;
  /** The provider reported what cannot be true: the worst case was counted. */
  readonly isDoubtful?: true;
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
  /** What the provider said last, before the end. */
  #reported: Usage | undefined;
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
    if (delta.type === "alive" && delta.usage) this.#reported = delta.usage;
    if (delta.type === "thinking") this.#thoughtBytes += Buffer.byteLength(delta.text);
    else if (delta.type === "text") this.#saidBytes += Buffer.byteLength(delta.text);
    else if (delta.type === "tool_args") this.#saidBytes += Buffer.byteLength(delta.json);
  }

  /** A server that does not report, or reports nothing at all, is charged by what was sent and came. */
  complete({ usage, message }: LLMResponse): MeteredUse {
    if (!isBelievable(usage)) return this.#worst();
    if (isReported(usage)) return this.#reportedUse(usage);
    if (this.#saidBytes + this.#thoughtBytes === 0)
      this.#saidBytes = Buffer.byteLength(message.parts.map(toWords).join());
    return this.#estimate();
  }

  /**
   * What a call that did not come to its end used: what was shown, or what the provider reported where that is more.
   * Undefined when it used nothing. Without an error the reader left.
   */
  cut(thrown: unknown, isCancelled: boolean): MeteredUse | undefined {
    if (!(this.#hasBegun || isCancelled || thrown === undefined || mayBeBilled(thrown))) return undefined;
    const estimate = this.#estimate();
    const reported = this.#reported;
    if (!reported) return estimate;
    if (!isBelievable(reported)) return this.#worst();
    if (!isReported(reported)) return estimate;
    // The answer went on after the report.
    const outputTokens = Math.max(reported.outputTokens, estimate.usage.outputTokens);
    const use = this.#reportedUse({ ...reported, outputTokens, estimated: true });
    return use.costMicroUsd >= estimate.costMicroUsd ? use : estimate;
  }

  /** In full, also above what was reserved. */
  #reportedUse(usage: Usage): MeteredUse {
    const cost = this.#price ? costMicroUsd(usage, this.#price) : 0;
    return Number.isSafeInteger(cost) ? { usage, costMicroUsd: cost } : this.#worst();
  }

  /** For a report that cannot be true: all that was reserved. */
  #worst(): MeteredUse {
    const inputTokens = promptTokens(this.#size);
    const usage = { ...NO_USAGE, inputTokens, outputTokens: this.#maxTokens, estimated: true };
    return { usage, costMicroUsd: this.worstMicroUsd, isDoubtful: true };
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
  assertOutputCaps(config);
  const caps = OWN_CAPS.map((name) => config.providerOptions?.[name]).filter((cap) => typeof cap === "number");
  return Math.max(toMaxTokens(config, profile), ...caps);
}

/** A worst case needs caps that are numbers, and the model that is priced. Throws `AgentError` kind `invalid`, code `bad_options`. */
export function assertOutputCaps({ maxTokens, reasoning, providerOptions = {} }: RequestConfig = {}): void {
  const replaced = ["model", "n"].find((name) => providerOptions[name] !== undefined);
  if (replaced !== undefined) {
    const message = `config.providerOptions.${replaced} would change what a call costs: name the model where the run is begun.`;
    throw agentError("invalid", "bad_options", message);
  }
  const given = [
    ["maxTokens", maxTokens],
    ["reasoning.budgetTokens", typeof reasoning === "object" ? reasoning.budgetTokens : undefined],
    ...OWN_CAPS.map((name) => [`providerOptions.${name}`, providerOptions[name]] as const),
  ] as const;
  for (const [name, value] of given) {
    if (value === undefined || value === null || (Number.isFinite(value) && Number(value) >= 0)) continue;
    throw agentError("invalid", "bad_options", `config.${name} is a number of tokens from 0 on, not ${String(value)}.`);
  }
}

/** No call of any model uses more of one kind. */
const MAX_BELIEVABLE = 50_000_000;

export function isBelievable(usage: Usage): boolean {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const { cacheWrite1hTokens = 0, serverToolRequests = 0, extraIterations = [] } = usage;
  const counts = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, serverToolRequests];
  return (
    counts.every((count) => Number.isFinite(count) && count >= 0 && count <= MAX_BELIEVABLE) &&
    extraIterations.every(isBelievable)
  );
}

function isReported({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, estimated }: Usage): boolean {
  return !estimated && inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens > 0;
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
