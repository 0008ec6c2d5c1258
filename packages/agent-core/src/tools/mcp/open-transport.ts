// where a server is → a wire to it
import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { McpDeps, McpTransportConfig } from "./mcp-config.ts";

/** Not started yet: the client does that. */
export function openTransport(config: McpTransportConfig, deps: Pick<McpDeps, "fetch" | "onStderr">): Transport {
  switch (config.transport) {
    case "custom":
      return config.open();
    case "http":
      return new StreamableHTTPClientTransport(new URL(config.url), {
        ...(config.headers ? { requestInit: { headers: { ...config.headers } } } : {}),
        ...(config.auth ? { authProvider: config.auth } : {}),
        ...(deps.fetch ? { fetch: deps.fetch } : {}),
      });
    case "stdio": {
      const { command, args = [], env, cwd } = config;
      const transport = new StdioClientTransport({
        command,
        args: [...args],
        stderr: deps.onStderr ? "pipe" : "ignore",
        ...(env ? { env: { ...env } } : {}),
        cwd,
      });
      transport.stderr?.on("data", (chunk: Buffer) => deps.onStderr?.(chunk.toString()));
      return transport;
    }
  }
}
