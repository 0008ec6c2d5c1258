// a server's address → its tools in the registry, for as long as the connection is open
import { StreamableHTTPClientTransport, type Transport, UnauthorizedError } from "@modelcontextprotocol/client";
import { hasErrorCode } from "../../files/whole-files.ts";
import type { ToolDefinition } from "../../llm/llm-client.ts";
import { agentError } from "../../types/errors.ts";
import type { Warn } from "../../types/events.ts";
import type { McpDeps, McpServerConfig, McpStatus, McpTransportConfig } from "./mcp-config.ts";
import { McpLink } from "./mcp-link.ts";
import { createServerTools } from "./mcp-tools.ts";
import { StdioServer } from "./stdio-server.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RECONNECT = { attempts: 5, baseMs: 500, capMs: 30_000 };

/** A server that is being used. */
export type McpConnection = Awaited<ReturnType<typeof connectMcp>>;

/**
 * AF-27: connects, lists the tools, and keeps them in `deps.registry` as `server__tool`.
 * Throws `AgentError` kind `invalid`, code `bad_options`, for a transport that there is not, kind `network`, code
 * `mcp_connect` when the server cannot be reached (kind `invalid` where its program is missing), kind `invalid`, code `auth` when it does not let us in, kind `cancelled` when `deps.signal` fires first. Nothing is left behind then.
 */
export async function connectMcp(config: McpServerConfig, deps: McpDeps) {
  checkTransport(config);
  const warn: Warn = (code, message) => deps.onWarning?.({ code, message });
  const link: McpLink = new McpLink({
    name: config.name,
    clock: deps.clock,
    connectTimeoutMs: config.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    reconnect: deps.reconnect ?? DEFAULT_RECONNECT,
    openTransport: () => openTransport(config, deps),
    onTools: (tools) => offeredTools.put(tools),
    onStatus: (status) => deps.onStatus?.(status),
    warn,
  });
  const offeredTools = createServerTools({
    config,
    registry: deps.registry,
    send: (call, context) => link.call(call, context),
    warn,
  });
  const close = async (): Promise<void> => {
    offeredTools.clear();
    await link.close();
  };
  await openFirst(link, config.name, deps.signal).catch(async (thrown: unknown) => {
    await close();
    throw thrown;
  });
  return {
    name: config.name,
    /** Which family of protocol versions both sides speak. */
    get era(): "legacy" | "modern" {
      return link.era;
    },
    /** `failed` gave up for now: the next call tries again. */
    get status(): McpStatus {
      return link.status;
    },
    /** As they stand in the registry, sorted by name. */
    get tools(): readonly ToolDefinition[] {
      return offeredTools.list();
    },
    /** Takes the tools out of the registry and ends the connection, and the process with it. May be called twice. */
    close,
  };
}

async function openFirst(link: McpLink, name: string, signal: AbortSignal | undefined): Promise<void> {
  const stop = (): void => void link.close();
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await link.open();
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `Could not connect to the MCP server "${name}": ${why}${describeEnd(link.lastTransport)}`;
    if (signal?.aborted) throw agentError("cancelled", "aborted", message, { cause: thrown });
    if (thrown instanceof UnauthorizedError) throw agentError("invalid", "auth", message, { cause: thrown });
    const isMissing = hasErrorCode(thrown, "ENOENT") || hasErrorCode(thrown, "EACCES");
    if (isMissing) throw agentError("invalid", "mcp_connect", `${message}. Check its \`command\`.`, { cause: thrown });
    throw agentError("network", "mcp_connect", message, { cause: thrown });
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function describeEnd(transport: Transport | undefined): string {
  const words = transport instanceof StdioServer ? transport.lastWords() : "";
  return words === "" ? "" : `. ${words}`;
}

/** Programs in JavaScript may give anything. Throws `AgentError` kind `invalid`, code `bad_options`. */
function checkTransport(config: { readonly name: string; readonly transport?: unknown; readonly url?: unknown }): void {
  const { name, transport, url } = config;
  const known = ["stdio", "http", "custom"].includes(String(transport));
  const isReachable = transport !== "http" || URL.canParse(String(url));
  if (known && isReachable) return;
  const wrong = known ? `"${String(url)}" is no url` : `there is no transport "${String(transport)}"`;
  const advice = 'Write transport: "stdio" with a command, "http" with a url, or "custom" with a function open.';
  throw agentError("invalid", "bad_options", `The MCP server "${name}": ${wrong}. ${advice}`);
}

/** Not started yet: the client does that. */
export function openTransport(config: McpTransportConfig, deps: Pick<McpDeps, "fetch" | "onStderr">): Transport {
  switch (config.transport) {
    case "custom":
      return config.open();
    case "http":
      return new StreamableHTTPClientTransport(new URL(config.url), {
        requestInit: config.headers && { headers: { ...config.headers } },
        authProvider: config.auth,
        fetch: deps.fetch,
      });
    case "stdio":
      return new StdioServer(config, (text) => deps.onStderr?.(text));
  }
}
