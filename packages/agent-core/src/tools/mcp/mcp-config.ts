import type { Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../types/clock.ts";
import type { AgentWarning } from "../../types/events.ts";
import type { ToolRegistry } from "../tool-registry.ts";

/** A server of tools and how far it is trusted. Tools are named here as the server names them. */
export type McpServerConfig = {
  /** First part of its tools' names: `name__tool`. */
  readonly name: string;
  /** Only these tools; absent takes all. */
  readonly allow?: readonly string[];
  /** None of these. */
  readonly deny?: readonly string[];
  /** For one call, and for connecting. Default 60 000. */
  readonly timeoutMs?: number;
  /**
   * Whether the server's hints about its tools may loosen anything. Default `untrusted`: whatever it says, its tools
   * run one at a time, are never repeated, and ask first.
   */
  readonly trust?: "trusted" | "untrusted";
  /** Tools that you know to change nothing: they run side by side, may be repeated, and do not ask. */
  readonly readOnly?: readonly string[];
  /**
   * Who asks a person first: `ask` every tool that is not known to be read-only, `hints` those that call themselves
   * destructive, `never` none. Default `ask`, for a trusted server `hints`.
   */
  readonly approval?: "ask" | "hints" | "never";
  /** The model loads these tools when it needs them, which keeps the head of each request short. Default false. */
  readonly deferLoading?: boolean;
} & McpTransportConfig;

/** Where the server is, or how it is started. */
export type McpTransportConfig =
  | {
      readonly transport: "stdio";
      readonly command: string;
      readonly args?: readonly string[];
      /** Added to the few variables that any program needs, such as PATH; nothing else is passed on. */
      readonly env?: { readonly [name: string]: string };
      readonly cwd?: string;
    }
  | {
      readonly transport: "http";
      readonly url: string;
      readonly headers?: { readonly [name: string]: string };
      readonly auth?: { token(): Promise<string | undefined>; onUnauthorized?(): Promise<void> };
    }
  /** Any other wire; `open` is called for each connection. */
  | { readonly transport: "custom"; open(): Transport };

/** How the connection stands. */
export type McpStatus = "connected" | "reconnecting" | "failed" | "closed";

/** What a connection needs and whom it tells. */
export interface McpDeps {
  /** The tools are added here, and kept in step when the server's list changes. */
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  /** Ends the connecting. */
  readonly signal?: AbortSignal;
  readonly fetch?: typeof fetch;
  /** Tools that were left out, connections that were lost. */
  onWarning?(warning: AgentWarning): void;
  onStatus?(status: McpStatus): void;
  /** What a stdio server writes beside the protocol; absent throws it away. */
  onStderr?(text: string): void;
  /** How often a lost connection is tried again, and the waits between, milliseconds. Default 5, 500, 30 000. */
  readonly reconnect?: { readonly attempts: number; readonly baseMs: number; readonly capMs: number };
}
