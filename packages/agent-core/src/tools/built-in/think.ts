import { defineTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";

/** VA-13: room to think aloud. Does nothing and answers with nothing. */
export function createThinkTool(): Tool<{ readonly thought: string }> {
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
