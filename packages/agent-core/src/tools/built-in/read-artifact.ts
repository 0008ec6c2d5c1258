// an artifact id → one page of its text, or the picture
import { AgentError } from "../../types/errors.ts";
import { toCharBoundary } from "../char-boundary.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool, ToolOutput } from "../tool.ts";

/** Below the default bound of a result, so that a page is never cut again. */
const MAX_PAGE_CHARS = 12_000;
const PAGE_CHARS = 8_000;
const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|x-ndjson)\b)/;

export interface ReadArtifactArguments {
  readonly artifact_id: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** VA-18: reads on where a long result was cut. */
export function createReadArtifactTool(): Tool<ReadArtifactArguments> {
  return defineTool({
    name: "read_artifact",
    description:
      "Read a stored artifact: a page of a text that was too long for one result, or a picture. " +
      "Each page says where the next one begins.",
    parameters: {
      type: "object",
      properties: {
        artifact_id: { type: "string", description: "Id of the artifact, e.g. art_…" },
        offset: { type: "integer", minimum: 0, description: "First character to read. Default 0." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_PAGE_CHARS,
          description: `How many characters. Default ${PAGE_CHARS}.`,
        },
      },
      required: ["artifact_id"],
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    // A page of wide characters takes up to four bytes each.
    limits: { resultTokens: MAX_PAGE_CHARS + 100 },
    async execute({ artifact_id: id, offset = 0, limit = PAGE_CHARS }, context): Promise<ToolOutput> {
      const found = await context.getArtifact(id);
      if (!found) throw notReadable(`There is no artifact "${id}", or its bytes are gone.`);
      const { ref, bytes } = found;
      if (ref.mimeType.startsWith("image/")) {
        return { content: [{ type: "image", artifactId: ref.id, mimeType: ref.mimeType }] };
      }
      if (!TEXT_TYPE.test(ref.mimeType)) throw notReadable(`"${id}" is ${ref.mimeType}, which cannot be read as text.`);
      return toPage(new TextDecoder().decode(bytes), offset, limit);
    },
  });
}

function toPage(text: string, offset: number, limit: number): string {
  if (offset >= text.length) throw notReadable(`The text has ${text.length} characters; nothing begins at ${offset}.`);
  const end = toCharBoundary(text, Math.min(text.length, offset + limit));
  const next = end < text.length ? `the next page begins at offset ${end}` : "this is the end";
  return `[characters ${offset} to ${end} of ${text.length}; ${next}]\n${text.slice(offset, end).toWellFormed()}`;
}

function notReadable(message: string): AgentError {
  return new AgentError({ kind: "tool", code: "not_readable", message });
}
