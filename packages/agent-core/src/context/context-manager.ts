// transcript → a request within its budgets, and the lines that say what was left out
import { toolImagesOf, type VisionContextPolicy } from "../artifacts/vision-policy.ts";
import type { LLMClient, LLMRequest, ModelProfile } from "../llm/llm-client.ts";
import { type Clock, systemClock } from "../types/clock.ts";
import { type AgentError, agentError } from "../types/errors.ts";
import type { AgentEventBody, ContextReport } from "../types/events.ts";
import type { ArtifactRef, Message, Usage } from "../types/message.ts";
import { clearHard, clearImages, clearOld, countEdits, isOver } from "./clear-draft.ts";
import { type Compacted, compactDraft } from "./compaction.ts";
import { type ContextBudget, clearedBound, limitOf, thresholdsOf, toContextBudget } from "./context-budget.ts";
import { ContextDraft, type DraftInput, type SizeAnchor } from "./context-draft.ts";
import type { ContextLine } from "./history.ts";
import { CountedMessages } from "./message-size.ts";
import type { PruningStrategy } from "./pruning.ts";
import type { Summarizer } from "./summarizer.ts";
import { createCharCounter, type TokenCounter } from "./token-counter.ts";

/** Everything a request is made of. */
export interface PrepareInput extends DraftInput {
  readonly signal: AbortSignal;
  /** Puts the calls of a client under the limits of the run. */
  readonly pay?: (client: LLMClient) => LLMClient;
  /** Id for a summary. */
  newMessageId(): string;
  /** ISO 8601. */
  now(): string;
}

/** What was done to the context, for those who watch. */
type ContextEvent = Extract<AgentEventBody, { type: "context" }>;

/** A request that fits. */
export interface PreparedContext {
  readonly request: LLMRequest;
  readonly report: ContextReport;
  /** To be written to the transcript before the request is sent, in this order. */
  readonly lines: readonly ContextLine[];
  readonly events: readonly ContextEvent[];
  /** What the summariser used. */
  readonly spent?: Usage;
  /** That is paid for already. */
  readonly isPaid?: boolean | undefined;
}

/** Everything a context manager needs. */
export interface ContextManagerOptions {
  /** Over the defaults, which come from the model. */
  readonly budget?: Partial<ContextBudget>;
  /** Default `createCharCounter()`. */
  readonly counter?: TokenCounter;
  /** Default: an outline, which needs no model. */
  readonly summarizer?: Summarizer;
  /** What is given up first, in this order. Default: old tool results, then old pictures. */
  readonly strategies?: readonly PruningStrategy[];
  /** VA-16: memory flush, shown the messages that are about to be summarised. A failure or a late end does not stop the compaction. */
  readonly beforeCompaction?: (messages: readonly Message[], signal: AbortSignal) => Promise<void>;
  /** Of `beforeCompaction`. Default 20 000. */
  readonly flushTimeoutMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Absent shows every picture that the model takes. */
  readonly vision?: VisionContextPolicy;
  /** What is known of a picture, without waiting. */
  readonly refOf: (id: string) => ArtifactRef | undefined;
  /** Turns that begin with such a message outlive a compaction. The last words of the person always do. */
  readonly pin?: (message: Message) => boolean;
  /** The session rests longer than five minutes, so the cache of its head is kept for an hour. Default false. */
  readonly idleGapsOver5Minutes?: boolean;
}

/** Decides what the model is sent, within its window. */
export type ContextManager = Pick<BudgetedContext, keyof BudgetedContext>;

/** Keeps what it learns of sizes, and nothing else: what is sent follows from the transcript alone. */
export function createContextManager(options: ContextManagerOptions): ContextManager {
  return new BudgetedContext(options);
}

/** A compaction is not worth its price sooner than after so many answers. */
const TURNS_BETWEEN_COMPACTIONS = 3;
/** The provider is asked to count when the estimate is this close to a threshold. */
const NEAR = 0.05;

/** What is learned from when the provider reports. */
type Sent = {
  readonly profile: ModelProfile;
  readonly last: Message | undefined;
  readonly anchor: Omit<SizeAnchor, "actual">;
  readonly estimate: ContextDraft["estimate"];
};

/** AF-24, AF-25: what the model is sent, for any number of sessions at once. */
class BudgetedContext {
  readonly #options: ContextManagerOptions;
  readonly #counter: TokenCounter;
  readonly #anchors = new WeakMap<Message, SizeAnchor>();
  readonly #sent = new WeakMap<ContextReport, Sent>();
  /** By the list that a transcript is in. */
  readonly #counted = new WeakMap<object, CountedMessages>();

  constructor(options: ContextManagerOptions) {
    this.#options = options;
    this.#counter = options.counter ?? createCharCounter();
  }

  /**
   * Clears at `clearAt`, compacts at `compactAt`. Throws `AgentError` kind `agent`, code `context_overflow`,
   * when nothing makes it fit.
   */
  async prepare(input: PrepareInput): Promise<PreparedContext> {
    const draft = this.#draft(input);
    const budget = this.#budget(input);
    await this.#count(draft, budget, input.signal);
    const done = await this.#reduce(draft, budget, input);
    if (isOver(draft, budget)) throw overflow(draft, budget);
    return this.#finish(draft, input, done);
  }

  /** After the provider refused the last request. Undefined when nothing is left to give. */
  async shrink(input: PrepareInput, why: "overflow" | "too_large"): Promise<PreparedContext | undefined> {
    const draft = this.#draft(input);
    const budget = this.#budget(input);
    if (why === "overflow") this.#believeOverflow(draft, budget);
    // The body was refused, whatever its limit is: less than this.
    const maxBytes = Math.min(budget.maxBytes, clearedBound(draft.bytes));
    const maxImages = Math.min(budget.maxImages, clearedBound(draft.images));
    const done = await this.#reduce(draft, why === "overflow" ? budget : { ...budget, maxBytes, maxImages }, input);
    if (draft.lines.length === 0 || isOver(draft, budget)) return undefined;
    return this.#finish(draft, input, done);
  }

  /** What a request really took, beside the report it was sent with. */
  learn(report: ContextReport, usage: Usage): void {
    const sent = this.#sent.get(report);
    const actual = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    if (!sent || usage.estimated || actual <= 0) return;
    if (sent.last) this.#anchors.set(sent.last, { ...sent.anchor, actual });
    this.#counter.learn?.(sent.profile, sent.estimate.text, actual - sent.estimate.images);
  }

  #draft(input: PrepareInput): ContextDraft {
    const { refOf, idleGapsOver5Minutes = false } = this.#options;
    const counted = this.#counted.get(input.entries) ?? new CountedMessages(this.#counter);
    this.#counted.set(input.entries, counted);
    return new ContextDraft({
      input,
      sizes: { counter: this.#counter, profile: input.profile, refOf },
      counted,
      idleGaps: idleGapsOver5Minutes,
      anchorOf: (message) => this.#anchors.get(message),
    });
  }

  #budget({ profile, config }: PrepareInput): ContextBudget {
    return toContextBudget(this.#options.budget ?? {}, profile, config);
  }

  async #count(draft: ContextDraft, budget: ContextBudget, signal: AbortSignal): Promise<void> {
    if (!this.#counter.count) return;
    const { clear, compact } = thresholdsOf(budget);
    const isNear = (threshold: number): boolean => Math.abs(draft.tokens - threshold) <= threshold * NEAR;
    if (![clear, compact, limitOf(budget)].some(isNear)) return;
    try {
      draft.believe(await this.#counter.count(draft.toRequest(), signal), "counted");
    } catch {
      // An estimate will do: counting is a courtesy.
      signal.throwIfAborted();
    }
  }

  /** The provider knows better: whatever was estimated, it was more than the window. */
  #believeOverflow(draft: ContextDraft, budget: ContextBudget): void {
    const { text, images } = draft.estimate;
    this.#counter.learn?.(draft.profile, text, budget.window - images);
    draft.believe(Math.max(draft.tokens, budget.window), "estimated");
  }

  /** Bound → clear → compact → whatever is left. Each step only when the one before was not enough. */
  async #reduce(draft: ContextDraft, budget: ContextBudget, input: PrepareInput): Promise<Done> {
    const { strategies, vision, refOf } = this.#options;
    const events: ContextEvent[] = [];
    const told = (act: () => void): void => {
      const [before, lines] = [draft.tokens, draft.lines.length];
      act();
      if (draft.lines.length === lines) return;
      const detail = countEdits(draft, lines);
      events.push({ type: "context", action: "cleared", before, after: draft.tokens, detail });
    };
    told(() => clearImages(draft, budget, { refOf, policy: vision }));
    told(() => clearOld(draft, budget, strategies));
    let compacted = await this.#compactIfDue(draft, budget, input, events);
    if (isOver(draft, budget)) {
      told(() => clearHard(draft, budget));
      compacted ??= await this.#compactIfDue(draft, budget, input, events);
    }
    if (compacted === undefined) return { events };
    const { detail: _, ...money } = compacted;
    return { events, ...money };
  }

  async #compactIfDue(
    draft: ContextDraft,
    budget: ContextBudget,
    input: PrepareInput,
    events: ContextEvent[],
  ): Promise<Compacted | undefined> {
    const over = isOver(draft, budget);
    const due = draft.tokens > thresholdsOf(budget).compact || draft.bytes > budget.maxBytes;
    const rested = draft.view.turnsSinceCompaction >= TURNS_BETWEEN_COMPACTIONS;
    if (!over && !(due && rested)) return undefined;
    const { pin = () => false, clock = systemClock, flushTimeoutMs = 20_000 } = this.#options;
    const before = draft.tokens;
    const compacted = await compactDraft(draft, {
      ...this.#options,
      budget,
      counter: this.#counter,
      pin,
      clock,
      flushTimeoutMs,
      signal: input.signal,
      pay: input.pay,
      newMessageId: () => input.newMessageId(),
      now: () => input.now(),
    });
    if (!compacted) return undefined;
    events.push({ type: "context", action: "compacted", before, after: draft.tokens, detail: { ...compacted.detail } });
    return compacted;
  }

  #finish(draft: ContextDraft, input: PrepareInput, done: Done): PreparedContext {
    const request = draft.toRequest();
    const report = draft.toReport();
    const { epoch, messages } = draft.view;
    const { estimate } = draft;
    this.#sent.set(report, {
      profile: input.profile,
      last: messages.at(-1),
      anchor: { model: input.model, epoch, messages: messages.length, head: estimate.head },
      estimate,
    });
    return { request, report, lines: [...draft.lines, ...visionLines(draft)], ...done };
  }
}

/** VI-18: says which pictures of tools the model is shown, when they are not those of the request before. */
function visionLines({ view, profile, hasImages }: ContextDraft): readonly ContextLine[] {
  const images = profile.supportsVision && hasImages ? toolImagesOf(view.messages) : [];
  const before = view.visionContext;
  const isSame =
    images.length === before.length &&
    images.every(
      (image, at) => image.artifactId === before[at]?.artifactId && image.messageId === before[at]?.messageId,
    );
  return isSame ? [] : [{ type: "vision_context", images }];
}

type Done = Pick<PreparedContext, "events" | "spent" | "isPaid">;

function overflow(draft: ContextDraft, budget: ContextBudget): AgentError {
  return agentError(
    "agent",
    "context_overflow",
    `The conversation does not fit: ${draft.tokens} of ${limitOf(budget)} tokens, ` +
      `${draft.bytes} of ${budget.maxBytes} bytes, ${draft.images} of ${budget.maxImages} pictures.`,
  );
}
