// neutral messages → the provider's blocks; the only place where pictures become base64
import type Anthropic from "@anthropic-ai/sdk";
import type { ImagePart, Message, Part, ReasoningPart, TextPart, ToolResultPart } from "../../types/message.ts";
import type { AnthropicProfile } from "./profiles.data.ts";

type Block = Anthropic.ContentBlockParam;
type ResultBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

/** Where the bytes of a picture come from. An artifact store is one. */
export interface ImageBytes {
  get(artifactId: string): Promise<Uint8Array | undefined>;
}

export interface ContentContext {
  readonly images: ImageBytes;
  readonly profile: AnthropicProfile;
  /** Takes sentences that begin with a code and a colon. */
  warn(warning: string): void;
}

const MEDIA_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/**
 * Folds neighbours of the same side into one message. In a user message the tool results come first,
 * because the provider refuses a turn whose calls are not answered at once.
 */
export async function toWireMessages(
  messages: readonly Message[],
  context: ContentContext,
): Promise<Anthropic.MessageParam[]> {
  const wire: { role: "user" | "assistant"; content: Block[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = (await Promise.all(message.parts.map((part) => toBlock(part, context)))).flat();
    if (blocks.length === 0) continue;
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else wire.push({ role, content: blocks });
  }
  return wire.map(({ role, content }) => ({ role, content: role === "user" ? resultsFirst(content) : content }));
}

async function toBlock(part: Part, context: ContentContext): Promise<Block[]> {
  switch (part.type) {
    case "text":
      return toText(part.text);
    case "state_note":
      return toText(part.text === "" ? "" : `<state>\n${part.text}\n</state>`);
    case "image":
      return [await toImage(part, context)];
    case "reasoning":
      return toReasoning(part, context.profile.id);
    case "tool_call":
      return [{ type: "tool_use", id: part.call.id, name: part.call.toolName, input: part.call.arguments }];
    case "tool_result":
      return [await toResult(part, context)];
  }
}

/** The provider refuses empty text. */
function toText(text: string): Anthropic.TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** Signed thinking goes back as it came, and only to the model that wrote it. */
function toReasoning(part: ReasoningPart, model: string): Block[] {
  if (part.opaque?.provider !== "anthropic" || part.opaque.model !== model) return [];
  return [part.opaque.data as unknown as Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam];
}

async function toResult(part: ToolResultPart, context: ContentContext): Promise<Anthropic.ToolResultBlockParam> {
  const content = (await Promise.all(part.content.map((item) => toResultBlock(item, context)))).flat();
  return {
    type: "tool_result",
    tool_use_id: part.callId,
    ...(content.length > 0 ? { content } : {}),
    ...(part.outcome === "ok" ? {} : { is_error: true }),
  };
}

async function toResultBlock(item: TextPart | ImagePart, context: ContentContext): Promise<ResultBlock[]> {
  return item.type === "text" ? toText(item.text) : [await toImage(item, context)];
}

async function toImage(part: ImagePart, context: ContentContext): Promise<ResultBlock> {
  const name = part.alt ?? part.filename ?? part.artifactId;
  if (!context.profile.supportsVision) {
    return { type: "text", text: `[image not shown, this model cannot see images: ${name}]` };
  }
  const mediaType = MEDIA_TYPES.find((type) => type === part.mimeType);
  const bytes = mediaType && (await context.images.get(part.artifactId));
  if (!bytes) {
    context.warn(`image_unavailable: The picture "${name}" is no longer there and was not shown to the model.`);
    return { type: "text", text: `[image unavailable: ${name}; ask for it to be attached again]` };
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

function resultsFirst(blocks: readonly Block[]): Block[] {
  const isResult = (block: Block): boolean => block.type === "tool_result";
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
