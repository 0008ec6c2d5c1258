// LLMRequest → chat completions, of the provider or of a compatible server → deltas and a response
import type { AnswerContext } from "../finish-response.ts";
import type { LLMDelta, LLMRequest, LLMResponse } from "../llm-client.ts";
import type { OpenAIWireCall } from "../openai/wire-call.ts";
import { ChatAssembler, type ChatChunk } from "./assemble-chat.ts";
import { toChatRequest } from "./to-chat-request.ts";

export async function* answerByChat(
  request: LLMRequest,
  { sdk, signal, answer, ...context }: OpenAIWireCall,
): AsyncGenerator<LLMDelta, LLMResponse> {
  const body = await toChatRequest(request, context);
  const { data, request_id } = await sdk.chat.completions.create(body, { signal }).withResponse();
  const assembler = new ChatAssembler(answer.messageId);
  for await (const chunk of data) yield* assembler.take(chunk as unknown as ChatChunk);
  const known: AnswerContext = { ...answer, requestId: request_id ?? undefined };
  return assembler.finish(known);
}
