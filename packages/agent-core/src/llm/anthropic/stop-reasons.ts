import type { StopReason } from "../../types/events.ts";
import { unknownStopReason } from "../wire-error.ts";

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: "complete",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  pause_turn: "pause",
  refusal: "refusal",
  model_context_window_exceeded: "context_exceeded",
  compaction: "compaction",
};

/** AI-8. A value that the table does not know is an error, never silence. */
export function toStopReason(value: string): StopReason {
  const known = Object.hasOwn(STOP_REASONS, value) ? STOP_REASONS[value] : undefined;
  if (known) return known;
  throw unknownStopReason(value);
}
