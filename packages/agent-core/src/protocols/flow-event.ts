// AgentEvent → the five events of the agent_flow vocabulary
import type { AgentEvent } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import { textOf } from "./result-text.ts";

/** AF-31 */
export type FlowEvent =
  | { readonly kind: "Thinking"; readonly text: string }
  | { readonly kind: "ToolCallAttempted"; readonly name: string; readonly args: Json; readonly id: string }
  | {
      readonly kind: "ToolCallCompleted";
      readonly id: string;
      readonly result: string;
      readonly toolName: string;
      readonly data?: Json;
    }
  /** Does not stop the run. */
  | { readonly kind: "ExecutionError"; readonly error: string }
  | { readonly kind: "Finished"; readonly summary: string };

/** Absent for what that vocabulary has no word for. */
export function toFlowEvent(event: AgentEvent): FlowEvent | undefined {
  switch (event.type) {
    case "thinking_delta":
      return { kind: "Thinking", text: event.text };
    case "message": {
      // The last text of a run is its summary; what is said before tools is thinking aloud.
      const text = event.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      return event.stopReason === "tool_use" && text !== "" ? { kind: "Thinking", text } : undefined;
    }
    case "tool_call": {
      const { toolName: name, arguments: args, id } = event.call;
      return { kind: "ToolCallAttempted", name, args: { ...args }, id };
    }
    case "tool_result": {
      const { callId: id, toolName, data } = event.result;
      const told = { kind: "ToolCallCompleted", id, result: textOf(event.result), toolName } as const;
      return data === undefined ? told : { ...told, data };
    }
    case "warning":
      return { kind: "ExecutionError", error: event.message };
    case "retry":
      return { kind: "ExecutionError", error: event.error.message };
    case "error":
      return { kind: "ExecutionError", error: event.error.message };
    case "run_ended":
      return { kind: "Finished", summary: summaryOf(event.outcome) };
    default:
      return undefined;
  }
}

function summaryOf(outcome: Extract<AgentEvent, { type: "run_ended" }>["outcome"]): string {
  switch (outcome.status) {
    case "finished":
      return outcome.summary;
    case "paused":
      return outcome.pause.prompt;
    case "failed":
      return outcome.error.message;
    case "cancelled":
      return outcome.reason;
  }
}
