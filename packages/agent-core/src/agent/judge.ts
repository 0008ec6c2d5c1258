// an answer of the model → go on, execute, or end
import { createHash } from "node:crypto";
import type { LLMResponse } from "../llm/llm-client.ts";
import { parseSignals } from "../tools/signals.ts";
import { canonicalJson } from "../types/json.ts";
import { type ToolCall, textOf } from "../types/message.ts";
import type { EarlierAnswer, EarlierRuns } from "./earlier-runs.ts";
import { CONTEXT_EXHAUSTED, type Ending, type Stop, stop } from "./end.ts";
import { callHost } from "./host-callbacks.ts";
import type { RunJournal } from "./journal.ts";
import type { StopPolicy } from "./options.ts";
import type { RunPauses } from "./pause.ts";
import { addMetrics } from "./run-metrics.ts";
import type { OutputGate } from "./structured-output.ts";
import type { RunTools, ToolStep, ToolTurn } from "./tools.ts";

interface JudgeParts {
  readonly journal: RunJournal;
  readonly tools: RunTools;
  readonly pauses: RunPauses;
  readonly stop: StopPolicy;
  /** What was used before a pause counts. */
  readonly earlier: EarlierRuns;
  readonly signal: AbortSignal;
  readonly gate: OutputGate | undefined;
  /** The next request must be smaller. */
  readonly shrinkNext: () => void;
}

/** Decides after each answer of a run, and counts what may not go on for ever. */
export class Judge {
  readonly #given: JudgeParts;
  readonly #loops: LoopDetector;
  /** Pieces of an answer that was cut and asked to go on. */
  #pieces: string[] = [];
  /** Answers in a row that were cut. */
  #cuts = 0;
  /** Answers in a row that announced a call and made none. */
  #emptyCalls = 0;
  /** Answers in a row that had nothing in them. */
  #emptyAnswers = 0;
  /** Results in a row that were errors. */
  #toolErrors = 0;
  /** An answer did not have the shape that was asked for, and the model was told. */
  #misshapen = false;
  /** The model said once that its window is full. */
  #exceeded = false;

  constructor(given: JudgeParts) {
    this.#given = given;
    this.#loops = new LoopDetector(given.stop.maxRepeats);
    for (const steps of given.earlier.turns) {
      this.#judgeErrors(steps);
      this.#loops.note(steps);
    }
    for (const answer of given.earlier.answers) this.#recall(answer);
  }

  /** What was counted before a pause counts after it. */
  #recall({ text, hasCalls, stopReason }: EarlierAnswer): void {
    this.#cuts = stopReason === "max_tokens" ? this.#cuts + 1 : 0;
    if (stopReason === "context_exceeded") this.#exceeded = true;
    if (hasCalls) {
      this.#emptyCalls = 0;
      this.#emptyAnswers = 0;
    } else if (stopReason === "max_tokens" || stopReason === "context_exceeded") {
      this.#pieces.push(text);
    } else if (stopReason === "tool_use") {
      this.#emptyCalls += 1;
    } else if (text === "") {
      this.#emptyAnswers += 1;
    } else {
      // An answer after which the run went on did not have the shape that was asked for.
      this.#misshapen = true;
      this.#pieces = [];
      this.#emptyCalls = 0;
    }
  }

  /** By the stop reason. Undefined means go on. */
  async judge(response: LLMResponse): Promise<Ending | undefined> {
    const { stopReason, toolCalls, stopDetail, content, message } = response;
    const why = stopDetail?.explanation ?? stopDetail?.category;
    const stopped = isDone(response) ? undefined : await this.#judgeCustom(response);
    if (stopped) return stopped;
    if (stopReason !== "max_tokens") this.#cuts = 0;
    switch (stopReason) {
      case "refusal":
      case "content_filter":
        return stop("refusal", `The model declined to answer this${why ? `: ${why}` : "."}`, {
          text: content,
          messageId: message.id,
        });
      case "max_tokens":
        return this.#judgeCut(response);
      case "context_exceeded":
        return this.#judgeExceeded(response);
      case "pause":
      case "compaction":
      case "steered":
        return toolCalls.length > 0 ? this.#execute(toolCalls) : undefined;
      case "tool_use":
      case "complete":
      case "stop_sequence":
        return this.#judgeWhole(response);
    }
  }

  /** What follows from the results of a turn. */
  async judgeTools(turn: ToolTurn): Promise<Ending | undefined> {
    this.#given.signal.throwIfAborted();
    const waiting = turn.pending.map(({ call }) => call);
    if (turn.terminate) {
      await this.#given.tools.answer(waiting, "denied", "Denied: another tool ended the run.");
      const ended = turn.steps.filter(({ terminate }) => terminate).map(({ result }) => result);
      const text = ended.map(({ content }) => textOf(content, "\n")).join("\n");
      const [only, another] = ended;
      const structured = await this.#given.gate?.admit(another || only?.outcome !== "ok" ? undefined : only.data);
      return { kind: "finish", by: "tool", text, structured };
    }
    const ending = this.#judgeErrors(turn.steps) ?? this.#judgeLoop(turn);
    if (waiting.length === 0) return ending;
    if (!ending) return this.#given.pauses.forCalls(turn.pending);
    await this.#given.tools.answer(waiting, "denied", "Denied: the run ended.");
    return ending;
  }

  async #judgeCustom(last: LLMResponse): Promise<Stop | undefined> {
    const { journal, earlier } = this.#given;
    const state = { turn: earlier.steps + journal.turn, last, metrics: addMetrics(earlier.metrics, journal.metrics()) };
    for (const ask of this.#given.stop.custom ?? []) {
      const reason = await callHost("stop.custom", () => ask(state));
      if (reason === undefined) continue;
      await this.#given.tools.answer(last.toolCalls, "not_executed", `Not executed: ${reason}`);
      return stop("stop_condition", reason);
    }
    return undefined;
  }

  async #judgeWhole(response: LLMResponse): Promise<Ending | undefined> {
    const { toolCalls, content, stopReason } = response;
    if (toolCalls.length > 0) {
      this.#tellSignals(content);
      return this.#execute(toolCalls);
    }
    if (stopReason === "tool_use") return this.#askForCall();
    this.#emptyCalls = 0;
    const text = this.#takeText(content);
    return text === "" ? this.#askForAnswer(response) : this.#finish(text, response);
  }

  /** Undefined asks again, once. Throws `AgentError` code `structured_output` when the answer has not the shape that was asked for. */
  async #finish(text: string, response: LLMResponse): Promise<Ending | undefined> {
    const { gate, journal, stop: policy } = this.#given;
    const messageId = response.message.id;
    const found = gate && (await gate.readText(text));
    if (!found || "value" in found) return { kind: "finish", by: "model", text, messageId, structured: found?.value };
    if (this.#misshapen || journal.turn >= policy.maxIterations) throw gate.refusal(found.problems);
    this.#misshapen = true;
    const problems = found.problems.join("; ");
    const words = `Your answer does not have the shape that was asked for: ${problems}. Answer again, with JSON only.`;
    const stopped = await this.#askAgain(response, words);
    if (!stopped) journal.emit({ type: "discarded", messageId, why: gate.refusal(found.problems).message });
    return stopped;
  }

  /** Neither words nor calls came. */
  async #askForAnswer(response: LLMResponse): Promise<Stop | undefined> {
    this.#emptyAnswers += 1;
    if (this.#emptyAnswers > 1) return stop("empty_answer", "Stopped: the model gave an empty answer twice.");
    return this.#askAgain(response, "Your answer was empty. Answer, or call a tool.");
  }

  /** Unless a rule of the host ends the run here. */
  async #askAgain(response: LLMResponse, words: string): Promise<Stop | undefined> {
    const stopped = await this.#judgeCustom(response);
    if (!stopped) await this.#tell(words);
    return stopped;
  }

  /** A call was announced and none came. */
  async #askForCall(): Promise<Stop | undefined> {
    this.#emptyCalls += 1;
    if (this.#emptyCalls >= this.#given.stop.maxRepeats) {
      const times = `${this.#emptyCalls} times`;
      return stop("loop", `Stopped: the model announced a tool call ${times} and never made one.`);
    }
    await this.#tell("You announced a tool call, but none arrived. Make the call, or answer.");
    return undefined;
  }

  /** Whole calls of a cut answer are executed, the cut one is answered with advice; text alone may go on. */
  async #judgeCut({ toolCalls, content, message }: LLMResponse): Promise<Ending | undefined> {
    const { maxContinuations } = this.#given.stop;
    this.#cuts += 1;
    if (this.#cuts > (toolCalls.length > 0 ? Math.max(1, maxContinuations) : maxContinuations)) {
      await this.#given.tools.answer(
        toolCalls,
        "not_executed",
        "Not executed: the answer was cut at the length limit.",
      );
      const answer = { text: this.#takeText(content), messageId: message.id };
      return stop("max_output_tokens", "The answer was cut at the length limit.", answer);
    }
    if (toolCalls.length > 0) return this.#execute(toolCalls);
    this.#pieces.push(content);
    await this.#tell(
      "Your answer was cut at the length limit. Go on exactly where it stopped, without repeating anything.",
    );
    return undefined;
  }

  /** The window is full: what came is kept, and the next request is made smaller. Once. */
  async #judgeExceeded({ toolCalls, content }: LLMResponse): Promise<Ending | undefined> {
    await this.#given.tools.answer(toolCalls, "not_executed", "Not executed: the conversation became too long.");
    if (this.#exceeded) return CONTEXT_EXHAUSTED;
    this.#exceeded = true;
    this.#given.shrinkNext();
    if (toolCalls.length === 0 && content !== "") {
      this.#pieces.push(content);
      await this.#tell("Your answer was cut because the conversation became too long. Go on where it stopped.");
    }
    this.#given.journal.warn("context_exceeded", "The conversation filled the model's window and is being shortened.");
    return undefined;
  }

  async #execute(calls: readonly ToolCall[]): Promise<Ending | undefined> {
    const { maxToolCalls } = this.#given.stop;
    this.#emptyCalls = 0;
    this.#emptyAnswers = 0;
    const made = this.#given.earlier.metrics.toolCalls + this.#given.journal.metrics().toolCalls;
    if (made + calls.length > maxToolCalls) {
      await this.#given.tools.answer(calls, "not_executed", "Not executed: this run has used up its tool calls.");
      return stop("max_tool_calls", `Stopped: a run may call tools ${maxToolCalls} times at most.`);
    }
    this.#given.journal.moveTo("executing_tools", `${calls.length} calls`);
    return this.judgeTools(await this.#given.tools.run(calls));
  }

  #judgeErrors(steps: readonly ToolStep[]): Stop | undefined {
    for (const { result } of steps) this.#toolErrors = result.outcome === "ok" ? 0 : this.#toolErrors + 1;
    if (this.#toolErrors < this.#given.stop.maxConsecutiveToolErrors) return undefined;
    return stop("tool_errors", `Stopped: ${this.#toolErrors} tool calls in a row failed.`);
  }

  #judgeLoop({ steps }: ToolTurn): Stop | undefined {
    const repeated = this.#loops.note(steps);
    if (repeated === undefined) return undefined;
    const times = `${this.#given.stop.maxRepeats} times`;
    return stop("loop", `Stopped: "${repeated}" gave the same result to the same call ${times}.`);
  }

  /** The whole answer, pieces that were cut included, and the signals in it. */
  #takeText(content: string): string {
    const text = [...this.#pieces.splice(0), content].join("");
    this.#tellSignals(text);
    return text;
  }

  #tellSignals(text: string): void {
    for (const { name, data } of parseSignals(text)) this.#given.journal.signal(name, data, "text");
  }

  /** A word of the loop itself to the model. */
  async #tell(text: string): Promise<void> {
    await this.#given.journal.say("user", "core", text);
  }
}

/** Nothing is left to be done: whether the run goes on depends on what was said. */
function isDone({ stopReason, toolCalls }: LLMResponse): boolean {
  return toolCalls.length === 0 && (stopReason === "complete" || stopReason === "stop_sequence");
}

/** Counts turns that repeat themselves. */
export class LoopDetector {
  readonly #maxRepeats: number;
  readonly #counts = new Map<string, number>();
  readonly #seen = new Set<string>();

  constructor(maxRepeats: number) {
    this.#maxRepeats = maxRepeats;
  }

  /** Counts one turn; gives the name of a tool that was called alike, with the same result, too often. */
  note(turn: readonly Pick<ToolStep, "call" | "result">[]): string | undefined {
    // Several alike in one turn are one decision of the model.
    const keys = new Map(turn.map((step) => [keyOf(step), step.call.toolName]));
    // Something new came of it: looking again and again meanwhile was no loop.
    if ([...keys.keys()].some((key) => !this.#seen.has(key))) this.#counts.clear();
    for (const [key, toolName] of keys) {
      this.#seen.add(key);
      const count = (this.#counts.get(key) ?? 0) + 1;
      this.#counts.set(key, count);
      if (count >= this.#maxRepeats) return toolName;
    }
    return undefined;
  }
}

function keyOf({ call, result }: Pick<ToolStep, "call" | "result">): string {
  const parts = [call.toolName, canonicalJson(call.arguments), result.outcome, JSON.stringify(result.content)];
  return createHash("sha256").update(parts.join("\0")).digest("base64");
}
