// neutral messages → the provider's blocks; the only place where pictures become base64
import type Anthropic from "@anthropic-ai/sdk";
import { sha256Of } from "../../types/json.ts";
import type { ImagePart, Message, Part, ReasoningPart, ToolResultPart } from "../../types/message.ts";
import { readImage, resultContent, spokenWords, type WireContext } from "../image-source.ts";
import type { AnthropicProfile } from "./profiles.data.ts";

type Block = Anthropic.ContentBlockParam;
type ResultBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

export type ContentContext = WireContext<AnthropicProfile>;

/** One message of the wire, and which of ours each block came from. */
export interface WireTurn {
  readonly role: "user" | "assistant";
  readonly blocks: readonly { readonly block: Block; readonly from: string }[];
}

/**
 * Folds neighbours of the same side into one message. In a user message the tool results come first,
 * because the provider refuses a turn whose calls are not answered at once.
 */
export async function toWireTurns(messages: readonly Message[], context: ContentContext): Promise<readonly WireTurn[]> {
  const turns: { role: WireTurn["role"]; blocks: { block: Block; from: string }[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const made = (await Promise.all(message.parts.map((part) => toBlock(part, context)))).flat();
    const blocks = made.map((block) => ({ block, from: message.id }));
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  }
  return turns.map(({ role, blocks }) => ({ role, blocks: role === "user" ? resultsFirst(blocks) : blocks }));
}

async function toBlock(part: Part, context: ContentContext): Promise<Block[]> {
  switch (part.type) {
    case "text":
    case "state_note":
      return toText(part);
    case "image":
      return [await toImage(part, context)];
    case "reasoning":
      return toReasoning(part, context.profile.id);
    case "tool_call":
      return [{ type: "tool_use", id: toWireId(part.call.id), name: part.call.toolName, input: part.call.arguments }];
    case "tool_result":
      return [await toResult(part, context)];
    case "provider":
      return part.opaque.provider === "anthropic" ? [part.opaque.data as unknown as Block] : [];
  }
}

/** The provider refuses empty text. */
function toText(part: Part): Anthropic.TextBlockParam[] {
  const text = spokenWords(part);
  return text === "" ? [] : [{ type: "text", text }];
}

/** Signed thinking goes back as it came, and only to the model that wrote it. */
function toReasoning(part: ReasoningPart, model: string): Block[] {
  if (part.opaque?.provider !== "anthropic" || part.opaque.model !== model) return [];
  return [part.opaque.data as unknown as Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam];
}

async function toResult(part: ToolResultPart, context: ContentContext): Promise<Anthropic.ToolResultBlockParam> {
  const blocks = resultContent(part).map(async (item) =>
    item.type === "text" ? toText(item) : toImage(item, context),
  );
  const content = (await Promise.all(blocks)).flat();
  return {
    type: "tool_result",
    tool_use_id: toWireId(part.callId),
    content: content.length > 0 ? content : undefined,
    is_error: part.outcome === "ok" ? undefined : true,
  };
}

/** Calls of another provider may have an id that this one refuses. */
function toWireId(id: string): string {
  if (/^[a-zA-Z0-9_-]+$/.test(id)) return id;
  return `${id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 40)}_${sha256Of(id).slice(0, 12)}`;
}

async function toImage(part: ImagePart, context: ContentContext): Promise<ResultBlock> {
  const shown = await readImage(part, context);
  if (shown.kind === "text") return { type: "text", text: shown.text };
  const media_type = shown.mimeType as Anthropic.Base64ImageSource["media_type"];
  return { type: "image", source: { type: "base64", media_type, data: shown.base64 } };
}

function resultsFirst(blocks: WireTurn["blocks"]): WireTurn["blocks"] {
  const isResult = ({ block }: WireTurn["blocks"][number]): boolean => block.type === "tool_result";
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
