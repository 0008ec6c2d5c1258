// a line of a transcript → the same with secrets hidden in what people, models and tools said
import {
  type Hide,
  hideMessage,
  hideOutcome,
  hidePatches,
  hidePause,
  hideResolution,
  hideSchema,
} from "../observability/hide-secrets.ts";
import type { RunSettings, TranscriptEntry } from "../session/session-store.ts";
import type { Json, JsonSchema } from "../types/json.ts";
import type { Resolution } from "../types/message.ts";

type BodyOf<Entry> = Entry extends TranscriptEntry ? Omit<Entry, "v" | "id" | "ts" | "runId"> : never;
/** A line without what every line has. */
export type LineBody = BodyOf<TranscriptEntry>;

export function hideLine(line: LineBody, hide: Hide): LineBody {
  switch (line.type) {
    case "message":
      return { ...line, message: hideMessage(line.message, hide) };
    case "run_started":
      return { ...line, task: hide(line.task), ...(line.settings && { settings: hideSettings(line.settings, hide) }) };
    case "run_ended":
      return {
        ...line,
        // Anything else is one of our words.
        reason: line.status === "cancelled" ? hide(line.reason) : line.reason,
        ...(line.message !== undefined && { message: hide(line.message) }),
        ...(line.outcome && { outcome: hideOutcome(line.outcome, hide) }),
      };
    case "tool_intent":
      return { ...line, intent: { ...line.intent, arguments: hide(line.intent.arguments) } };
    case "env":
      return { ...line, patches: hidePatches(line.patches, hide) };
    case "compaction":
      return { ...line, summary: hideMessage(line.summary, hide) };
    case "pause":
      return { ...line, pause: hidePause(line.pause, hide) };
    case "resume":
      return { ...line, resolution: hideResolution(line.resolution as unknown as Resolution, hide) as unknown as Json };
    case "session":
    case "view":
    case "vision_context":
    case "usage":
    case "paid":
      return line;
  }
}

/** Of what a run was started with, only the schema of the answer and options for the provider are free. */
function hideSettings(settings: RunSettings, hide: Hide): RunSettings {
  const config = settings.config as { readonly [key: string]: Json } | undefined;
  if (!config) return settings;
  const { output, providerOptions } = config as { output?: { schema: JsonSchema }; providerOptions?: Json };
  const free = {
    ...(output && { output: { ...output, schema: hideSchema(output.schema, hide) } }),
    ...(providerOptions !== undefined && { providerOptions: hide(providerOptions) }),
  };
  return { ...settings, config: { ...config, ...free } as Json };
}
