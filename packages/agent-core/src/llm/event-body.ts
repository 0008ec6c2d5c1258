// the body of a 200 answer → a stream of events, or an error that says what came instead
import { type AgentError, agentError } from "../types/errors.ts";
import { isJsonObject, parseJsonObject } from "../types/json.ts";
import { type ErrorContext, toWireError } from "./wire-error.ts";

/** Enough for `data: [DONE]` and what surrounds it. */
const TAIL_BYTES = 64;
/** Nobody needs more of a page or of an error. */
const DOCUMENT_CHARS = 65_536;

/** Looks at a body while it passes. No line of an event stream begins with a bracket: such a body is one document. */
export function createEventBody(refuse: (document: string) => AgentError) {
  let tail = "";
  const inspect = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
    const decoder = new TextDecoder();
    let state: "start" | "events" | "document" = "start";
    let document = "";
    const check = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        tail = (tail + new TextDecoder().decode(chunk.subarray(-TAIL_BYTES))).slice(-TAIL_BYTES);
        if (state !== "events") {
          document += decoder.decode(chunk, { stream: true });
          if (state === "start" && document.trim() !== "") state = /^\s*[{[<]/.test(document) ? "document" : "events";
          if (document.length > DOCUMENT_CHARS) throw refuse(document);
        }
        if (state !== "document") controller.enqueue(chunk);
      },
      flush() {
        if (state === "document") throw refuse(document);
      },
    });
    return body.pipeThrough(check);
  };
  /** `lastText` is the end of what came so far. */
  return { inspect, lastText: () => tail };
}

/** `statusOf` gives the status that a provider's name or code of an error stands for. */
export interface RefusalContext extends ErrorContext {
  statusOf(name: string): number | undefined;
}

/** A document in place of a stream: its own error, or one that says what it is. Quotes only what the server calls an error. */
export function toRefusal(document: string, { statusOf, ...context }: RefusalContext): AgentError {
  if (document.trimStart().startsWith("<")) {
    return protocol("The server answered with a web page, not with an answer of a model: is baseURL right?");
  }
  const told = readError(document);
  if (!told) {
    return protocol("The server answered with one JSON document, but a stream of events was asked for: can it stream?");
  }
  const status = told.names.map(statusOf).find((known) => known !== undefined);
  const error = toWireError({ ...told, status, headers: undefined }, context);
  // Without a name nothing says that another attempt would help.
  return status === undefined ? agentError(error.kind, error.code, error.message) : error;
}

function protocol(message: string): AgentError {
  return agentError("agent", "protocol", message);
}

/** The shapes of OpenAI, Anthropic, FastAPI and older servers. */
function readError(document: string): { readonly names: readonly string[]; readonly said: string } | undefined {
  const body = parseJsonObject(document);
  const inner = isJsonObject(body?.error) ? body.error : body;
  const said = [inner?.message, body?.error, body?.detail].find((words) => typeof words === "string" && words !== "");
  if (!inner || typeof said !== "string") return undefined;
  const names = [inner.code, inner.type, inner.status].filter(
    (name) => typeof name === "string" || typeof name === "number",
  );
  return { names: names.map(String), said };
}
