// transcript + system + tools → a request in the making, measured
import type { LLMRequest, ModelProfile, RequestConfig, SystemBlock, ToolDefinition } from "../llm/llm-client.ts";
import type { TranscriptEntry, ViewEdit } from "../session/session-store.ts";
import type { ContextReport } from "../types/events.ts";
import type { Message, Part } from "../types/message.ts";
import { lastSent, planCache } from "./cache-plan.ts";
import { type ContextLine, type ContextView, readView } from "./history.ts";
import {
  addSizes,
  type CountedMessages,
  NO_SIZE,
  type RawSize,
  type SizeOptions,
  sizeOfMessages,
  sizeOfParts,
  sizeOfText,
  subtractSizes,
} from "./message-size.ts";

/** What a request is made of. */
export interface DraftInput {
  /** The whole transcript. */
  readonly entries: readonly TranscriptEntry[];
  readonly system: readonly SystemBlock[];
  /** In the order in which they are sent: the provider's cache begins here. */
  readonly tools: readonly ToolDefinition[];
  readonly profile: ModelProfile;
  readonly model: string;
  readonly config?: RequestConfig;
}

/** What is known of a request that was sent: its size, by its last message. */
export interface SizeAnchor {
  readonly model: string;
  readonly epoch: number;
  /** How many messages it had. */
  readonly messages: number;
  /** Text tokens of its tools and system, to see whether they are the same still. */
  readonly head: number;
  /** As the provider reported it. */
  readonly actual: number;
}

interface DraftOptions {
  readonly input: DraftInput;
  readonly sizes: SizeOptions;
  /** Of the transcript so far. */
  readonly counted: CountedMessages;
  readonly idleGaps: boolean;
  anchorOf(message: Message): SizeAnchor | undefined;
}

/** Lines are added until it fits; the transcript itself is not touched. */
export class ContextDraft {
  readonly #given: DraftOptions;
  readonly #system: readonly SystemBlock[];
  readonly #tools: readonly ToolDefinition[];
  readonly #head: { readonly tools: RawSize; readonly system: RawSize };
  #lines: readonly ContextLine[] = [];
  #view: ContextView;
  #body: RawSize;
  #correction = 1;
  #source: ContextReport["source"] = "estimated";

  constructor(given: DraftOptions) {
    const { input, sizes } = given;
    this.#given = given;
    this.#tools = input.tools;
    this.#system = input.system.toSorted((a, b) => rank(a) - rank(b));
    const sum = (texts: readonly string[]): RawSize =>
      texts.map((text) => sizeOfText(text, sizes.counter)).reduce((a, b) => addSizes(a, b), NO_SIZE);
    this.#head = {
      tools: sum(this.#tools.map((tool) => JSON.stringify(tool))),
      system: sum(this.#system.map((block) => block.text)),
    };
    this.#view = readView(input.entries);
    this.#body = this.#sizeFrom(0);
    this.#correction = this.#anchored() / Math.max(1, this.#plain());
  }

  get view(): ContextView {
    return this.#view;
  }

  /** What is new since the transcript. */
  get lines(): readonly ContextLine[] {
    return this.#lines;
  }

  get profile(): ModelProfile {
    return this.#given.input.profile;
  }

  get bytes(): number {
    return this.#body.bytes + this.#head.tools.bytes + this.#head.system.bytes;
  }

  get images(): number {
    return this.#body.images;
  }

  /** Whether a picture is sent, or words that stand for it. */
  get hasImages(): boolean {
    return this.#body.imageParts > 0;
  }

  /** Tokens of the whole request. */
  get tokens(): number {
    return toWhole(this.#plain() * this.#correction);
  }

  /** Tokens of tools and system, which no edit can change. */
  get headTokens(): number {
    return this.#scaled(this.#head.tools.text + this.#head.system.text);
  }

  /** By the estimate alone, for `learn`: text with its factor, and pictures. */
  get estimate(): { readonly text: number; readonly images: number; readonly head: number } {
    const head = this.#head.tools.text + this.#head.system.text;
    const text = (head + this.#body.text + this.#body.state) * this.#scale();
    return { text, images: this.#body.imageTokens, head };
  }

  /** Takes the provider's count for this request; what is edited from here on is measured by it. */
  believe(tokens: number, source: ContextReport["source"]): void {
    this.#correction = tokens / Math.max(1, this.#plain());
    this.#source = source;
  }

  tokensOf(parts: readonly Part[]): number {
    return toWhole(this.#tokensOfSize(sizeOfParts(parts, this.#given.sizes)) * this.#correction);
  }

  /** By the counter alone, without what was learned: for cutting a text to so many tokens. */
  toRawTokens(tokens: number): number {
    return Math.floor(tokens / (this.#scale() * this.#correction));
  }

  add(lines: readonly ContextLine[]): void {
    this.#use([...this.lines, ...lines]);
  }

  /** An edit of the view, as a line. */
  edit(edits: readonly ViewEdit[]): void {
    if (edits.length > 0) this.add([{ type: "view", epoch: this.#view.epoch + 1, edits }]);
  }

  /** Takes back all but the first lines. */
  rewind(lines: number): void {
    this.#use(this.lines.slice(0, lines));
  }

  #use(lines: readonly ContextLine[]): void {
    this.#lines = lines;
    this.#view = readView(this.#given.input.entries, lines);
    this.#body = this.#sizeFrom(0);
    if (lines.length > 0) this.#source = "estimated";
  }

  toRequest(): LLMRequest {
    const { input, idleGaps } = this.#given;
    const { model, profile, config } = input;
    const sent = { system: this.#system, tools: this.#tools, messages: this.#view.messages };
    const size = { prefixTokens: this.headTokens, totalTokens: this.tokens };
    return { model, ...sent, config, cache: planCache({ ...sent, ...size, profile, idleGaps }) };
  }

  toReport(): ContextReport {
    const total = this.tokens;
    const tools = this.#scaled(this.#head.tools.text);
    const system = this.#scaled(this.#head.system.text);
    const state = this.#scaled(this.#body.state);
    const images = toWhole(this.#body.imageTokens * this.#correction);
    return {
      tokens: { tools, system, state, images, history: Math.max(0, total - tools - system - state - images), total },
      source: this.#source,
      bytes: this.bytes,
      images: this.images,
      expectedCachedTokens: this.#expectedCached(),
    };
  }

  /** What the last request of this epoch left in the cache; after an edit only the head is as it was. */
  #expectedCached(): number {
    const { cache } = this.profile;
    if (!cache || cache.kind === "none" || !this.#view.originals.some((message) => message.role === "assistant")) {
      return 0;
    }
    const { messages, turnsInEpoch } = this.#view;
    const added = this.#sizeFrom(lastSent(messages) + 1);
    const size = this.#whole(turnsInEpoch > 0 ? subtractSizes(this.#body, added) : NO_SIZE);
    const tokens = toWhole(this.#tokensOfSize(size) * this.#correction);
    return tokens < cache.minTokens ? 0 : tokens;
  }

  /** 1.7.6(4): the last report and an estimate of what came since; without one the estimate of all. */
  #anchored(): number {
    const { input, anchorOf } = this.#given;
    const { messages, epoch } = this.#view;
    const at = messages.findLastIndex((message) => anchorOf(message) !== undefined);
    const last = messages[at];
    const anchor = last && anchorOf(last);
    if (anchor?.model !== input.model || anchor.epoch !== epoch) return this.#plain();
    if (anchor.messages !== at + 1 || anchor.head !== this.estimate.head) return this.#plain();
    return anchor.actual + this.#tokensOfSize(this.#sizeFrom(at + 1));
  }

  /** Of what is sent from this message on. */
  #sizeFrom(from: number): RawSize {
    const { sizes, counted } = this.#given;
    return sizeOfMessages(this.#view.messages, sizes, { from, counted });
  }

  #plain(): number {
    return this.#tokensOfSize(this.#whole(this.#body));
  }

  #whole(body: RawSize): RawSize {
    return addSizes(body, addSizes(this.#head.tools, this.#head.system));
  }

  #tokensOfSize(size: RawSize): number {
    return (size.text + size.state) * this.#scale() + size.imageTokens;
  }

  #scaled(text: number): number {
    return toWhole(text * this.#scale() * this.#correction);
  }

  #scale(): number {
    return this.#given.sizes.counter.scale?.(this.profile) ?? 1;
  }
}

function rank(block: SystemBlock): number {
  return block.stability === "static" ? 0 : 1;
}

/** Up, but not for an error in the last digit. */
function toWhole(tokens: number): number {
  return Math.max(0, Math.ceil(tokens - 1e-6));
}
