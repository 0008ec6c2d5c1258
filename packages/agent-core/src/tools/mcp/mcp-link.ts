// calls → one connection that is opened again when it breaks → answers
import {
  type CallToolResult,
  Client,
  type Tool as McpTool,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { type Clock, raceAbort } from "../../types/clock.ts";
import { type AgentError, agentError } from "../../types/errors.ts";
import type { Warn } from "../../types/events.ts";
import type { ToolContext } from "../tool.ts";
import type { McpDeps, McpStatus } from "./mcp-config.ts";
import type { McpCall } from "./mcp-tools.ts";

const CLIENT_INFO = { name: "agent-core", version: "0.1.0" };
/** A server of the older kind may say nothing at all to the first question. */
const PROBE_TIMEOUT_MS = 5_000;
const GOODBYE_MS = 1_000;
/** A connection that held so long was sound; what breaks sooner counts as one series. */
const STABLE_MS = 60_000;
/** The tool executor keeps the time of a call; a second timer must not fire before it. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export interface McpLinkOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly reconnect: NonNullable<McpDeps["reconnect"]>;
  openTransport(): Transport;
  /** The whole list, after each connecting and each change. */
  onTools(tools: readonly McpTool[]): void;
  onStatus(status: McpStatus): void;
  readonly warn: Warn;
}

interface Live {
  readonly client: Client;
  readonly transport: Transport;
  readonly since: number;
}

/** Complaint 16: however many calls find the connection broken, it is opened again once. */
export class McpLink {
  readonly #options: McpLinkOptions;
  readonly #life = new AbortController();
  #status: McpStatus = "reconnecting";
  #live: Live | undefined;
  #lastTransport: Transport | undefined;
  #opening: Promise<Live> | undefined;
  #closing: Promise<void> | undefined;
  /** Breaks and failed openings since the last sign of health. */
  #strikes = 0;
  #listings = 0;
  #era: "legacy" | "modern" = "legacy";

  constructor(options: McpLinkOptions) {
    this.#options = options;
  }

  get status(): McpStatus {
    return this.#status;
  }

  get era(): "legacy" | "modern" {
    return this.#era;
  }

  /** What was opened last, whether or not it came to a connection. */
  get lastTransport(): Transport | undefined {
    return this.#lastTransport;
  }

  /** The first connecting: one try, and its failure is the caller's. */
  async open(): Promise<void> {
    await this.#openOnce();
    this.#setStatus("connected");
  }

  /** Sends a call once; a second time only when the server refused the first, or when repeating is harmless. */
  async call({ toolName, args, mayRepeat }: McpCall, context: ToolContext): Promise<CallToolResult> {
    for (let sent = 0; ; sent++) {
      const live = await raceAbort(this.#ready(), context.signal);
      try {
        const result = await live.client.callTool(
          { name: toolName, arguments: { ...args } },
          {
            signal: context.signal,
            timeout: NO_TIMEOUT_MS,
            onprogress: ({ progress, total, message }) =>
              context.progress(message ?? String(progress), total === undefined ? undefined : progress / total),
          },
        );
        this.#strikes = 0;
        return result;
      } catch (thrown) {
        const loss = context.signal.aborted ? undefined : lossOf(thrown, live.transport);
        if (loss === undefined) throw thrown;
        this.#lose(live);
        if (sent > 0 || (loss === "unknown" && !mayRepeat)) throw this.#lostError(thrown);
      }
    }
  }

  /** May be called twice, and while it is being opened. */
  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    this.#setStatus("closed");
    this.#life.abort(this.#closedError());
    // Whoever waits for it hears of its failure.
    await this.#opening?.catch(() => undefined);
    const live = this.#live;
    this.#live = undefined;
    if (live) await this.#sayGoodbye(live);
  }

  async #ready(): Promise<Live> {
    if (this.#status === "closed") throw this.#closedError();
    return this.#live ?? this.#openAgain();
  }

  #openAgain(): Promise<Live> {
    this.#opening ??= this.#openWithPatience().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openWithPatience(): Promise<Live> {
    const { attempts, baseMs, capMs } = this.#options.reconnect;
    // After giving up, a call is worth one try at once.
    let waitMs = this.#status === "failed" || this.#strikes < 2 ? 0 : baseMs * 2 ** (this.#strikes - 2);
    this.#setStatus("reconnecting");
    for (;;) {
      try {
        if (waitMs > 0) await this.#options.clock.sleep(Math.min(capMs, waitMs), this.#life.signal);
        const live = await this.#openOnce();
        this.#setStatus("connected");
        return live;
      } catch (thrown) {
        if (this.#life.signal.aborted) throw this.#closedError();
        this.#strikes += 1;
        waitMs = baseMs * 2 ** Math.max(0, this.#strikes - 2);
        if (this.#strikes > attempts) throw this.#giveUp(thrown);
      }
    }
  }

  async #openOnce(): Promise<Live> {
    this.#life.signal.throwIfAborted();
    const { clock, connectTimeoutMs: timeout } = this.#options;
    const transport = this.#options.openTransport();
    this.#lastTransport = transport;
    const client = new Client(CLIENT_INFO, {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(PROBE_TIMEOUT_MS, timeout) } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 20, onChanged: () => void this.#relist(client) } },
    });
    const live: Live = { client, transport, since: clock.monotonic() };
    client.onclose = () => this.#lose(live);
    const connecting = client.connect(transport, { timeout, signal: this.#life.signal });
    try {
      await raceAbort(connecting, this.#life.signal);
      const { tools } = await client.listTools(undefined, { timeout, signal: this.#life.signal });
      this.#options.onTools(tools);
    } catch (thrown) {
      await this.#sayGoodbye(live);
      // The client may still be ending a process that it started to find out the version.
      await connecting.catch(() => undefined);
      throw thrown;
    }
    this.#era = client.getProtocolEra() === "modern" ? "modern" : "legacy";
    this.#live = live;
    return live;
  }

  async #relist(client: Client): Promise<void> {
    this.#listings += 1;
    const turn = this.#listings;
    try {
      const { tools } = await client.listTools(undefined, { cacheMode: "refresh", signal: this.#life.signal });
      if (turn === this.#listings && this.#live?.client === client) this.#options.onTools(tools);
    } catch (thrown) {
      if (this.#life.signal.aborted) return;
      this.#options.warn("mcp_list_failed", `The tools of "${this.#options.name}" could not be listed: ${thrown}`);
    }
  }

  /** Begins to open the connection again, in the background. */
  #lose(live: Live): void {
    if (this.#live !== live || this.#status === "closed") return;
    this.#live = undefined;
    const held = this.#options.clock.monotonic() - live.since;
    this.#strikes = held >= STABLE_MS ? 1 : this.#strikes + 1;
    this.#options.warn("mcp_connection_lost", `The connection to "${this.#options.name}" broke.`);
    const isHopeless = this.#strikes > this.#options.reconnect.attempts;
    if (isHopeless) this.#setStatus("failed");
    // Whoever calls next hears of a failure; until then the status tells.
    else this.#openAgain().catch(() => undefined);
    void this.#sayGoodbye(live);
  }

  /** Never rejects: what is over need not end well. */
  async #sayGoodbye({ client, transport }: Live): Promise<void> {
    const over = new AbortController();
    if (transport instanceof StreamableHTTPClientTransport && this.#status === "closed") {
      const patience = this.#options.clock.sleep(GOODBYE_MS, over.signal);
      await Promise.race([transport.terminateSession(), patience]).catch(() => undefined);
    }
    over.abort();
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  }

  #setStatus(status: McpStatus): void {
    if (this.#status === status || this.#status === "closed") return;
    this.#status = status;
    this.#options.onStatus(status);
  }

  #giveUp(cause: unknown): AgentError {
    this.#setStatus("failed");
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The connection to the MCP server "${this.#options.name}" could not be opened again: ${why}`;
    return agentError("network", "mcp_unreachable", message, { cause, retryable: true });
  }

  #lostError(cause: unknown): AgentError {
    const message =
      `The connection to the MCP server "${this.#options.name}" broke during the call. ` +
      "It may have had effects already and was not repeated: check before you do.";
    return agentError("network", "mcp_connection_lost", message, { cause });
  }

  #closedError(): AgentError {
    const message = `The connection to the MCP server "${this.#options.name}" is closed.`;
    return agentError("network", "mcp_closed", message);
  }
}

/** `refused`: the server never took the call. `unknown`: nobody can tell. */
export type CallLoss = "refused" | "unknown";

/** Undefined when the server answered, be it with an error: then the connection is sound. */
export function lossOf(thrown: unknown, transport: Transport): CallLoss | undefined {
  if (thrown instanceof SdkHttpError) return isSessionGone(thrown, transport) ? "refused" : undefined;
  if (thrown instanceof SdkError) {
    if (thrown.code === SdkErrorCode.NotConnected) return "refused";
    return thrown.code === SdkErrorCode.ConnectionClosed ? "unknown" : undefined;
  }
  // What fetch throws when no answer came.
  if (!(thrown instanceof TypeError)) return undefined;
  const { cause } = thrown;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED" ? "refused" : "unknown";
}

/** A server that was started anew does not know our session and says so before it looks at the call. */
function isSessionGone({ status }: SdkHttpError, transport: Transport): boolean {
  return (status === 404 || status === 400) && transport.sessionId !== undefined;
}
