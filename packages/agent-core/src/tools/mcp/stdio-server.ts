// a command → a transport to its process, which remembers how the process ended
import type { ChildProcess } from "node:child_process";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createRedactor } from "../../observability/redact.ts";
import type { McpTransportConfig } from "./mcp-config.ts";

const LAST_LINES = 5;
const LAST_CHARS = 500;

/** A process that speaks the protocol over its pipes. */
export class StdioServer extends StdioClientTransport {
  readonly #secrets: readonly string[];
  #ended = "";
  #said = "";

  constructor(
    { command, args = [], env, cwd }: Extract<McpTransportConfig, { transport: "stdio" }>,
    onStderr?: (text: string) => void,
  ) {
    super({ command, args: [...args], stderr: "pipe", env: env && { ...env }, cwd });
    this.#secrets = Object.values(env ?? {});
    this.stderr?.on("data", (chunk: Buffer) => {
      const text = chunk.toString();
      // Whole until it is told: a secret that was cut would not be found.
      this.#said = (this.#said + text).slice(-LAST_CHARS * 10);
      onStderr?.(text);
    });
  }

  override async start(): Promise<void> {
    await super.start();
    // The SDK keeps the process to itself; without it only the code is missing.
    const child: unknown = Reflect.get(this, "_process");
    if (!isProcess(child)) return;
    child.once("exit", (code, signal) => {
      this.#ended = signal === null ? `It ended with code ${code}.` : `It was ended by ${signal}.`;
    });
  }

  /** How the process ended and the last lines of its stderr, bounded and without secrets; empty while it runs in silence. */
  lastWords(): string {
    const lines = createRedactor({ secrets: this.#secrets }).text(this.#said).trim().split("\n").slice(-LAST_LINES);
    const said = lines.join("\n").slice(-LAST_CHARS);
    return [this.#ended, said && `Its last words:\n${said}`].filter((words) => words !== "").join(" ");
  }
}

function isProcess(value: unknown): value is ChildProcess {
  return typeof value === "object" && value !== null && "once" in value && typeof value.once === "function";
}
