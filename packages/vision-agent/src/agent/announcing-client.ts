// a stand-in's answer → the answer, and who gave it and why
import type { LLMClient, LLMDelta, LLMResponse } from "@vision-agent/agent-core";

export interface AnnouncingClientOptions {
  readonly client: LLMClient;
  /** The sentence at the end of every answer. */
  readonly note: () => string;
}

/** Nobody stands in for the configured model in silence. Answers that only call tools stay as they are. */
export function createAnnouncingClient({ client, note }: AnnouncingClientOptions): LLMClient {
  const stream: LLMClient["stream"] = (request, context) => {
    const result = Promise.withResolvers<LLMResponse>();
    result.promise.catch(() => undefined);
    return {
      result: () => result.promise,
      async *[Symbol.asyncIterator](): AsyncGenerator<LLMDelta> {
        try {
          const inner = client.stream(request, context);
          yield* inner;
          const response = await inner.result();
          const text = response.toolCalls.length === 0 ? `\n\n${note()}` : "";
          if (text !== "") yield { type: "text", text };
          result.resolve(text === "" ? response : withEnd(response, text));
        } catch (thrown) {
          result.reject(thrown);
          throw thrown;
        }
      },
    };
  };
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

function withEnd(response: LLMResponse, text: string): LLMResponse {
  const { message, content } = response;
  const parts = [...message.parts, { type: "text" as const, text }];
  return { ...response, message: { ...message, parts }, content: content + text };
}
