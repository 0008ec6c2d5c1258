export { connectMcp, type McpConnection } from "./tools/mcp/connect-mcp.ts";
export type {
  McpDeps,
  McpServerConfig,
  McpStatus,
  McpTransportConfig,
} from "./tools/mcp/mcp-config.ts";
