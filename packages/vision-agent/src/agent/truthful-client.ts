// a model's words, sentence by sentence → checked against what was done → shown
import type {
  CallContext,
  LLMClient,
  LLMDelta,
  LLMRequest,
  LLMResponse,
  LLMStream,
  Part,
} from "@vision-agent/agent-core";
import { namesOf, type ReadAppState } from "./app-state.ts";
import { type Evidence, isProofOf, refute } from "./check-claims.ts";
import type { Claim } from "./claim.ts";
import { findClaims } from "./find-claims.ts";
import { createSentenceSplitter, type Sentence } from "./sentence-splitter.ts";
import { effectKindOf, readTurn } from "./turn-effects.ts";

export interface TruthfulClientOptions {
  /** Who speaks: a model, or the offline interpreter. */
  readonly client: LLMClient;
  readonly readAppState: ReadAppState;
}

/**
 * What is said to be done is checked before it is shown; a sentence that is not so is replaced by what is.
 * Text without claims streams as it comes; a claim that has no proof waits for the calls of the same answer.
 */
export function createTruthfulClient({ client, readAppState }: TruthfulClientOptions): LLMClient {
  const stream: LLMClient["stream"] = (request, context) => checkedStream({ client, readAppState }, request, context);
  return {
    provider: client.provider,
    profile: (model) => client.profile(model),
    ...(client.countTokens && { countTokens: client.countTokens.bind(client) }),
    stream,
    async run(request, context) {
      const answer = stream(request, context);
      for await (const _ of answer);
      return answer.result();
    },
  };
}

function checkedStream(options: TruthfulClientOptions, request: LLMRequest, context: CallContext): LLMStream {
  const result = Promise.withResolvers<LLMResponse>();
  result.promise.catch(() => undefined);
  return {
    result: () => result.promise,
    async *[Symbol.asyncIterator](): AsyncGenerator<LLMDelta> {
      const inner = options.client.stream(request, context);
      const review = createReview(options.readAppState, request);
      try {
        for await (const delta of inner) {
          if (delta.type !== "text") yield delta;
          else yield* toDeltas(await review.take(delta.text));
        }
        const response = await inner.result();
        yield* toDeltas(await review.finish(response));
        result.resolve(withShown(response, review));
      } catch (thrown) {
        result.reject(thrown);
        throw thrown;
      }
    },
  };
}

function toDeltas(text: string): readonly LLMDelta[] {
  return text === "" ? [{ type: "alive" }] : [{ type: "text", text }];
}

/** The words of one answer on their way to the person. */
interface Review {
  /** What may be shown now. */
  take(text: string): Promise<string>;
  /** The rest, now that all calls of the answer are known. */
  finish(response: LLMResponse): Promise<string>;
  shown(): string;
  /** How many different things were not so. */
  corrections(): number;
}

interface Held {
  readonly sentence: Sentence;
  readonly claims: readonly Claim[];
}

function createReview(readAppState: ReadAppState, request: LLMRequest): Review {
  const turn = readTurn(request.messages);
  const splitter = createSentenceSplitter();
  const held: Held[] = [];
  const told = new Set<string>();
  let names: readonly string[] | undefined;
  let isCode = false;
  let shown = "";

  const show = (text: string): string => {
    shown += text;
    return text;
  };
  const claimsOf = async ({ text }: Sentence): Promise<readonly Claim[]> => {
    if (text.trimStart().startsWith("```")) isCode = !isCode;
    names ??= namesOf(await readAppState());
    return isCode ? [] : findClaims(text, names);
  };
  const isProven = async (claims: readonly Claim[]): Promise<boolean> => {
    if (claims.length === 0) return true;
    const app = await readAppState();
    return claims.every((claim) => refute(claim, { turn, app }) === undefined);
  };
  const examine = async (sentence: Sentence): Promise<string> => {
    const claims = await claimsOf(sentence);
    if (held.length === 0 && (await isProven(claims))) return show(sentence.rest);
    // What follows a sentence that waits must wait too.
    held.push({ sentence, claims });
    return "";
  };
  const judge = ({ sentence, claims }: Held, evidence: Evidence, response: LLMResponse): string => {
    const reasons = claims.flatMap((claim) => toReason(claim, evidence, response) ?? []);
    if (reasons.length === 0) return sentence.rest;
    if (reasons.every((reason) => reason === UNDER_WAY)) return withNote(sentence.rest, UNDER_WAY);
    const fresh = reasons.filter((reason) => reason !== UNDER_WAY && !told.has(reason));
    for (const reason of fresh) told.add(reason);
    return replaced(sentence.rest, [...new Set(fresh)].join(" "));
  };
  return {
    async take(text) {
      let ready = "";
      for (const sentence of splitter.push(text)) ready += await examine(sentence);
      return held.length === 0 ? ready + show(splitter.takeHarmless()) : ready;
    },
    async finish(response) {
      let ready = "";
      for (const sentence of splitter.end()) ready += await examine(sentence);
      if (held.length === 0) return ready;
      const evidence: Evidence = { turn, app: await readAppState() };
      return ready + show(held.map((one) => judge(one, evidence, response)).join(""));
    },
    shown: () => shown,
    corrections: () => told.size,
  };
}

const UNDER_WAY = "(Not confirmed yet.)";

/** A call of the same answer that does it excuses what is said of it; what is said to be over already is marked. */
function toReason(claim: Claim, evidence: Evidence, { toolCalls }: LLMResponse): string | undefined {
  const reason = refute(claim, evidence);
  if (reason === undefined) return undefined;
  const isUnderWay = toolCalls.some(({ toolName }) => isProofOf(claim, effectKindOf(toolName)));
  if (!isUnderWay) return reason;
  return claim.going || claim.kind === "promised" ? undefined : UNDER_WAY;
}

function withNote(sentence: string, note: string): string {
  const words = sentence.trimEnd();
  return `${words} ${note}${sentence.slice(words.length)}`;
}

/** In the place of the sentence: the mark of a list before it and the white space after it stay. */
function replaced(sentence: string, correction: string): string {
  const [lead = ""] = /^\s*(?:[-*•]\s+|\d+[.)]\s+)?/.exec(sentence) ?? [];
  const [tail = ""] = /\s*$/.exec(sentence) ?? [];
  return correction === "" ? "" : `${lead}${correction}${tail}`;
}

/** The answer as it was shown is the answer that is kept. */
function withShown(response: LLMResponse, review: Review): LLMResponse {
  const text = review.shown();
  if (text === response.content) return response;
  const first = response.message.parts.findIndex(({ type }) => type === "text");
  const parts = response.message.parts.flatMap((part, at): readonly Part[] => {
    if (part.type !== "text") return [part];
    return at === first && text !== "" ? [{ type: "text", text }] : [];
  });
  const message = "The answer said something that was not so; what is shown was corrected.";
  const note = { code: "claim_corrected", message } as const;
  const warnings = review.corrections() > 0 ? [...response.warnings, note] : response.warnings;
  return { ...response, message: { ...response.message, parts }, content: text, warnings };
}
