// an answer of the model → go on, execute, or end
import type { LLMResponse } from "../llm/llm-client.ts";
import type { ToolCall } from "../types/message.ts";
import { CONTEXT_EXHAUSTED } from "./ask-model.ts";
import { pauseForCalls } from "./pause-run.ts";
import { type Ending, type Finish, finish, type RunScope } from "./run-scope.ts";
import { answerCalls, runTools, type ToolTurn } from "./run-tools.ts";
import { parseSignals } from "./signals.ts";
import { toStructured } from "./structured-output.ts";

export const CUT = "The answer was cut at the length limit.";

/** Table 1.7.4 of stop reasons. Undefined means go on. */
export async function judgeResponse(response: LLMResponse, scope: RunScope): Promise<Ending | undefined> {
  const { stopReason, toolCalls } = response;
  const stopped = await judgeCustom(response, scope);
  if (stopped) return stopped;
  if (stopReason !== "max_tokens") scope.tally.cuts = 0;
  switch (stopReason) {
    case "refusal":
    case "content_filter":
      return finish(stopReason, toRefusal(response));
    case "max_tokens":
      return judgeCut(response, scope);
    case "context_exceeded":
      return judgeExceeded(response, scope);
    case "pause":
    case "compaction":
    case "steered":
      return toolCalls.length > 0 ? executeCalls(toolCalls, scope) : undefined;
    case "tool_use":
    case "complete":
    case "stop_sequence":
      return judgeWhole(response, scope);
  }
}

async function judgeCustom(last: LLMResponse, scope: RunScope): Promise<Finish | undefined> {
  const state = { turn: scope.journal.turn, last, metrics: scope.journal.metrics() };
  for (const ask of scope.stop.custom ?? []) {
    const reason = ask(state);
    if (reason === undefined) continue;
    await answerCalls(last.toolCalls, "not_executed", `Not executed: ${reason}`, scope);
    return finish("stop_condition", reason);
  }
  return undefined;
}

async function judgeWhole(response: LLMResponse, scope: RunScope): Promise<Ending | undefined> {
  const { toolCalls, content, stopReason } = response;
  if (toolCalls.length > 0) {
    tellSignals(content, scope);
    return executeCalls(toolCalls, scope);
  }
  if (stopReason === "tool_use") return askForCall(scope);
  scope.tally.emptyCalls = 0;
  const text = [...scope.tally.pieces.splice(0), content].join("");
  tellSignals(text, scope);
  const structured = toStructured(text, scope);
  return {
    ...finish("complete", text),
    messageId: response.message.id,
    ...(structured === undefined ? {} : { structured }),
  };
}

/** A call was announced and none came. */
async function askForCall(scope: RunScope): Promise<Finish | undefined> {
  const { tally, stop } = scope;
  tally.emptyCalls += 1;
  if (tally.emptyCalls >= stop.maxRepeats) {
    return finish(
      "loop_detected",
      `I stopped because a tool call was announced ${tally.emptyCalls} times and never made.`,
    );
  }
  await tell("You announced a tool call, but none arrived. Make the call, or answer.", scope);
  return undefined;
}

/** Whole calls of a cut answer are executed, the cut one is answered with advice; text alone may go on. */
async function judgeCut(response: LLMResponse, scope: RunScope): Promise<Ending | undefined> {
  const { tally, stop } = scope;
  const { toolCalls, content, message } = response;
  tally.cuts += 1;
  const mayGoOn = tally.cuts <= (toolCalls.length > 0 ? Math.max(1, stop.maxContinuations) : stop.maxContinuations);
  if (!mayGoOn) {
    await answerCalls(toolCalls, "not_executed", "Not executed: the answer was cut at the length limit.", scope);
    const text = [...tally.pieces.splice(0), content].join("");
    tellSignals(text, scope);
    return { ...finish("max_output_tokens", text || CUT), ...(content === "" ? {} : { messageId: message.id }) };
  }
  if (toolCalls.length > 0) return executeCalls(toolCalls, scope);
  tally.pieces.push(content);
  await tell(
    "Your answer was cut at the length limit. Go on exactly where it stopped, without repeating anything.",
    scope,
  );
  return undefined;
}

/** The window is full: what came is kept, and the next request is made smaller. Once. */
async function judgeExceeded({ toolCalls, content }: LLMResponse, scope: RunScope): Promise<Ending | undefined> {
  const { tally, journal } = scope;
  await answerCalls(toolCalls, "not_executed", "Not executed: the conversation became too long.", scope);
  if (tally.exceeded) return CONTEXT_EXHAUSTED;
  tally.exceeded = true;
  tally.mustShrink = true;
  if (toolCalls.length === 0 && content !== "") {
    tally.pieces.push(content);
    await tell("Your answer was cut because the conversation became too long. Go on where it stopped.", scope);
  }
  journal.warn("context_exceeded", "The conversation filled the model's window and is being shortened.");
  return undefined;
}

async function executeCalls(calls: readonly ToolCall[], scope: RunScope): Promise<Ending | undefined> {
  const { journal, stop } = scope;
  scope.tally.emptyCalls = 0;
  if (journal.metrics().toolCalls + calls.length > stop.maxToolCalls) {
    await answerCalls(calls, "not_executed", "Not executed: this run has used up its tool calls.", scope);
    return finish("max_tool_calls", `I stopped because a run may call tools ${stop.maxToolCalls} times at most.`);
  }
  journal.moveTo("executing_tools", `${calls.length} calls`);
  return judgeTools(await runTools(calls, scope), scope);
}

/** What follows from the results of a turn. */
export async function judgeTools(turn: ToolTurn, scope: RunScope): Promise<Ending | undefined> {
  scope.signal.throwIfAborted();
  if (turn.terminate) {
    const waiting = turn.pending.map(({ call }) => call);
    await answerCalls(waiting, "denied", "Denied: another tool ended the run.", scope);
    return finish("terminated_by_tool", textOfTermination(turn) || "Done.");
  }
  const ending = judgeErrors(turn, scope) ?? judgeLoop(turn, scope);
  if (turn.pending.length === 0) return ending;
  if (!ending) return pauseForCalls(turn.pending, scope);
  await answerCalls(
    turn.pending.map(({ call }) => call),
    "denied",
    "Denied: the run ended.",
    scope,
  );
  return ending;
}

function judgeErrors({ steps }: ToolTurn, { tally, stop }: RunScope): Finish | undefined {
  for (const { result } of steps) tally.toolErrors = result.outcome === "ok" ? 0 : tally.toolErrors + 1;
  if (tally.toolErrors < stop.maxConsecutiveToolErrors) return undefined;
  return finish("stop_condition", `I stopped because ${tally.toolErrors} tool calls in a row failed.`);
}

function judgeLoop({ steps }: ToolTurn, { tally, stop }: RunScope): Finish | undefined {
  const repeated = tally.detector.note(steps);
  if (repeated === undefined) return undefined;
  const text = `I stopped because "${repeated}" gave the same result to the same call ${stop.maxRepeats} times.`;
  return finish("loop_detected", text);
}

function tellSignals(text: string, { journal, agent }: RunScope): void {
  for (const { name, data } of parseSignals(text, agent.options.textSignals)) journal.signal(name, data, "text");
}

/** A word of the loop itself to the model. */
async function tell(text: string, { journal }: RunScope): Promise<void> {
  await journal.write({ type: "message", message: journal.newMessage("user", "core", [{ type: "text", text }]) });
}

function toRefusal({ stopDetail }: LLMResponse): string {
  const why = stopDetail?.explanation ?? stopDetail?.category;
  return why === undefined ? "The model declined to answer this." : `The model declined to answer this: ${why}`;
}

function textOfTermination({ steps }: ToolTurn): string {
  return steps
    .filter(({ terminate }) => terminate)
    .flatMap(({ result }) => result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])))
    .join("\n");
}
