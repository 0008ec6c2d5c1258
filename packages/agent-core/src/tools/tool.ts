import type { ToolDefinition } from "../llm/llm-client.ts";
import type { ArtifactRef } from "../types/artifact.ts";
import type { Json } from "../types/json.ts";
import type { ImagePart, TextPart } from "../types/message.ts";

/** Who asked. */
export interface Principal {
  readonly userId: string;
  readonly roles?: readonly string[];
}

export interface ToolContext {
  /** Fires when the run is cancelled or the tool's time is up. */
  readonly signal: AbortSignal;
  readonly callId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Stores a picture and gives the part that shows it. */
  putImage(bytes: Uint8Array, options: { readonly mimeType: string; readonly alt: string }): Promise<ImagePart>;
  getArtifact(id: string): Promise<{ readonly ref: ArtifactRef; readonly bytes: Uint8Array } | undefined>;
}

/** VA-11: a string, JSON, or parts. Throw to fail: the loop turns it into an error result the model can read. */
export type ToolOutput = string | Json | { readonly content: readonly (TextPart | ImagePart)[] };

/** AI-4. `A` is the argument type; arguments are checked against `parameters` before `execute`. */
export interface Tool<A = { readonly [key: string]: Json }> extends ToolDefinition {
  execute(args: A, context: ToolContext): Promise<ToolOutput>;
  /** Default 60 000. */
  readonly timeoutMs?: number;
  readonly annotations?: {
    /** Read-only tools may run side by side. */
    readonly readOnly?: boolean;
    readonly destructive?: boolean;
  };
}
