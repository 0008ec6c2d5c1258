// what an MCP tool answered → text and pictures for the model
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { readImageHeader } from "../../artifacts/image-header.ts";
import type { ImagePart, TextPart } from "../../types/message.ts";
import type { RichOutput, ToolContext } from "../tool.ts";

type Store = Pick<ToolContext, "putImage">;

/** Pictures become artifacts; bytes of any other kind are named, not shown. */
export async function toOutput(result: CallToolResult, context: Store): Promise<RichOutput> {
  const content = await Promise.all(result.content.map((block) => toPart(block, context)));
  const hasText = content.some((part) => part.type === "text" && part.text !== "");
  // Servers that give structured content are asked to repeat it as text; some do not.
  const structured: TextPart[] =
    result.structuredContent !== undefined && !hasText
      ? [{ type: "text", text: JSON.stringify(result.structuredContent) }]
      : [];
  return { content: [...content, ...structured], data: result.structuredContent, isError: result.isError === true };
}

async function toPart(block: ContentBlock, context: Store): Promise<TextPart | ImagePart> {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return toImage(block.data, block.mimeType, context);
    case "audio":
      return text(notShown("audio", block.mimeType, block.data));
    case "resource_link":
      return text(`[resource ${block.uri}: ${[block.name, block.description].filter(Boolean).join(", ")}]`);
    case "resource":
      if ("text" in block.resource) return text(`[resource ${block.resource.uri}]\n${block.resource.text}`);
      return toImage(block.resource.blob, block.resource.mimeType ?? "application/octet-stream", context);
    default:
      return text("[content of a kind that is not known here]");
  }
}

/** What it says it is does not count, only what the bytes are. */
async function toImage(data: string, mimeType: string, context: Store): Promise<TextPart | ImagePart> {
  const bytes = Buffer.from(data, "base64");
  const header = readImageHeader(bytes);
  if (!header) return text(notShown("data", mimeType, data));
  return context.putImage(bytes, { mimeType: header.mimeType, alt: "a picture from the tool" });
}

function notShown(kind: string, mimeType: string, data: string): string {
  return `[${kind} ${mimeType}, ${Buffer.byteLength(data, "base64")} bytes, not shown]`;
}

function text(value: string): TextPart {
  return { type: "text", text: value };
}
