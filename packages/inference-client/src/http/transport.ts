// a call → key, deadline, slot, tries → its JSON or a ClientError
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import PQueue from "p-queue";
import type { z } from "zod";
import type { ClientClock } from "../client-clock.ts";
import { ClientError, clientError } from "../errors.ts";
import { redact, redactCause } from "../redact.ts";
import { toClientError } from "../wire/error-body.ts";
import { parseAnswer } from "../wire/parse-answer.ts";
import { exchange, type WholeAnswer } from "./exchange.ts";
import { createRetryDelays, parseRetryAfter } from "./retry-policy.ts";
import type { ServerAddress } from "./server-address.ts";

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Hard limit of the whole call, waiting in the queue and repeats included. */
  readonly timeoutMs?: number;
}

/** Hard limits by class of call, in milliseconds. */
export interface Timeouts {
  /** Info, health, readiness, registry. Default 3,000. */
  readonly infoMs: number;
  /** Inference and workflow runs with models that have answered before. Default 30,000. */
  readonly inferMs: number;
  /** The first call of a model, and loading one: the server may download it. Default 300,000. */
  readonly modelLoadMs: number;
  /** Default 15,000. */
  readonly pipelineMs: number;
  /** Validation and descriptions. Default 60,000. */
  readonly describeMs: number;
  /** The server starts a process and loads models before it answers. Default 180,000. */
  readonly webrtcMs: number;
}

/** One call, as the groups of calls describe it. */
export interface WireCall<Schema extends z.ZodType = z.ZodType> {
  readonly method: "GET" | "POST";
  /** Every part already percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: object | string;
  /** Where this call of an older server reads the key, beside the header. */
  readonly key: "body" | "query" | "none";
  readonly timeout: keyof Timeouts;
  /** True: it may be sent again. The others act or take something away: what is not known to have failed may have happened. */
  readonly repeats?: boolean;
  /** True: at most `maxConcurrent` of these at once. */
  readonly isHeavy?: boolean;
  /** True: let the server pack a large answer. */
  readonly gzip?: boolean;
  /** The path in the server's own description, for calls that a build may lack. */
  readonly route?: string;
  /** A refusal that is an answer, too. */
  readonly accept?: number;
  /** What the answer looks like. */
  readonly answer: Schema;
}

/** For a call that is one of several made on behalf of another. */
export interface SendOptions extends CallOptions {
  /** From `deadlineOf`: it ends by then, however long its own limit is. */
  readonly deadline?: number;
}

export interface Transport {
  /** Throws for refusals (status 400 and more), and `protocol` for an answer that no known version gives. */
  send<Schema extends z.ZodType>(call: WireCall<Schema>, options?: SendOptions): Promise<z.output<Schema>>;
  /** When a call that begins now must have ended, by the monotonic clock. */
  deadlineOf(timeout: keyof Timeouts, options?: SendOptions): number;
  /** Aborts what is under way. Twice is fine. */
  close(): void;
}

export interface TransportOptions {
  readonly address: ServerAddress;
  readonly apiKey: string | undefined;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly timeouts: Timeouts;
  readonly maxConcurrent: number;
}

/** Twice the largest answer known, the description of all blocks, and room for pictures. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Shorter than the five seconds after which servers close an idle connection. */
const IDLE_SOCKET_MS = 4_000;

export class HttpTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #agent: HttpAgent;
  /** At most `maxConcurrent` heavy calls at once, the others in order. */
  readonly #heavy: PQueue;
  readonly #closed = new AbortController();
  readonly #secrets: readonly string[];

  constructor(options: TransportOptions) {
    this.#options = options;
    const pool = { keepAlive: true, timeout: IDLE_SOCKET_MS };
    this.#agent = options.address.isHttps ? new HttpsAgent(pool) : new HttpAgent(pool);
    this.#heavy = new PQueue({ concurrency: options.maxConcurrent });
    const password = options.address.credentials?.replace(/^[^:]*:/, "");
    this.#secrets = [options.apiKey, password].filter((secret) => secret !== undefined);
  }

  deadlineOf(timeout: keyof Timeouts, { timeoutMs, deadline }: SendOptions = {}): number {
    const own = this.#options.clock.monotonic() + (timeoutMs ?? this.#options.timeouts[timeout]);
    return Math.min(own, deadline ?? own);
  }

  async send<Schema extends z.ZodType>(call: WireCall<Schema>, options: SendOptions = {}): Promise<z.output<Schema>> {
    const deadline = this.deadlineOf(call.timeout, options);
    const limitMs = Math.max(0, deadline - this.#options.clock.monotonic());
    const what = `${call.method} ${call.path}`;
    const ended = new AbortController();
    const settled = new AbortController();
    const cancelOn = (signal: AbortSignal | undefined, words: string): void => {
      const cancel = (): void => ended.abort(clientError("cancelled", `${what}${words}`));
      if (signal?.aborted) cancel();
      else signal?.addEventListener("abort", cancel, { signal: settled.signal });
    };
    cancelOn(options.signal, " was cancelled.");
    cancelOn(this.#closed.signal, ": the client is closed.");
    this.#options.clock.sleep(limitMs, settled.signal).then(
      () => ended.abort(this.#timeoutError(what, limitMs)),
      () => undefined, // The call was over in time.
    );
    try {
      ended.signal.throwIfAborted();
      const tries = (): Promise<string> => this.#tries(call, what, deadline, ended.signal);
      const body = await (call.isHeavy === true ? this.#heavy.add(tries, { signal: ended.signal }) : tries());
      return parseAnswer(call.answer, parseJson(body, what), what);
    } catch (error) {
      // First cause wins: what broke because the call was ended is the end's own error.
      throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      settled.abort();
    }
  }

  close(): void {
    this.#closed.abort();
    this.#agent.destroy();
  }

  async #tries(call: WireCall, what: string, deadline: number, signal: AbortSignal): Promise<string> {
    const { clock, random } = this.#options;
    const delayAfter = createRetryDelays({ repeats: call.repeats === true, random });
    for (;;) {
      const answer = await this.#once(call, what, signal);
      if (!(answer instanceof ClientError)) return answer;
      const delayMs = delayAfter(answer);
      if (delayMs === undefined || clock.monotonic() + delayMs >= deadline) throw answer;
      await clock.sleep(delayMs, signal);
    }
  }

  /** The body of the answer, or why there is none. */
  async #once(call: WireCall, what: string, signal: AbortSignal): Promise<string | ClientError> {
    const answer = await this.#exchange(call, signal).catch((cause: unknown) => {
      if (signal.aborted) throw signal.reason;
      if (cause instanceof ClientError) {
        throw clientError(cause.kind, `${what}: ${cause.message}`);
      }
      return this.#networkError(what, cause);
    });
    if (answer instanceof ClientError) return answer;
    const { status, body, headers } = answer;
    if ((status >= 200 && status < 300) || status === call.accept) return body;
    const retryAfterMs = parseRetryAfter(headers["retry-after"], this.#options.clock.now());
    return toClientError({ status, body, retryAfterMs }, what, this.#secrets);
  }

  async #exchange(call: WireCall, signal: AbortSignal): Promise<WholeAnswer> {
    const { address, apiKey } = this.#options;
    const url = new URL(`${address.url}${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, value);
    if (apiKey !== undefined && call.key === "query") url.searchParams.set("api_key", apiKey);
    const body = bodyOf(call, call.key === "body" ? apiKey : undefined);
    const authorization = authorizationOf(address.credentials, apiKey);
    return await exchange({
      url,
      method: call.method,
      headers: {
        accept: "application/json",
        ...(call.gzip === true && { "accept-encoding": "gzip" }),
        ...(authorization !== undefined && { authorization }),
        ...(body !== undefined && { "content-type": contentTypeOf(call) }),
      },
      body,
      agent: this.#agent,
      signal,
      maxBytes: MAX_ANSWER_BYTES,
    });
  }

  #timeoutError(what: string, limitMs: number): ClientError {
    const { url } = this.#options.address;
    return clientError("timeout", `${what}: ${url} did not answer within ${Math.round(limitMs) / 1000} s.`);
  }

  #networkError(what: string, error: unknown): ClientError {
    const { url } = this.#options.address;
    const cause = redactCause(error, this.#secrets);
    // What is no HTTP is an answer too, only a wrong one.
    const isGarbage = "code" in cause && String(cause.code).startsWith("HPE_");
    const words = redact(cause.message, this.#secrets);
    return isGarbage
      ? clientError("protocol", `${what}: ${url} does not speak HTTP (${words}).`, { cause })
      : clientError("network", `${what}: ${url} cannot be reached (${words}).`, { cause });
  }
}

function bodyOf({ body }: WireCall, apiKey: string | undefined): string | undefined {
  if (body === undefined || typeof body === "string") return body;
  return JSON.stringify(apiKey === undefined ? body : { ...body, api_key: apiKey });
}

/** A text is a bare base64 picture, which older servers take as form data. */
function contentTypeOf({ body }: WireCall): string {
  return typeof body === "string" ? "application/x-www-form-urlencoded" : "application/json";
}

/** A password in the address is for whoever stands in front of the server; the key then stays in its older place. */
function authorizationOf(credentials: string | undefined, apiKey: string | undefined): string | undefined {
  if (credentials !== undefined) return `Basic ${Buffer.from(credentials).toString("base64")}`;
  return apiKey === undefined ? undefined : `Bearer ${apiKey}`;
}

/** Whatever the content type says: large descriptions come without one. */
function parseJson(body: string, what: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Without the parser's own words: they repeat the body.
    throw clientError("protocol", `${what}: the answer is not JSON. Is this an Inference server?`);
  }
}
