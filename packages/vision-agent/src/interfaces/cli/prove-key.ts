// a key → one tiny call → whether it works, in a sentence
import type { Secret } from "@vision-agent/agent-core";
import { parseJson } from "../../workspace/parse-json.ts";

/** `wrong` the key or the model is refused · `unproven` nobody answered, so that it may still be right. */
export interface KeyProof {
  readonly state: "works" | "wrong" | "unproven";
  /** One sentence that never holds the key. */
  readonly message: string;
}

export interface KeyQuestion {
  readonly provider: "anthropic" | "openai";
  readonly model: string;
  readonly apiKey: Secret;
  readonly baseUrl: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

/** So long may an answer take. */
const CALL_MS = 15_000;
const ANTHROPIC = "https://api.anthropic.com";
const OPENAI = "https://api.openai.com/v1";

/** Costs a few tokens: a key without credit, or for another model, looks right until it is used. Never rejects. */
export async function proveModelKey(question: KeyQuestion): Promise<KeyProof> {
  const { provider, model, apiKey, baseUrl, fetch } = question;
  const key = apiKey.reveal();
  const messages = [{ role: "user", content: "Hi" }];
  const base = (baseUrl ?? (provider === "anthropic" ? ANTHROPIC : OPENAI)).replace(/\/+$/, "");
  const [url, headers, limit] =
    provider === "anthropic"
      ? [`${base}/v1/messages`, { "x-api-key": key, "anthropic-version": "2023-06-01" }, { max_tokens: 1 }]
      : [`${base}/chat/completions`, { authorization: `Bearer ${key}` }, { max_completion_tokens: 16 }];
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages, ...limit }),
    signal: AbortSignal.timeout(CALL_MS),
  };
  return prove({ what: `${model} at ${hostOf(base)}`, host: hostOf(base), key }, () => fetch(url, init));
}

/** Asks Roboflow whose key it is. Never rejects. */
export async function proveRoboflowKey(question: {
  readonly apiUrl: string;
  readonly apiKey: Secret;
  readonly fetch: typeof globalThis.fetch;
}): Promise<KeyProof> {
  const { apiUrl, apiKey, fetch } = question;
  const key = apiKey.reveal();
  const url = `${apiUrl.replace(/\/+$/, "")}/?api_key=${encodeURIComponent(key)}`;
  const host = hostOf(apiUrl);
  return prove({ what: host, host, key }, () => fetch(url, { signal: AbortSignal.timeout(CALL_MS) }));
}

interface Asked {
  /** Who answers, for people. */
  readonly what: string;
  readonly host: string;
  readonly key: string;
}

async function prove({ what, host, key }: Asked, call: () => Promise<Response>): Promise<KeyProof> {
  const response = await call().catch((error: unknown) => toError(error));
  if (response instanceof Error) return unproven(`${host} does not answer (${causeOf(response)})`);
  const said = reasonIn(await response.text().catch(() => "" /* the status says enough */)).replaceAll(key, "***");
  return toProof(response.status, { what, said });
}

function toProof(status: number, { what, said }: { readonly what: string; readonly said: string }): KeyProof {
  const reason = said === "" ? `status ${status}` : said;
  if (status < 300) return { state: "works", message: `${what} answers.` };
  if (status === 429) return { state: "works", message: `${what} knows the key and asks for patience (${reason}).` };
  if (status === 401 || status === 403) return { state: "wrong", message: `${what} refuses the key (${reason}).` };
  if (status < 500) return { state: "wrong", message: `${what} refuses the call (${reason}).` };
  return unproven(`${what} is in trouble (${reason})`);
}

function unproven(reason: string): KeyProof {
  return { state: "unproven", message: `${reason}; the key could not be proven.` };
}

/** What an error body says, whoever wrote it. */
function reasonIn(text: string): string {
  const body = parseJson(text);
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return typeof message === "string" ? (message.split("\n")[0] ?? "").slice(0, 200) : "";
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "the address";
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The innermost word of the system, such as ECONNREFUSED; an address with a key never comes along. */
function causeOf({ cause, name }: Error): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : name;
}
