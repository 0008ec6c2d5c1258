export { connectMcp } from "./tools/mcp/connect-mcp.ts";
export type {
  McpConnection,
  McpDeps,
  McpServerConfig,
  McpStatus,
  McpTransportConfig,
} from "./tools/mcp/mcp-config.ts";
