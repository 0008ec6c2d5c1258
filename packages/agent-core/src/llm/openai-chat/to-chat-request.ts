// LLMRequest → body of POST /v1/chat/completions
import type OpenAI from "openai";
import type { ImagePart, Message, ToolResultPart } from "../../types/message.ts";
import { readImage, spokenWords, type WireContext } from "../image-source.ts";
import type { LLMRequest } from "../llm-client.ts";
import type { OpenAIProfile } from "../openai/profiles.data.ts";
import { toSystemText, toWireSettings, type WireSettings } from "../openai/wire-settings.ts";

type WireMessage = OpenAI.ChatCompletionMessageParam;
type WirePart = OpenAI.ChatCompletionContentPart;
type Context = WireContext<OpenAIProfile>;

export async function toChatRequest(
  request: LLMRequest,
  context: Context,
): Promise<OpenAI.ChatCompletionCreateParamsStreaming> {
  const { profile, warn } = context;
  const system = toSystemText(request);
  return {
    model: request.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      ...(await toMessages(request.messages, context)),
    ],
    tools: request.tools.length > 0 ? request.tools.map(toTool) : undefined,
    ...spell(toWireSettings(request, profile, warn), profile),
    ...request.config?.providerOptions,
  };
}

function spell(
  { maxTokens, effort, temperature, format, toolChoice, parallelTools }: WireSettings,
  { maxTokensField = "max_completion_tokens" }: OpenAIProfile,
): Partial<OpenAI.ChatCompletionCreateParamsStreaming> {
  const choice =
    typeof toolChoice === "object" ? { type: "function" as const, function: { name: toolChoice.tool } } : toolChoice;
  return {
    [maxTokensField]: maxTokens,
    reasoning_effort: effort,
    temperature,
    response_format: format && { type: "json_schema", json_schema: { ...format } },
    tool_choice: choice,
    parallel_tool_calls: parallelTools,
  };
}

function toTool({ name, description, parameters, strict }: LLMRequest["tools"][number]): OpenAI.ChatCompletionTool {
  return { type: "function", function: { name, description, parameters, strict: strict || undefined } };
}

/** Between two assistant messages the results come first, then their pictures, then what was said meanwhile. */
async function toMessages(messages: readonly Message[], context: Context): Promise<WireMessage[]> {
  const wire: WireMessage[] = [];
  let pending: Message[] = [];
  const flush = async (): Promise<void> => {
    wire.push(...(await toUserSide(pending, context)));
    pending = [];
  };
  for (const message of messages) {
    if (message.role !== "assistant") {
      pending.push(message);
      continue;
    }
    await flush();
    wire.push(...toAssistant(message));
  }
  await flush();
  return wire;
}

async function toUserSide(messages: readonly Message[], context: Context): Promise<WireMessage[]> {
  const results = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool_result"));
  const shown = await Promise.all(results.map((result) => toResultImages(result, context)));
  const said = await Promise.all(messages.map((message) => toSpoken(message, context)));
  return [
    ...results.map(toResult),
    ...(shown.flat().length > 0 ? [{ role: "user" as const, content: shown.flat() }] : []),
    ...said.flat(),
  ];
}

/** Tool messages are text only. This wire has no mark for a failure, so the outcome stands in the text. */
function toResult({ callId, outcome, content }: ToolResultPart): WireMessage {
  const mark = outcome === "ok" ? [] : [`[${outcome}]`];
  const texts = content.flatMap((item) => (item.type === "text" && item.text.trim() !== "" ? [item.text] : []));
  const images = content.some(({ type }) => type === "image") ? [`[images of ${callId} follow]`] : [];
  const words = [...mark, ...texts, ...images];
  return { role: "tool", tool_call_id: callId, content: words.join("\n") };
}

/** VI-12: pictures of a tool go into a user message that names the call. */
async function toResultImages({ callId, toolName, content }: ToolResultPart, context: Context): Promise<WirePart[]> {
  const images = content.filter((item) => item.type === "image");
  if (images.length === 0) return [];
  const label: WirePart = { type: "text", text: `Images from ${toolName}, call ${callId}:` };
  return [label, ...(await Promise.all(images.map((image) => toImage(image, context))))];
}

async function toSpoken(message: Message, context: Context): Promise<WireMessage[]> {
  const parts = (
    await Promise.all(
      message.parts.map(async (part): Promise<WirePart[]> => {
        if (part.type === "image") return [await toImage(part, context)];
        const text = spokenWords(part);
        return text === "" ? [] : [{ type: "text", text }];
      }),
    )
  ).flat();
  const [first, ...more] = parts;
  if (!first) return [];
  // Not every compatible server takes a list where a string would do.
  const content = first.type === "text" && more.length === 0 ? first.text : parts;
  if (message.role !== "system") return [{ role: "user", content }];
  return [{ role: "system", content: parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") }];
}

function toAssistant({ parts }: Message): WireMessage[] {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : []));
  if (text === "" && calls.length === 0) return [];
  const toolCalls = calls.map(({ id, toolName, arguments: args }) => ({
    id,
    type: "function" as const,
    function: { name: toolName, arguments: JSON.stringify(args) },
  }));
  return [{ role: "assistant", content: text || null, tool_calls: toolCalls.length > 0 ? toolCalls : undefined }];
}

async function toImage(part: ImagePart, context: Context): Promise<WirePart> {
  const shown = await readImage(part, context);
  if (shown.kind === "text") return { type: "text", text: shown.text };
  const url = `data:${shown.mimeType};base64,${shown.base64}`;
  return { type: "image_url", image_url: { url, detail: part.detail as "auto" | undefined } };
}
