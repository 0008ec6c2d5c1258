// LLMRequest → the Responses API → deltas and a response
import type { LLMDelta, LLMRequest, LLMResponse } from "../llm-client.ts";
import type { OpenAIWireCall } from "../openai/wire-call.ts";
import { ItemAssembler } from "./assemble-items.ts";
import { toInputTokensRequest, toResponsesRequest } from "./to-responses-request.ts";
import type { WireEvent } from "./wire-events.ts";

export async function* answerByResponses(
  request: LLMRequest,
  { sdk, signal, answer, ...context }: OpenAIWireCall,
): AsyncGenerator<LLMDelta, LLMResponse> {
  const body = await toResponsesRequest(request, context);
  const { data, request_id } = await sdk.responses.create(body, { signal }).withResponse();
  const assembler = new ItemAssembler();
  for await (const event of data) yield assembler.take(event as unknown as WireEvent);
  return assembler.finish({ ...answer, requestId: request_id ?? undefined });
}

export async function countByResponses(
  request: LLMRequest,
  { sdk, signal, ...context }: Omit<OpenAIWireCall, "answer">,
): Promise<number> {
  const body = toInputTokensRequest(await toResponsesRequest(request, context));
  return (await sdk.responses.inputTokens.count(body, { signal })).input_tokens;
}
