// a question to a person, a place to think, the rest of a long result
import { agentError } from "../types/errors.ts";
import { toCharBoundary } from "./json-pieces.ts";
import { defineTool } from "./tool.ts";

/** How a question to a person is kept open. */
export interface AskUserOptions {
  /** How long the question stays open, milliseconds. Absent waits for ever. */
  readonly expiresInMs?: number;
}

/** VA-24: the run waits for a person; the answer becomes the result. */
export function createAskUserTool({ expiresInMs }: AskUserOptions = {}) {
  return defineTool({
    name: "ask_user",
    description: "Ask the user a question and wait for the answer. Use it only when you cannot go on without one.",
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", minLength: 1, description: "The question, in full sentences." },
        choices: {
          type: "array",
          items: { type: "string" },
          maxItems: 10,
          description: "Answers to choose from, where there are only a few.",
        },
      },
      required: ["question"],
      additionalProperties: false,
    },
    concurrency: "parallel",
    replay: "safe",
    async execute({ question, choices }, context) {
      return context.pause({ kind: "ask_user", prompt: question, choices, expiresInMs });
    },
  });
}

/** VA-13: room to think aloud. Does nothing and answers with nothing. */
export function createThinkTool() {
  return defineTool({
    name: "think",
    description:
      "Write down a thought: a plan, a check of what you know, what to do next. Changes nothing and returns nothing.",
    parameters: {
      type: "object",
      properties: { thought: { type: "string", description: "The thought." } },
      required: ["thought"],
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    execute: async () => "",
  });
}

/** Below the default bound of a result, so that a page is never cut again. */
const MAX_PAGE_CHARS = 12_000;
const PAGE_CHARS = 8_000;
const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|x-ndjson)\b)/;

/** VA-18: reads on where a long result was cut. */
export function createReadArtifactTool() {
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
    // What it reads on was too long for a result, whoever wrote it.
    untrusted: true,
    // A page of wide characters takes up to four bytes each.
    limits: { resultTokens: MAX_PAGE_CHARS + 100 },
    async execute({ artifact_id: id, offset = 0, limit = PAGE_CHARS }, context) {
      const found = await context.getArtifact(id);
      if (!found) throw agentError("tool", "not_readable", `There is no artifact "${id}", or its bytes are gone.`);
      const { ref, bytes } = found;
      if (ref.mimeType.startsWith("image/")) {
        return { content: [{ type: "image", artifactId: ref.id, mimeType: ref.mimeType }] };
      }
      if (!TEXT_TYPE.test(ref.mimeType))
        throw agentError("tool", "not_readable", `"${id}" is ${ref.mimeType}, which cannot be read as text.`);
      return toPage(new TextDecoder().decode(bytes), offset, limit);
    },
  });
}

function toPage(text: string, offset: number, limit: number): string {
  if (offset >= text.length)
    throw agentError("tool", "not_readable", `The text has ${text.length} characters; nothing begins at ${offset}.`);
  const end = toCharBoundary(text, Math.min(text.length, offset + limit));
  const next = end < text.length ? `the next page begins at offset ${end}` : "this is the end";
  return `[characters ${offset} to ${end} of ${text.length}; ${next}]\n${text.slice(offset, end).toWellFormed()}`;
}
