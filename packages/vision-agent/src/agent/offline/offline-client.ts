// conversation → rules → tool calls or an answer, spoken like a model
import {
  AgentError,
  type CallContext,
  type Json,
  type LLMClient,
  type LLMDelta,
  type LLMRequest,
  type LLMResponse,
  type LLMStream,
  type ModelProfile,
  NO_USAGE,
  type Part,
  type ToolCall,
} from "@vision-agent/agent-core";
import type { Known } from "./intent.ts";
import { type NextStep, nextStep, type SpecBuilders } from "./next-step.ts";
import { readConversation } from "./read-conversation.ts";

/** The one model this client serves. */
export const OFFLINE_MODEL = "offline-interpreter";

export interface OfflineClientOptions {
  /** Names of the cameras and of what runs, now. */
  readonly known: () => Known;
  readonly specs: SpecBuilders;
}

/** A rule-based reader of plain instructions behind the port of a model. No network, no randomness, no cost. */
export function createOfflineClient(options: OfflineClientOptions): LLMClient {
  const respond = (request: LLMRequest, context: CallContext): LLMResponse => {
    refuseOtherModels(request.model);
    context.signal.throwIfAborted();
    const known = options.known();
    return toResponse(nextStep(readConversation(request.messages, known), known, options.specs), context);
  };
  return {
    provider: "offline",
    async profile(model) {
      refuseOtherModels(model);
      return PROFILE;
    },
    async run(request, context) {
      return respond(request, context);
    },
    stream(request, context) {
      return toStream(() => respond(request, context));
    },
  };
}

const PROFILE: ModelProfile = {
  id: OFFLINE_MODEL,
  provider: "offline",
  contextWindow: 1_000_000,
  maxOutput: 4096,
  supportsVision: false,
  supportsTemperature: false,
};

function refuseOtherModels(model: string): void {
  if (model === OFFLINE_MODEL) return;
  throw new AgentError({
    kind: "invalid",
    code: "unknown_model",
    message: `The offline interpreter serves ${OFFLINE_MODEL}, not ${model}.`,
  });
}

function toResponse(step: NextStep, context: CallContext): LLMResponse {
  const calls: readonly ToolCall[] =
    step.kind === "call"
      ? step.calls.map(({ tool, args }, index) => ({
          id: `call_${context.messageId}_${index + 1}`,
          toolName: tool,
          arguments: args as { [key: string]: Json },
          state: "complete",
        }))
      : [];
  const content = step.kind === "say" ? step.text : "";
  const parts: readonly Part[] =
    step.kind === "say" ? [{ type: "text", text: step.text }] : calls.map((call) => ({ type: "tool_call", call }));
  return {
    message: {
      id: context.messageId,
      role: "assistant",
      parts,
      ts: new Date(context.clock.now()).toISOString(),
      origin: "model",
      model: OFFLINE_MODEL,
    },
    content,
    toolCalls: calls,
    usage: NO_USAGE,
    stopReason: step.kind === "call" ? "tool_use" : "complete",
    model: OFFLINE_MODEL,
    warnings: [],
  };
}

function toStream(respond: () => LLMResponse): LLMStream {
  let response: Promise<LLMResponse> | undefined;
  const once = (): Promise<LLMResponse> => {
    response ??= new Promise((settle) => settle(respond()));
    return response;
  };
  return {
    async *[Symbol.asyncIterator](): AsyncGenerator<LLMDelta> {
      const { content } = await once();
      for (const text of content.match(/\s*\S+\s*/g) ?? []) yield { type: "text", text };
    },
    result: once,
  };
}
