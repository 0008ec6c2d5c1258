// a strict stand-in for OpenAI's two wires on 127.0.0.1
import type { LoopbackFault, WireStream } from "./fault-plan.ts";
import { type Incoming, type Loopback, openLoopback, type WireProblem } from "./loopback-server.ts";
import { findChatProblem, findReasoningContentProblem, toChatLines } from "./openai-chat-wire.ts";
import type { OpenAIReply } from "./openai-reply.ts";
import { findResponsesProblem, toResponsesEvents } from "./openai-responses-wire.ts";
import { findDoorProblem, type OpenAIRequest, refusal } from "./openai-wire.ts";

/** What the server says, and what goes wrong. */
export interface OpenAILoopbackOptions {
  readonly api: "chat" | "responses";
  /** Answers in order, or a function of the request and its number (from 1). */
  readonly script: readonly OpenAIReply[] | ((request: OpenAIRequest, number: number) => OpenAIReply);
  /** By request, first is 0. A request that fails on purpose does not use up an answer. */
  readonly faults?: readonly (LoopbackFault | undefined)[];
  /** Default `test-key`. */
  readonly apiKey?: string;
  /** Models that it serves and lists. Default one, `gpt-6.1-terra`. */
  readonly models?: readonly string[];
  /** Takes what a compatible server takes: no check beyond key and model. Default false. */
  readonly lenient?: boolean;
  /**
   * Chat: what it says to `reasoning_content` in earlier answers. `required` wants it with every call. Default `refused`,
   * and ignored by a lenient server.
   */
  readonly reasoningContent?: "required" | "refused" | undefined;
}

/** A server that runs until it is closed. `url` ends in `/v1`. */
export type OpenAILoopback = Loopback<OpenAIRequest>;

/** Listens on a free port of the loopback interface. */
export async function startOpenAILoopback(options: OpenAILoopbackOptions): Promise<OpenAILoopback> {
  const { api, script, faults = [], apiKey = "test-key", models = ["gpt-6.1-terra"], lenient = false } = options;
  const check = (incoming: Incoming): WireProblem | undefined => {
    const problem = findDoorProblem(incoming, apiKey, models);
    if (problem || incoming.method === "GET") return problem;
    const body = incoming.body as OpenAIRequest;
    const find = api === "chat" ? findChatProblem : findResponsesProblem;
    const thoughts = options.reasoningContent ?? (lenient ? undefined : "refused");
    const message = findReasoningContentProblem(body, thoughts) ?? (lenient ? undefined : find(body));
    return message === undefined ? undefined : refusal(message);
  };
  const server = await openLoopback<OpenAIRequest, OpenAIReply>(apiKey, {
    path: api === "chat" ? "/v1/chat/completions" : "/v1/responses",
    script,
    faults,
    check,
    encode: (reply, request, number) =>
      api === "chat"
        ? toChatStream(toChatLines(reply, request, number), number)
        : toResponsesStream(toResponsesEvents(reply, request, number), number),
    toErrorBody: ({ type, message, code = null }) => ({ error: { message, type, param: null, code } }),
    side({ method, path, body }) {
      if (method === "GET" && path === "/v1/models") return { object: "list", data: models.map(toModel) };
      if (method !== "POST" || path !== "/v1/responses/input_tokens") return undefined;
      return { object: "response.input_tokens", input_tokens: Math.ceil(JSON.stringify(body).length / 4) };
    },
  });
  return { ...server, url: `${server.url}/v1` };
}

function toModel(id: string): object {
  return { id, object: "model", created: 1_794_700_000, owned_by: "loopback" };
}

function toChatStream(lines: readonly string[], number: number): WireStream {
  return {
    headers: { "x-request-id": `req_${number}` },
    events: lines.map((line) => `${line}\n\n`),
    ping: ": PROCESSING\n\n",
    unknown: `data: ${JSON.stringify({ object: "novelty", choices: [] })}\n\n`,
    error: (code, message) => `data: ${JSON.stringify({ error: { message, type: code, param: null, code } })}\n\n`,
  };
}

function toResponsesStream(events: readonly { readonly [key: string]: unknown }[], number: number): WireStream {
  const encode = (event: { readonly [key: string]: unknown }): string =>
    `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
  return {
    headers: { "x-request-id": `req_${number}` },
    events: events.map(encode),
    ping: ": keepalive\n\n",
    unknown: encode({ type: "response.novelty", item_id: "x" }),
    error: (code, message) => encode({ type: "error", code, message, param: null, sequence_number: 999 }),
  };
}
