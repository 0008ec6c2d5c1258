// conversation → rules → tool calls or an answer, spoken like a model
import {
  AgentError,
  type CallContext,
  type Json,
  type LLMClient,
  type LLMRequest,
  type LLMResponse,
  type Message,
  type ModelProfile,
  NO_USAGE,
  type Part,
  type ToolCall,
  toCalls,
} from "@vision-agent/agent-core";
import { type DialogueState, NO_STATE, playTurn, type TurnPlayed } from "./dialogue.ts";
import type { Known } from "./intent.ts";
import type { PlanRun } from "./plans/plan.ts";
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
export function createOfflineClient({ known, modelFor, timeZone }: OfflineClientOptions): LLMClient {
  const play = (request: LLMRequest, nowMs: number): TurnPlayed => {
    const read = readTurn(request.messages);
    if (read === undefined) return { runs: [], state: NO_STATE };
    const context = { known: { ...known(), workspace: workspaceIn(request) }, modelFor, clock: { nowMs, timeZone } };
    return playTurn(read.turn, stateIn(read.before), context);
  };
  return {
    provider: PROVIDER,
    async profile(model) {
      refuseOtherModels(model);
      return PROFILE;
    },
    ...toCalls(async function* (request, context) {
      refuseOtherModels(request.model);
      context.signal.throwIfAborted();
      const response = toResponse(play(request, context.clock.now()), context);
      for (const text of response.content.match(/\s*\S+\s*/g) ?? []) yield { type: "text", text };
      return response;
    }),
  };
}

/** What the last answer of this client left behind it. */
function stateIn(messages: readonly Message[]): DialogueState {
  const last = messages.findLast(({ role }) => role === "assistant");
  const own = last?.parts.find((part) => part.type === "provider" && part.opaque.provider === PROVIDER);
  return own?.type === "provider" ? { ...NO_STATE, ...(own.opaque.data as unknown as DialogueState) } : NO_STATE;
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

/** Calls come first; questions are said last, where they are seen. */
function toResponse({ runs, state }: TurnPlayed, context: CallContext): LLMResponse {
  const pending = runs.find(({ calls }) => calls !== undefined)?.calls ?? [];
  const calls = pending.map(({ tool, args }, index): ToolCall => {
    const id = `call_${context.messageId}_${index + 1}`;
    // What is undefined is no argument.
    return { id, toolName: tool, arguments: JSON.parse(JSON.stringify(args)), state: "complete" };
  });
  const content = calls.length > 0 ? "" : toText(runs);
  const parts: readonly Part[] =
    calls.length > 0
      ? calls.map((call) => ({ type: "tool_call", call }))
      : [{ type: "text", text: content }, ...toStatePart(state)];
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
    stopReason: calls.length > 0 ? "tool_use" : "complete",
    model: OFFLINE_MODEL,
    warnings: [],
  };
}

function toText(runs: readonly PlanRun[]): string {
  const outcomes = runs.flatMap(({ outcome }) => outcome ?? []);
  const questionsLast = outcomes.toSorted((a, b) => Number(a.open === true) - Number(b.open === true));
  const texts = new Set(questionsLast.map(({ text }) => text));
  return [...texts].filter((text) => text !== "").join("\n") || 'Say what you want, or "help".';
}
