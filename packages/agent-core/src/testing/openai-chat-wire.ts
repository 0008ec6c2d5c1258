// chat completions: what the real one refuses, and the chunks it sends
import type { OpenAICall, OpenAIReply, OpenAIReplyBlock } from "./openai-reply.ts";
import { argumentsOf } from "./openai-reply.ts";
import {
  findFunctionProblem,
  findSamplingProblem,
  halves,
  isLoose,
  isObjectAtTop,
  isPicture,
  isWire,
  listOf,
  type OpenAIRequest,
  TOP_MESSAGE,
  type Wire,
} from "./openai-wire.ts";

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool"];

/** The words of a refusal; undefined when all is well. */
export function findChatProblem(body: OpenAIRequest): string | undefined {
  const messages = listOf(body.messages);
  const functions = listOf(body.tools).map(({ function: definition }) => (isWire(definition) ? definition : {}));
  if (messages.length === 0) return "messages: at least one message is required";
  if ("max_tokens" in body) return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
  if (messages.some(({ role }) => !ROLES.includes(role))) return "messages: unknown role";
  return (
    findSamplingProblem(body, body.reasoning_effort) ??
    findFunctionProblem(functions, body.tool_choice) ??
    findFormatProblem(body.response_format) ??
    findContentProblem(messages) ??
    findAnswerProblem(messages)
  );
}

/** Some servers want the thinking of earlier answers back, others refuse the field. */
export function findReasoningContentProblem(
  body: OpenAIRequest,
  mode: "required" | "refused" | undefined,
): string | undefined {
  const answers = listOf(body.messages).filter(({ role }) => role === "assistant");
  if (mode === "refused" && answers.some((answer) => "reasoning_content" in answer)) {
    return "messages: property 'reasoning_content' is unsupported";
  }
  const calls = answers.filter(({ tool_calls }) => listOf(tool_calls).length > 0);
  return mode === "required" && calls.some((answer) => typeof answer.reasoning_content !== "string")
    ? "thinking is enabled but reasoning_content is missing in assistant tool call message"
    : undefined;
}

function findFormatProblem(format: unknown): string | undefined {
  if (!isWire(format) || format.type !== "json_schema") return undefined;
  const schema = isWire(format.json_schema) ? format.json_schema : {};
  if (typeof schema.name !== "string") return "response_format: a name is required";
  if (!isObjectAtTop(schema.schema)) return `Invalid schema for response_format: ${TOP_MESSAGE}`;
  return schema.strict === true && isLoose(schema.schema) ? "response_format: schema is not strict" : undefined;
}

function findContentProblem(messages: readonly Wire[]): string | undefined {
  for (const { role, content, tool_calls: calls } of messages) {
    const parts = listOf(content);
    if (content === null && !(role === "assistant" && listOf(calls).length > 0))
      return `messages: ${role} has no content`;
    if (role !== "user" && parts.some(({ type }) => type !== "text")) return `messages: ${role} takes text only`;
    const images = parts.flatMap(({ image_url: image }) => (isWire(image) ? [image.url] : []));
    if (!images.every(isPicture)) return "messages: invalid image";
    const raw = listOf(calls).map(({ function: call }) => (isWire(call) ? call.arguments : undefined));
    if (raw.some((json) => typeof json !== "string")) return "messages: arguments must be a string";
  }
  return undefined;
}

/** Every call is answered by a tool message before anybody else speaks. */
function findAnswerProblem(messages: readonly Wire[]): string | undefined {
  let open: unknown[] = [];
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === "tool") {
      if (!open.includes(id)) return "messages with role 'tool' must be a response to a preceding message";
      open = open.filter((one) => one !== id);
      continue;
    }
    if (open.length > 0) return "An assistant message with 'tool_calls' must be followed by tool messages";
    open = listOf(calls).map((call) => call.id);
  }
  return open.length > 0 ? "An assistant message with 'tool_calls' must be followed by tool messages" : undefined;
}

/** The lines of the answer, without their `data:`. */
export function toChatLines(reply: OpenAIReply, request: OpenAIRequest, number: number): readonly string[] {
  if (reply.raw) return reply.raw.map((line) => (typeof line === "string" ? line : `data: ${JSON.stringify(line)}`));
  const blocks = reply.blocks ?? [];
  const calls = blocks.filter((block): block is OpenAICall => block.type === "tool_use");
  const usual = calls.length > 0 ? "tool_calls" : "stop";
  const finish = reply.finish === undefined ? usual : reply.finish;
  const head = {
    id: `chatcmpl-${number}`,
    object: "chat.completion.chunk",
    created: 1_794_700_000,
    model: request.model,
    service_tier: "default",
  };
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
    obfuscation: "x",
  });
  const asked = isWire(request.stream_options) && request.stream_options.include_usage === true;
  const chunks = [
    chunk({ role: "assistant", content: null, refusal: null }),
    ...blocks.flatMap((block) => toDeltas(block, calls, number)).map((delta) => chunk(delta)),
    ...(finish === null ? [] : [chunk({}, finish)]),
    ...(asked && reply.usage !== null ? [{ ...head, choices: [], usage: { ...USAGE, ...reply.usage } }] : []),
  ];
  return [...chunks.map((one) => `data: ${JSON.stringify(one)}`), ...(finish === null ? [] : ["data: [DONE]"])];
}

const USAGE = {
  prompt_tokens: 310,
  completion_tokens: 22,
  total_tokens: 332,
  prompt_tokens_details: { cached_tokens: 256, cache_write_tokens: 0, image_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

function toDeltas(block: OpenAIReplyBlock, calls: readonly OpenAICall[], number: number): readonly object[] {
  switch (block.type) {
    case "text":
      return halves(block.text).map((content) => ({ content }));
    case "thinking":
      return halves(block.text).map((reasoning_content) => ({ reasoning_content }));
    case "refusal":
      return halves(block.text).map((refusal) => ({ refusal }));
    case "tool_use": {
      const index = calls.indexOf(block);
      const id = block.id ?? `call_${number}_${index + 1}`;
      const start = { index, id, type: "function", function: { name: block.name, arguments: "" } };
      const pieces = halves(argumentsOf(block)).map((json) => ({ index, function: { arguments: json } }));
      return [start, ...pieces].map((piece) => ({ tool_calls: [piece] }));
    }
    case "item":
      return [];
  }
}
