// a script → a model that says just that
import type { CallContext, LLMClient, LLMDelta, LLMRequest, LLMResponse, ModelProfile } from "../llm/llm-client.ts";
import { raceAbort } from "../types/clock.ts";
import { AgentError, type AgentErrorOptions, toAgentError } from "../types/errors.ts";
import type { StopReason } from "../types/events.ts";
import type { Json } from "../types/json.ts";
import type { Part, ToolCall, Usage } from "../types/message.ts";

/** One answer of the model. */
export interface ScriptStep {
  /** Looks at the request before it is answered; what it throws fails the call with code `script_expectation`. */
  readonly expect?: (request: LLMRequest) => void;
  readonly text?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly args?: { readonly [key: string]: Json };
    /** What did not parse, for calls that are not complete. */
    readonly raw?: string;
    /** Default `call_<request>_<index>`. */
    readonly id?: string;
    readonly state?: ToolCall["state"];
  }[];
  /** Default `tool_use` with calls, else `complete`. */
  readonly stop?: StopReason;
  readonly stopDetail?: LLMResponse["stopDetail"];
  readonly usage?: Partial<Usage>;
  readonly warnings?: LLMResponse["warnings"];
  /** Pieces that the text and the arguments of each call come in. Default 1. */
  readonly chunks?: number;
  /** Fails after all of it was shown. */
  readonly error?: AgentErrorOptions;
  /** Says nothing more after all of it, until it is cancelled. */
  readonly stall?: boolean;
}

/** A model that answers from a script and keeps what it was asked. */
export interface ScriptedModel extends LLMClient {
  /** Everything it was asked, oldest first. */
  readonly requests: readonly LLMRequest[];
}

/** Throws `AgentError` code `script_over` when it is asked more often than the script has steps. */
export function scriptedModel(
  script: readonly ScriptStep[] | ((request: LLMRequest, number: number) => ScriptStep),
  profile: Partial<ModelProfile> = {},
): ScriptedModel {
  const requests: LLMRequest[] = [];
  const nextStep = (request: LLMRequest): ScriptStep => {
    requests.push(request);
    const step = typeof script === "function" ? script(request, requests.length) : script[requests.length - 1];
    if (step) return step;
    const steps = `${script.length} ${script.length === 1 ? "step" : "steps"}`;
    const message = `The model was called ${requests.length} times, but the script has ${steps}.`;
    throw new AgentError({ kind: "agent", code: "script_over", message });
  };
  const stream: LLMClient["stream"] = (request, context) => {
    const result = Promise.withResolvers<LLMResponse>();
    result.promise.catch(() => undefined);
    return {
      result: () => result.promise,
      async *[Symbol.asyncIterator]() {
        try {
          context.signal.throwIfAborted();
          const step = nextStep(request);
          checkExpectation(step, request, requests.length);
          yield* toDeltas(step, toCalls(step, requests.length));
          if (step.stall) await raceAbort(new Promise<never>(() => undefined), context.signal);
          if (step.error) throw new AgentError(step.error);
          result.resolve(toResponse(step, request, context, requests.length));
        } catch (thrown) {
          result.reject(thrown);
          throw thrown;
        }
      },
    };
  };
  return {
    provider: "scripted",
    requests,
    stream,
    async profile(model) {
      const { id = model, ...rest } = profile;
      if (id !== model) {
        throw new AgentError({ kind: "invalid", code: "unknown_model", message: `There is no model "${model}".` });
      }
      return { ...PROFILE, ...rest, id };
    },
    async run(request, context) {
      const answer = stream(request, context);
      for await (const _ of answer);
      return answer.result();
    },
  };
}

const PROFILE: Omit<ModelProfile, "id"> = {
  provider: "scripted",
  contextWindow: 100_000,
  maxOutput: 10_000,
  supportsVision: true,
  supportsTemperature: false,
};

function checkExpectation({ expect }: ScriptStep, request: LLMRequest, number: number): void {
  try {
    expect?.(request);
  } catch (thrown) {
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    const error = new Error(`Request ${number} is not what the script expects: ${said}`, { cause: thrown });
    throw toAgentError(error, { kind: "agent", code: "script_expectation" });
  }
}

function* toDeltas({ thinking, text = "", chunks = 1 }: ScriptStep, calls: readonly ToolCall[]): Generator<LLMDelta> {
  if (thinking) yield { type: "thinking", text: thinking };
  for (const piece of cut(text, chunks)) yield { type: "text", text: piece };
  for (const { id: callId, toolName, rawArguments, arguments: args } of calls) {
    for (const json of cut(rawArguments ?? JSON.stringify(args), chunks)) {
      yield { type: "tool_args", callId, toolName, json };
    }
  }
}

function* cut(text: string, pieces: number): Generator<string> {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

function toCalls({ toolCalls = [] }: ScriptStep, number: number): readonly ToolCall[] {
  return toolCalls.map(({ name, args = {}, raw, id, state = "complete" }, index) => ({
    id: id ?? `call_${number}_${index + 1}`,
    toolName: name,
    arguments: args,
    rawArguments: raw,
    state,
  }));
}

function toResponse(step: ScriptStep, request: LLMRequest, context: CallContext, number: number): LLMResponse {
  const toolCalls = toCalls(step, number);
  const parts: Part[] = [
    ...(step.thinking ? [{ type: "reasoning" as const, text: step.thinking }] : []),
    ...(step.text ? [{ type: "text" as const, text: step.text }] : []),
    ...toolCalls.map((call) => ({ type: "tool_call" as const, call })),
  ];
  const ts = new Date(context.clock.now()).toISOString();
  return {
    message: { id: context.messageId, role: "assistant", parts, ts, origin: "model", model: request.model },
    content: step.text ?? "",
    toolCalls,
    usage: { ...USAGE, ...step.usage },
    stopReason: step.stop ?? (toolCalls.length > 0 ? "tool_use" : "complete"),
    ...(step.stopDetail ? { stopDetail: step.stopDetail } : {}),
    model: request.model,
    warnings: step.warnings ?? [],
  };
}

const USAGE: Usage = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};
