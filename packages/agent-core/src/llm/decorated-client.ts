// a client → the same client, whose answers pass through one function
import { raceAbort } from "../types/clock.ts";
import { agentError } from "../types/errors.ts";
import { isValueTooDeep } from "../types/json.ts";
import { notPromised } from "../types/listener.ts";
import type { CallContext, LLMClient, LLMDelta, LLMRequest, LLMResponse, LLMStream } from "./llm-client.ts";

/** Gives the pieces of an answer as they come, and the whole of it at the end. Must end when the signal fires. */
export type AnswerFunction = (request: LLMRequest, context: CallContext) => AsyncGenerator<LLMDelta, LLMResponse>;

/** For whatever watches or changes what a model says; `relay` gives the words of the client inside. */
export function decorateClient(client: LLMClient, answer: AnswerFunction): LLMClient {
  return {
    provider: client.provider,
    profile: (model) => client.profile(model),
    countTokens: client.countTokens?.bind(client),
    ...toCalls(answer),
  };
}

/** `stream` and `run` over one function: `run` drains the stream. */
export function toCalls(answer: AnswerFunction): Pick<LLMClient, "stream" | "run"> {
  return {
    stream: (request, context) => toStream(answer(request, context)),
    async run(request, context) {
      const stream = toStream(answer(request, context));
      for await (const _ of stream);
      return stream.result();
    },
  };
}

/** Every piece of a stream, then its response. Ends at once when the signal fires, whatever the stream does. */
export async function* relay(
  stream: LLMStream,
  signal: AbortSignal,
  onDelta?: (delta: LLMDelta) => void,
): AsyncGenerator<LLMDelta, LLMResponse> {
  const iterator = toGivenStream(stream)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await raceAbort(iterator.next(), signal);
      if (next.done) return toWhole(await raceAbort(stream.result(), signal));
      onDelta?.(next.value);
      yield next.value;
    }
  } finally {
    // Not awaited, because a stream that hangs would hang its own closing too; what it says now concerns nobody.
    iterator.return?.()?.catch(() => undefined);
  }
}

/** Throws `AgentError` code `bad_client` for a promise, whose own failure then concerns nobody. */
export function toGivenStream(given: LLMStream): LLMStream {
  try {
    return notPromised(given);
  } catch (thrown) {
    const message = "The client's `stream` gave a promise: it gives the stream at once.";
    throw agentError("invalid", "bad_client", message, { cause: thrown });
  }
}

/** A client that a program wrote itself may give anything. */
function toWhole(response: Partial<LLMResponse> | undefined): LLMResponse {
  const { message, toolCalls, usage, stopReason, warnings } = response ?? {};
  if (message && toolCalls && usage && stopReason && warnings) {
    if (!toolCalls.some((call) => isValueTooDeep(call.arguments))) return response as LLMResponse;
    throw agentError("invalid", "bad_client", "The arguments of a call are nested too deep.");
  }
  const parts = "{ message, content, toolCalls, usage, stopReason, model, warnings }";
  throw agentError("invalid", "bad_client", `The client's \`result()\` gave no whole answer. It gives ${parts}.`);
}

/** The generator's return value becomes the result; an error comes out of both. */
function toStream(events: AsyncGenerator<LLMDelta, LLMResponse>): LLMStream {
  const result = Promise.withResolvers<LLMResponse>();
  // Whoever only iterates has seen the error already.
  result.promise.catch(() => undefined);
  return {
    result: () => result.promise,
    async *[Symbol.asyncIterator]() {
      try {
        result.resolve(yield* events);
      } catch (thrown) {
        result.reject(thrown);
        throw thrown;
      } finally {
        const message = "The answer was not read to its end.";
        result.reject(agentError("cancelled", "left", message));
      }
    },
  };
}
