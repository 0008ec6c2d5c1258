import type { ToolCall, ToolOutcome, ToolResultPart } from "../types/message.ts";

/** A result that says one thing in words. */
export function textResult(call: ToolCall, outcome: ToolOutcome, text: string): ToolResultPart {
  return { ...resultHead(call, outcome), content: [{ type: "text", text }] };
}

/** A result without its content. */
export function resultHead(call: ToolCall, outcome: ToolOutcome): Omit<ToolResultPart, "content"> {
  return { type: "tool_result", callId: call.id, toolName: call.toolName, outcome };
}
