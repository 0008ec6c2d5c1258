// what a model is asked, what it says, piece by piece and whole → the same with tokens in place of secrets
import { type Hide, hideCall, hideMessage, hideSchema, hideWarning } from "../observability/hide-secrets.ts";
import { NO_SECRETS, type SecretTokens } from "../observability/secret-tokens.ts";
import type { AgentError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import { decorateClient, toGivenStream } from "./decorated-client.ts";
import { DeltaPieces } from "./delta-pieces.ts";
import type { LLMClient, LLMDelta, LLMRequest, LLMResponse } from "./llm-client.ts";

/**
 * VI-13: nobody acts on a secret that a model repeats, or is shown one; one that is streamed in two pieces is one, too.
 * Nothing is asked while `whyNot` says that the secrets cannot be known.
 */
export function hideAnswers(client: LLMClient, secrets: SecretTokens, whyNot: () => AgentError | undefined): LLMClient {
  if (secrets === NO_SECRETS) return client;
  const hideRequest = createRequestHider(secrets);
  const toSent = (request: LLMRequest): LLMRequest => {
    const failure = whyNot();
    if (failure) throw failure;
    return hideRequest(request);
  };
  const decorated = decorateClient(client, async function* (request, context) {
    const stream = toGivenStream(client.stream(toSent(request), context));
    yield* hideDeltas(stream, secrets);
    return hideResponse(await stream.result(), secrets.hide);
  });
  const count = client.countTokens?.bind(client);
  return { ...decorated, countTokens: count && (async (request, context) => count(toSent(request), context)) };
}

/** Remembers the messages it has seen: a long conversation is looked at once, and again when there are new secrets. */
function createRequestHider(secrets: SecretTokens): (request: LLMRequest) => LLMRequest {
  const { hide, reveal } = secrets;
  let seen = new WeakMap<Message, Message>();
  let known = 0;
  const hideOnce = (message: Message): Message => {
    const earlier = seen.get(message);
    if (earlier) return earlier;
    const hidden = hideMessage(message, hide);
    seen.set(message, hidden);
    return hidden;
  };
  return (request) => {
    const now = secrets.known();
    if (now !== known) seen = new WeakMap();
    known = now;
    const { output, providerOptions } = request.config ?? {};
    return {
      ...request,
      system: request.system.map((block) => ({ ...block, text: hide(block.text) })),
      messages: request.messages.map(hideOnce),
      tools: request.tools.map((tool) => ({
        ...tool,
        description: hide(tool.description),
        parameters: hideSchema(tool.parameters, hide),
      })),
      ...(request.config && {
        config: {
          ...request.config,
          ...(output && { output: { ...output, schema: hideSchema(output.schema, hide) } }),
          // The host wrote them for the provider; after a pause they come from the disk.
          ...(providerOptions && { providerOptions: reveal(providerOptions) }),
        },
      }),
    };
  };
}

const LEFT_OUT =
  "Reasoning or a result of the provider contained a secret and was left out: signed data cannot be changed.";

function hideResponse(response: LLMResponse, hide: Hide): LLMResponse {
  const message = hideMessage(response.message, hide);
  const isWhole = message.parts.length === response.message.parts.length;
  const warnings = response.warnings.map((warning) => hideWarning(warning, hide));
  const { stopDetail } = response;
  return {
    ...response,
    message,
    content: hide(response.content),
    toolCalls: response.toolCalls.map((call) => hideCall(call, hide)),
    ...(stopDetail && { stopDetail: { ...stopDetail, explanation: hide(stopDetail.explanation) } }),
    warnings: isWhole ? warnings : [...warnings, { code: "reasoning_dropped", message: LEFT_OUT }],
  };
}

async function* hideDeltas(deltas: AsyncIterable<LLMDelta>, secrets: SecretTokens): AsyncGenerator<LLMDelta> {
  const pieces = new DeltaPieces(() => secrets.pieces());
  for await (const delta of deltas) {
    const told: readonly LLMDelta[] = delta.type === "alive" ? [delta] : pieces.take(delta);
    // What waits is a sign of life all the same.
    yield* told.length === 0 ? [{ type: "alive" as const }] : told;
  }
  yield* pieces.rest();
}
