// events of runs → spans: the run, in it each model call and each tool call
import { type AgentEvent, byEventType, type EventTable, type StopReason } from "../types/events.ts";
import type { Part } from "../types/message.ts";
import type { Redactor } from "./redact.ts";
import type { Span, SpanValue } from "./span.ts";

/** What the spans of a run are made with. */
export interface EventSpansOptions {
  /** Starts the span of a run. */
  start(name: string): Span;
  /** For `gen_ai.provider.name`, e.g. `anthropic`. */
  readonly provider: string;
  /** Writes arguments and results of tools, and answers, as this redactor lets them through. Absent writes no content. */
  readonly content?: Redactor;
}

interface OpenRun {
  readonly span: Span;
  chat?: Span;
  readonly tools: Map<string, Span>;
}

/**
 * A listener that turns each event into spans with the names of OpenTelemetry's GenAI conventions
 * (`invoke_agent`, `chat`, `execute_tool`). Hand it every event of every run, once, in order.
 */
export function createEventSpans(options: EventSpansOptions): (event: AgentEvent) => void {
  const runs = new Map<string, OpenRun>();
  return (event) => {
    if (event.type === "run_started") {
      const span = options.start("invoke_agent");
      setAll(span, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": options.provider,
        "gen_ai.conversation.id": event.sessionId,
        "gen_ai.request.model": event.model,
      });
      runs.set(event.runId, { span, tools: new Map() });
      return;
    }
    const run = runs.get(event.runId);
    if (run) byEventType(TRACES, event, run, options);
    if (event.type === "run_ended") runs.delete(event.runId);
  };
}

const TRACES: EventTable<void, [run: OpenRun, options: EventSpansOptions]> = {
  request({ model }, run, { provider }) {
    run.chat?.end();
    run.chat = run.span.child(`chat ${model}`);
    setAll(run.chat, {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
    });
  },
  message({ message, stopReason, usage }, run, options) {
    const { chat } = run;
    if (message.role !== "assistant" || !chat) return;
    if (message.model !== undefined) chat.set("gen_ai.response.model", message.model);
    setAll(chat, {
      "gen_ai.response.finish_reasons": [stopReason],
      // The conventions count cached tokens as input; our own number leaves them out.
      "gen_ai.usage.input_tokens": usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      "gen_ai.usage.output_tokens": usage.outputTokens,
      "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
      "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
    });
    const output = {
      role: "assistant",
      parts: message.parts.flatMap(toOtelPart),
      finish_reason: FINISH[stopReason] ?? stopReason,
    };
    writeContent(chat, "gen_ai.output.messages", [output], options);
    chat.end();
    run.chat = undefined;
  },
  retry({ error }, run) {
    run.chat?.end(error);
    run.chat = undefined;
  },
  error({ error, stopsRun }, run) {
    if (stopsRun) run.chat?.end(error);
    else run.span.event("error", { "error.type": error.code });
  },
  tool_call({ call }, run, options) {
    const tool = startTool(call.toolName, call.id, run.span);
    run.tools.set(call.id, tool);
    writeContent(tool, "gen_ai.tool.call.arguments", call.arguments, options);
  },
  tool_result({ result: { callId, toolName, outcome, content } }, run, options) {
    // A call that waited for a person was made in a run before this one.
    const tool = run.tools.get(callId) ?? startTool(toolName, callId, run.span);
    writeContent(tool, "gen_ai.tool.call.result", content, options);
    const message = `The tool ended with ${outcome}.`;
    tool.end(outcome === "ok" ? undefined : { kind: "tool", code: outcome, message, retryable: false });
    run.tools.delete(callId);
  },
  run_ended({ outcome }, { span, chat, tools }) {
    chat?.end();
    for (const tool of tools.values()) tool.end();
    span.set("gen_ai.response.finish_reasons", [outcome.status === "stopped" ? outcome.reason : outcome.status]);
    span.end(outcome.status === "failed" ? outcome.error : undefined);
  },
  warning: ({ code }, { span }) => span.event("warning", { code }),
  budget: ({ level, scope }, { span }) => span.event("budget", { level, scope }),
  context: ({ action, before, after }, { span }) => span.event("context", { action, before, after }),
  paused: ({ pause: { kind } }, { span }) => span.event("paused", { kind }),
};

/** The conventions' names for the ends that they know. */
const FINISH: { readonly [Reason in StopReason]?: string } = {
  complete: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool_call",
  content_filter: "content_filter",
  refusal: "content_filter",
};

/** A part as `gen_ai.output.messages` has it. */
function toOtelPart(part: Part): readonly object[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", content: part.text }];
    case "reasoning":
      return part.text === "" ? [] : [{ type: "reasoning", content: part.text }];
    case "tool_call":
      return [{ type: "tool_call", id: part.call.id, name: part.call.toolName, arguments: part.call.arguments }];
    default:
      return [];
  }
}

function startTool(toolName: string, callId: string, parent: Span): Span {
  const tool = parent.child(`execute_tool ${toolName}`);
  setAll(tool, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": toolName,
    "gen_ai.tool.call.id": callId,
  });
  return tool;
}

function setAll(span: Span, attributes: { readonly [key: string]: SpanValue }): void {
  for (const [key, value] of Object.entries(attributes)) span.set(key, value);
}

function writeContent(span: Span, key: string, value: unknown, { content }: EventSpansOptions): void {
  if (content) span.set(key, JSON.stringify(content.value(value)));
}
