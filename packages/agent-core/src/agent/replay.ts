// the lines of a run that is over → its events again, as far as they can be told
import type { SessionStore, TranscriptEntry } from "../session/session-store.ts";
import { AgentError } from "../types/errors.ts";
import type { AgentEvent, AgentEventBody, ExecutionOutcome } from "../types/events.ts";
import { type Message, NO_USAGE, textOf, type Usage } from "../types/message.ts";
import type { RunHandle } from "./run.ts";
import { toMetrics } from "./run-metrics.ts";

interface ReplayOptions {
  readonly sessions: Pick<SessionStore, "list" | "read" | "open">;
  /** Of runs that name none. */
  readonly model: string;
  /** For what leaves: as the events of a run that goes on. */
  display<Body>(body: Body): Body;
}

/** Undefined when no transcript knows the run, or another process is still at it. Looks into the newest sessions first. */
export async function replayRun(runId: string, options: ReplayOptions): Promise<RunHandle | undefined> {
  for (const { id } of await options.sessions.list()) {
    const lines = (await options.sessions.read(id)).filter((entry) => entry.runId === runId);
    if (!lines.some(({ type }) => type === "run_started")) continue;
    const isOver = lines.some(({ type }) => type === "run_ended") || (await isFree(id, options.sessions));
    return isOver ? toHandle(runId, id, lines, options) : undefined;
  }
  return undefined;
}

/** Nobody writes to it: a run of it without an end was interrupted. */
async function isFree(sessionId: string, sessions: Pick<SessionStore, "open">): Promise<boolean> {
  try {
    await (await sessions.open(sessionId)).close();
    return true;
  } catch (thrown) {
    if (thrown instanceof AgentError && thrown.code === "session_busy") return false;
    throw thrown;
  }
}

function toHandle(
  runId: string,
  sessionId: string,
  lines: readonly TranscriptEntry[],
  { model, display }: ReplayOptions,
): RunHandle {
  const outcome = toOutcome(lines);
  const told = lines.flatMap((line) => toBodies(line, lines, model).map((body) => ({ body, ts: line.ts })));
  const end = { body: { type: "run_ended", outcome } as const, ts: lines.at(-1)?.ts ?? "" };
  let turn = 0;
  const events = [...told, end].map(({ body, ts }, index): AgentEvent => {
    if (body.type === "message") turn += 1;
    return { ...display<AgentEventBody>(body), v: 1, seq: index + 1, runId, sessionId, turn, ts };
  });
  // Numbers of a run that went on were others: whoever comes back with one of those hears at least how it ended.
  async function* read(afterSeq = 0): AsyncGenerator<AgentEvent, void> {
    yield* events.filter(({ seq, type }) => seq > afterSeq || type === "run_ended");
  }
  return {
    runId,
    sessionId,
    messages: lines.flatMap((line) => (line.type === "message" ? [line.message] : [])),
    outcome: Promise.resolve(outcome),
    events: ({ afterSeq } = {}) => read(afterSeq),
    [Symbol.asyncIterator]: () => read(),
    steer: () => "run_over",
    followUp: () => "run_over",
    cancel: async () => undefined,
  };
}

/** What is told of a line; nothing of lines that only the program itself reads. */
function toBodies(line: TranscriptEntry, lines: readonly TranscriptEntry[], model: string): readonly AgentEventBody[] {
  switch (line.type) {
    case "run_started": {
      const { task, settings } = line;
      return [{ type: "run_started", task, trigger: triggerOf(line, lines), model: settings?.model ?? model }];
    }
    case "message":
      return toMessageBodies(line, lines);
    case "pause":
      return [{ type: "paused", pause: line.pause }];
    case "resume":
      return [{ type: "resumed", pauseId: line.pauseId, by: line.by }];
    case "session":
    case "run_ended":
    case "tool_intent":
    case "env":
    case "view":
    case "compaction":
    case "vision_context":
    case "usage":
    case "paid":
      return [];
  }
}

type Started = Extract<TranscriptEntry, { type: "run_started" }>;

function triggerOf({ settings }: Started, lines: readonly TranscriptEntry[]) {
  if (lines.some(({ type }) => type === "resume")) return "resume" as const;
  const origin = settings?.origin;
  return origin === "job" || origin === "heartbeat" ? origin : ("message" as const);
}

type MessageLine = Extract<TranscriptEntry, { type: "message" }>;

function toMessageBodies(line: MessageLine, lines: readonly TranscriptEntry[]): readonly AgentEventBody[] {
  const { message, stopReason = "complete" } = line;
  if (message.role === "tool_result") {
    return message.parts.flatMap((part): AgentEventBody[] =>
      part.type === "tool_result" ? [{ type: "tool_result", result: part, durationMs: 0, replayed: false }] : [],
    );
  }
  if (message.role === "user") return toSaidBodies(message, lines[lines.indexOf(line) - 1]);
  if (message.role !== "assistant") return [];
  const asked = new Set(
    lines.flatMap((one) => (one.type === "pause" ? one.pause.calls.map(({ callId }) => callId) : [])),
  );
  return [
    ...message.parts.flatMap((part): AgentEventBody[] => {
      if (part.type === "text") return [{ type: "text_delta", messageId: message.id, text: part.text }];
      const isThought = part.type === "reasoning" && part.text !== "";
      return isThought ? [{ type: "thinking_delta", messageId: message.id, text: part.text }] : [];
    }),
    { type: "message", message, stopReason, usage: usageBefore(line, lines) },
    ...message.parts.flatMap((part): AgentEventBody[] => {
      if (part.type !== "tool_call") return [];
      return [{ type: "tool_call", call: part.call, decision: asked.has(part.call.id) ? "ask" : "allow" }];
    }),
  ];
}

/** After an answer that seemed complete, the loop itself speaks only when it is not what was asked for. */
function toSaidBodies({ id, origin }: Message, before: TranscriptEntry | undefined): readonly AgentEventBody[] {
  if (origin === "steer") return [{ type: "steered", messageIds: [id] }];
  if (origin !== "core" || before?.type !== "message" || before.message.role !== "assistant") return [];
  const { stopReason, message } = before;
  const isWhole = stopReason === "complete" || stopReason === "stop_sequence";
  return isWhole ? [{ type: "discarded", messageId: message.id, why: "It was not what was asked for." }] : [];
}

/** The line before an answer says what it used. */
function usageBefore(line: TranscriptEntry, lines: readonly TranscriptEntry[]): Usage {
  const before = lines[lines.indexOf(line) - 1];
  return before?.type === "usage" ? before.usage : NO_USAGE;
}

function toOutcome(lines: readonly TranscriptEntry[]): ExecutionOutcome {
  const end = lines.findLast((line) => line.type === "run_ended");
  if (end?.outcome) return end.outcome;
  const totals = { metrics: toMetrics(lines), warnings: [], signals: [] };
  const text =
    answers(lines)
      .map(({ parts }) => textOf(parts))
      .findLast((words) => words !== "") ?? "";
  const pause = lines.findLast((line) => line.type === "pause")?.pause;
  const { status, reason, message = "" } = end ?? { status: "failed", reason: "interrupted" };
  if (status === "finished") return { status, by: reason === "tool" ? "tool" : "model", text, ...totals };
  // Our own line, read back.
  if (status === "stopped") return { status, reason, message, text, ...totals } as ExecutionOutcome;
  if (status === "paused" && pause) return { status, pause, ...totals };
  if (status === "cancelled") return { status, reason, text, ...totals };
  const said = reason === "interrupted" ? "The program stopped before this run ended." : `The run failed: ${reason}.`;
  return { status: "failed", error: { kind: "agent", code: reason, message: said, retryable: false }, text, ...totals };
}

function answers(lines: readonly TranscriptEntry[]): readonly Message[] {
  return lines.flatMap((line) => (line.type === "message" && line.message.role === "assistant" ? [line.message] : []));
}
