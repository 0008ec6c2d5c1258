import { defineTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";

export interface AskUserArguments {
  readonly question: string;
  readonly choices?: readonly string[];
}

export interface AskUserOptions {
  /** How long the question stays open, milliseconds. Absent waits for ever. */
  readonly expiresInMs?: number;
}

/** VA-24: the run waits for a person; the answer becomes the result. */
export function createAskUserTool({ expiresInMs }: AskUserOptions = {}): Tool<AskUserArguments> {
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
      return context.pause({
        kind: "ask_user",
        prompt: question,
        choices,
        expiresInMs,
      });
    },
  });
}
