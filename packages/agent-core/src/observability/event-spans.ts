// events of runs → spans: the run, in it each model call and each tool call
import type { ErrorView } from "../types/errors.ts";
import type { AgentEvent } from "../types/events.ts";
import type { ToolOutcome } from "../types/message.ts";
import type { Usage } from "../types/usage.ts";
import type { Redactor } from "./redact.ts";
import type { Span } from "./span.ts";

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
      span.set("gen_ai.operation.name", "invoke_agent");
      span.set("gen_ai.provider.name", options.provider);
      span.set("gen_ai.conversation.id", event.sessionId);
      span.set("gen_ai.request.model", event.model);
      runs.set(event.runId, { span, tools: new Map() });
      return;
    }
    const run = runs.get(event.runId);
    if (!run) return;
    traceEvent(event, run, options);
    if (event.type === "run_ended") runs.delete(event.runId);
  };
}

function traceEvent(event: AgentEvent, run: OpenRun, options: EventSpansOptions): void {
  switch (event.type) {
    case "request":
      run.chat?.end();
      run.chat = startChat(event.model, run.span, options);
      break;
    case "message":
      if (event.message.role === "assistant") endChat(event, run, options);
      break;
    case "retry":
      run.chat?.end(event.error);
      run.chat = undefined;
      break;
    case "error":
      if (event.stopsRun) run.chat?.end(event.error);
      else run.span.event("error", { "error.type": event.error.code });
      break;
    case "tool_call":
      run.tools.set(event.call.id, startTool(event.call.toolName, event.call.id, run.span));
      writeContent(run.tools.get(event.call.id), "gen_ai.tool.call.arguments", event.call.arguments, options);
      break;
    case "tool_result":
      endTool(event, run, options);
      break;
    case "run_ended":
      endRun(event, run);
      break;
    case "warning":
      run.span.event("warning", { code: event.code });
      break;
    case "budget":
      run.span.event("budget", { level: event.level, scope: event.scope });
      break;
    case "context":
      run.span.event("context", { action: event.action, before: event.before, after: event.after });
      break;
    case "paused":
      run.span.event("paused", { kind: event.pause.kind });
      break;
    default:
  }
}

function startChat(model: string, parent: Span, options: EventSpansOptions): Span {
  const chat = parent.child(`chat ${model}`);
  chat.set("gen_ai.operation.name", "chat");
  chat.set("gen_ai.provider.name", options.provider);
  chat.set("gen_ai.request.model", model);
  return chat;
}

function endChat(event: Extract<AgentEvent, { type: "message" }>, run: OpenRun, options: EventSpansOptions): void {
  const { chat } = run;
  if (!chat) return;
  if (event.message.model !== undefined) chat.set("gen_ai.response.model", event.message.model);
  chat.set("gen_ai.response.finish_reasons", [event.stopReason]);
  for (const [key, value] of Object.entries(toUsageAttributes(event.usage))) chat.set(key, value);
  const text = event.message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  writeContent(chat, "gen_ai.output.messages", text, options);
  chat.end();
  run.chat = undefined;
}

/** The conventions count cached tokens as input; our own number leaves them out. */
function toUsageAttributes(usage: Usage): { readonly [key: string]: number } {
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
  };
}

function startTool(toolName: string, callId: string, parent: Span): Span {
  const tool = parent.child(`execute_tool ${toolName}`);
  tool.set("gen_ai.operation.name", "execute_tool");
  tool.set("gen_ai.tool.name", toolName);
  tool.set("gen_ai.tool.call.id", callId);
  return tool;
}

function endTool(event: Extract<AgentEvent, { type: "tool_result" }>, run: OpenRun, options: EventSpansOptions): void {
  const { callId, toolName, outcome, content } = event.result;
  // A call that waited for a person was made in a run before this one.
  const tool = run.tools.get(callId) ?? startTool(toolName, callId, run.span);
  writeContent(tool, "gen_ai.tool.call.result", content, options);
  tool.end(outcome === "ok" ? undefined : toToolError(outcome));
  run.tools.delete(callId);
}

function toToolError(outcome: ToolOutcome): ErrorView {
  return { kind: "tool", code: outcome, message: `The tool ended with ${outcome}.`, retryable: false };
}

function endRun({ outcome }: Extract<AgentEvent, { type: "run_ended" }>, { span, chat, tools }: OpenRun): void {
  chat?.end();
  for (const tool of tools.values()) tool.end();
  span.set("gen_ai.response.finish_reasons", [outcome.status === "finished" ? outcome.finish : outcome.status]);
  span.end(outcome.status === "failed" ? outcome.error : undefined);
}

function writeContent(span: Span | undefined, key: string, value: unknown, { content }: EventSpansOptions): void {
  if (content) span?.set(key, JSON.stringify(content.value(value)));
}
