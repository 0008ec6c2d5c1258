// LLMRequest → body of POST /v1/chat/completions

import type OpenAI from "openai";
import type { Warn } from "../../types/events.ts";
import type { ImagePart, Message, ToolResultPart } from "../../types/message.ts";
import { type ImageSource, readImage } from "../image-source.ts";
import type { LLMRequest } from "../llm-client.ts";
import type { OpenAIProfile } from "../openai/profiles.data.ts";
import { toWireSettings, type WireSettings } from "../openai/wire-settings.ts";

type WireMessage = OpenAI.ChatCompletionMessageParam;
type WirePart = OpenAI.ChatCompletionContentPart;

export interface ChatContext {
  readonly images: ImageSource;
  readonly profile: OpenAIProfile;
  readonly warn: Warn;
}

export async function toChatRequest(
  request: LLMRequest,
  context: ChatContext,
): Promise<OpenAI.ChatCompletionCreateParamsStreaming> {
  const { profile, warn } = context;
  const system = request.system
    .map(({ text }) => text)
    .filter((text) => text.trim() !== "")
    .join("\n\n");
  return {
    model: request.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      ...(await toMessages(request.messages, context)),
    ],
    ...(request.tools.length > 0 ? { tools: request.tools.map(toTool) } : {}),
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
    ...(effort ? { reasoning_effort: effort } : {}),
    temperature,
    ...(format ? { response_format: { type: "json_schema", json_schema: { ...format } } } : {}),
    ...(choice ? { tool_choice: choice } : {}),
    ...(parallelTools === false ? { parallel_tool_calls: false } : {}),
  };
}

function toTool({ name, description, parameters, strict }: LLMRequest["tools"][number]): OpenAI.ChatCompletionTool {
  return { type: "function", function: { name, description, parameters, ...(strict ? { strict: true } : {}) } };
}

/** Between two assistant messages the results come first, then their pictures, then what was said meanwhile. */
async function toMessages(messages: readonly Message[], context: ChatContext): Promise<WireMessage[]> {
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

async function toUserSide(messages: readonly Message[], context: ChatContext): Promise<WireMessage[]> {
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
async function toResultImages(
  { callId, toolName, content }: ToolResultPart,
  context: ChatContext,
): Promise<WirePart[]> {
  const images = content.filter((item) => item.type === "image");
  if (images.length === 0) return [];
  const label: WirePart = { type: "text", text: `Images from ${toolName}, call ${callId}:` };
  return [label, ...(await Promise.all(images.map((image) => toImage(image, context))))];
}

async function toSpoken(message: Message, context: ChatContext): Promise<WireMessage[]> {
  const parts = (
    await Promise.all(
      message.parts.map(async (part): Promise<WirePart[]> => {
        if (part.type === "text") return toText(part.text);
        if (part.type === "state_note") return toText(part.text === "" ? "" : `<state>\n${part.text}\n</state>`);
        return part.type === "image" ? [await toImage(part, context)] : [];
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
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    },
  ];
}

function toText(text: string): WirePart[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

async function toImage(part: ImagePart, { images, profile, warn }: ChatContext): Promise<WirePart> {
  const shown = await readImage(part, images, profile, warn);
  if (shown.kind === "text") return { type: "text", text: shown.text };
  const url = `data:${shown.mimeType};base64,${shown.base64}`;
  return { type: "image_url", image_url: { url, ...(part.detail ? { detail: part.detail as "auto" } : {}) } };
}
