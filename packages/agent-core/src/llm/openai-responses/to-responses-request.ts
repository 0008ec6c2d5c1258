// LLMRequest → body of POST /v1/responses
import type OpenAI from "openai";
import type { ImagePart, Message, Part, ToolResultPart } from "../../types/message.ts";
import { readImage, spokenWords, type WireContext } from "../image-source.ts";
import type { LLMRequest } from "../llm-client.ts";
import type { OpenAIProfile } from "../openai/profiles.data.ts";
import { toSystemText, toWireSettings, type WireSettings } from "../openai/wire-settings.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type Content = OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage;
type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type Context = WireContext<OpenAIProfile>;

/** Stateless: nothing is kept by the provider, and reasoning comes back encrypted. */
export async function toResponsesRequest(request: LLMRequest, context: Context): Promise<Body> {
  const { profile, warn } = context;
  const { tools: ownTools, ...own } = request.config?.providerOptions ?? {};
  const tools = [...request.tools.map(toTool), ...((ownTools ?? []) as unknown as OpenAI.Responses.Tool[])];
  const items = await Promise.all(request.messages.map((message) => toItems(message, context)));
  return {
    model: request.model,
    stream: true,
    store: false,
    instructions: toSystemText(request) || undefined,
    input: resultsFirst(items.flat()),
    tools: tools.length > 0 ? tools : undefined,
    ...spell(toWireSettings(request, profile, warn), profile),
    ...own,
  };
}

/** The body of POST /v1/responses/input_tokens: the same without what only an answer needs. */
export function toInputTokensRequest(body: Body): OpenAI.Responses.InputTokenCountParams {
  const { model, instructions, tools, input } = body;
  return { model: String(model), input: input as Item[], instructions, tools };
}

function spell(
  { maxTokens, effort, temperature, format, toolChoice, parallelTools }: WireSettings,
  { reasoning }: OpenAIProfile,
): Partial<Body> {
  const thinks = reasoning.efforts.length > 0;
  const choice = typeof toolChoice === "object" ? { type: "function" as const, name: toolChoice.tool } : toolChoice;
  return {
    max_output_tokens: maxTokens,
    include: thinks ? ["reasoning.encrypted_content"] : undefined,
    reasoning: thinks ? { effort, summary: effort === "none" ? undefined : "auto" } : undefined,
    temperature,
    text: format && { format: { type: "json_schema", ...format } },
    tool_choice: choice,
    parallel_tool_calls: parallelTools,
  };
}

function toTool({ name, description, parameters, strict = false }: LLMRequest["tools"][number]): OpenAI.Responses.Tool {
  return { type: "function", name, description, parameters, strict };
}

async function toItems(message: Message, context: Context): Promise<Item[]> {
  if (message.role === "assistant") return toAssistantItems(message, context.profile.id);
  const content: Content[] = [];
  const results: Item[] = [];
  for (const part of message.parts) {
    if (part.type === "tool_result") results.push(await toResult(part, context));
    else content.push(...(await toContent(part, context)));
  }
  const role = message.role === "system" ? "developer" : "user";
  return [...results, ...(content.length > 0 ? [{ type: "message" as const, role, content } satisfies Item] : [])];
}

async function toContent(part: Part, context: Context): Promise<Content[]> {
  if (part.type === "image") return [await toImage(part, context)];
  const text = spokenWords(part);
  return text === "" ? [] : [{ type: "input_text", text }];
}

/** In the order in which they were said: reasoning belongs to what follows it. */
function toAssistantItems({ parts }: Message, model: string): Item[] {
  const items = parts.flatMap((part): Item[] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [{ type: "message", role: "assistant", content: part.text }];
      case "tool_call": {
        const { id, toolName, arguments: args } = part.call;
        return [{ type: "function_call", call_id: id, name: toolName, arguments: JSON.stringify(args) }];
      }
      case "reasoning": {
        const isOwn = part.opaque?.provider === "openai" && part.opaque.model === model;
        return isOwn ? [part.opaque?.data as unknown as Item] : [];
      }
      case "provider":
        return part.opaque.provider === "openai" ? [part.opaque.data as unknown as Item] : [];
      default:
        return [];
    }
  });
  // Refused without the item that it led to, as when an answer was cut.
  const end = items.findLastIndex((item) => item.type !== "reasoning");
  return items.slice(0, end + 1);
}

/** This wire has no mark for a failure, so the outcome stands in the text. */
async function toResult({ callId, outcome, content }: ToolResultPart, context: Context): Promise<Item> {
  const mark: Content[] = outcome === "ok" ? [] : [{ type: "input_text", text: `[${outcome}]` }];
  const shown = await Promise.all(content.map((item) => toContent(item, context)));
  const parts = [...mark, ...shown.flat()];
  const isText = parts.every((part) => part.type === "input_text");
  const output = isText ? parts.map(({ text }) => text).join("\n") : parts;
  return { type: "function_call_output", call_id: callId, output: output as string };
}

/** What was said while tools ran comes after their results. */
function resultsFirst(items: readonly Item[]): Item[] {
  const sorted: Item[] = [];
  let said: Item[] = [];
  for (const item of items) {
    const isUserSide = "role" in item && item.role !== "assistant";
    if (isUserSide) said.push(item);
    else if (item.type === "function_call_output") sorted.push(item);
    else {
      sorted.push(...said, item);
      said = [];
    }
  }
  return [...sorted, ...said];
}

async function toImage(part: ImagePart, context: Context): Promise<Content> {
  const shown = await readImage(part, context);
  if (shown.kind === "text") return { type: "input_text", text: shown.text };
  const image_url = `data:${shown.mimeType};base64,${shown.base64}`;
  return { type: "input_image", image_url, detail: part.detail ?? "auto" };
}
