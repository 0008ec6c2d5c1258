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
  type Message,
  type ModelProfile,
  NO_USAGE,
  type Part,
  type ToolCall,
} from "@vision-agent/agent-core";
import { type DialogueState, NO_STATE, playTurn, type TurnPlayed } from "./dialogue.ts";
import type { Known } from "./intent.ts";
import type { PlannedCall, PlanRun } from "./plans/plan.ts";
import { readTurn } from "./read-turn.ts";

/** The one model this client serves. */
export const OFFLINE_MODEL = "offline-interpreter";
const PROVIDER = "offline";

export interface OfflineClientOptions {
  /** Names of the cameras and of what runs, now. */
  readonly known: () => Known;
  /** The detector for a camera's name or a video's address. */
  readonly modelFor: (camera: string) => string;
  /** IANA name of the zone whose clocks "at night" and "yesterday" mean. */
  readonly timeZone: string;
}

/** A rule-based reader of plain instructions behind the port of a model. No network, no randomness, no cost. */
export function createOfflineClient(options: OfflineClientOptions): LLMClient {
  const respond = (request: LLMRequest, context: CallContext): LLMResponse => {
    refuseOtherModels(request.model);
    context.signal.throwIfAborted();
    const clock = { nowMs: context.clock.now(), timeZone: options.timeZone };
    const workspace = workspaceIn(request);
    const read = readTurn(request.messages);
    const played =
      read === undefined
        ? SILENCE
        : playTurn(read.turn, stateIn(read.before), {
            known: { ...options.known(), ...(workspace !== undefined && { workspace }) },
            modelFor: options.modelFor,
            clock,
          });
    return toResponse(toStep(played.runs), played.state, context);
  };
  return {
    provider: PROVIDER,
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

const SILENCE: TurnPlayed = { runs: [], state: NO_STATE };

/** What the last answer of this client left behind it. */
function stateIn(messages: readonly Message[]): DialogueState {
  const last = messages.findLast(({ role }) => role === "assistant");
  const own = last?.parts.find((part) => part.type === "provider" && part.opaque.provider === PROVIDER);
  return own?.type === "provider" ? (own.opaque.data as unknown as DialogueState) : NO_STATE;
}

const CREDENTIALS = /:\/\/[^\s/@"]+@/;

/** Kept with the answer, for this client alone. Where a password was said nothing is kept: it has no place in a transcript. */
function toStatePart(state: DialogueState): readonly Part[] {
  const written = JSON.stringify(state);
  if (CREDENTIALS.test(written)) return [];
  return [{ type: "provider", opaque: { provider: PROVIDER, data: JSON.parse(written) as Json } }];
}

/** The workspace of saved workflows that the person wrote down in USER.md, or used before in this conversation. */
function workspaceIn({ system, messages }: LLMRequest): string | undefined {
  const used = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool_call" ? [part.call.arguments.workspace_name] : [])),
  );
  const last = used.findLast((name) => typeof name === "string");
  if (typeof last === "string") return last;
  const written = system.flatMap(({ text }) => /<text from="USER\.md">(.*?)<\/text>/s.exec(text)?.[1] ?? []).join("\n");
  return /\bworkspace(?: name| at roboflow)?(?: is|:)(?: called| named)? ["'`]?([a-z0-9][\w-]*)/i.exec(written)?.[1];
}

const PROFILE: ModelProfile = {
  id: OFFLINE_MODEL,
  provider: PROVIDER,
  contextWindow: 1_000_000,
  maxOutput: 4096,
  // It does not look itself: pictures go on to the tools that do.
  supportsVision: true,
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

type NextStep =
  | { readonly kind: "call"; readonly calls: readonly PlannedCall[] }
  | { readonly kind: "say"; readonly text: string };

/** Calls come first; questions are said last, where they are seen. */
function toStep(runs: readonly PlanRun[]): NextStep {
  const pending = runs.find(({ calls }) => calls !== undefined)?.calls;
  if (pending !== undefined) return { kind: "call", calls: pending };
  const outcomes = runs.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
  const ordered = [...outcomes.filter(({ open }) => open !== true), ...outcomes.filter(({ open }) => open === true)];
  const text = [...new Set(ordered.map((outcome) => outcome.text))].filter((each) => each !== "");
  return { kind: "say", text: text.join("\n") || 'Say what you want, or "help".' };
}

function toResponse(step: NextStep, state: DialogueState, context: CallContext): LLMResponse {
  const calls: readonly ToolCall[] =
    step.kind === "call"
      ? step.calls.map(({ tool, args }, index) => ({
          id: `call_${context.messageId}_${index + 1}`,
          toolName: tool,
          // What is undefined is no argument.
          arguments: JSON.parse(JSON.stringify(args)),
          state: "complete",
        }))
      : [];
  const content = step.kind === "say" ? step.text : "";
  const parts: readonly Part[] =
    step.kind === "say"
      ? [{ type: "text", text: step.text }, ...toStatePart(state)]
      : calls.map((call) => ({ type: "tool_call", call }));
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
