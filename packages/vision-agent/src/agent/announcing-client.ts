// a stand-in's answer → the answer, and who gave it and why
import { decorateClient, type LLMClient, type LLMResponse, relay } from "@vision-agent/agent-core";

export interface AnnouncingClientOptions {
  readonly client: LLMClient;
  /** The sentence at the end of every answer. */
  readonly note: () => string;
}

/** Nobody stands in for the configured model in silence. Answers that only call tools stay as they are. */
export function createAnnouncingClient({ client, note }: AnnouncingClientOptions): LLMClient {
  return decorateClient(client, async function* (request, context) {
    const response = yield* relay(client.stream(request, context), context.signal);
    if (response.toolCalls.length > 0) return response;
    const text = `\n\n${note()}`;
    yield { type: "text", text };
    return withEnd(response, text);
  });
}

function withEnd(response: LLMResponse, text: string): LLMResponse {
  const { message, content } = response;
  const parts = [...message.parts, { type: "text" as const, text }];
  return { ...response, message: { ...message, parts }, content: content + text };
}
