import type { RequestConfig, SystemBlock } from "../llm/llm-client.ts";
import type { Principal } from "../tools/tool.ts";
import type { AgentEvent, ExecutionOutcome } from "../types/events.ts";
import type { ImageDetail } from "../types/message.ts";

/** VI-2 */
export type VisionInput =
  | {
      readonly bytes: Uint8Array;
      readonly mediaType: string;
      readonly detail?: ImageDetail;
      readonly filename?: string;
    }
  | { readonly artifactId: string; readonly detail?: ImageDetail };

export interface ExecuteInput {
  readonly sessionId: string;
  readonly text: string;
  readonly images?: readonly VisionInput[];
  /** VI-9: what to do with images when the model cannot see. Default `strict`. */
  readonly visionMode?: "strict" | "lenient";
  readonly principal: Principal;
  readonly config?: RequestConfig;
  readonly signal?: AbortSignal;
}

/** AI-21: the prompt is built apart from the loop. Volatile text is appended to the user's message as a state note. */
export interface PromptSource {
  system(): Promise<readonly SystemBlock[]>;
  state(): Promise<string>;
}

/** X7: events while it runs, and an outcome that never rejects. */
export interface RunHandle extends AsyncIterable<AgentEvent> {
  readonly runId: string;
  readonly sessionId: string;
  readonly outcome: Promise<ExecutionOutcome>;
  /** From the first event kept after `afterSeq`, then live to the end. Leaving the iteration does not cancel the run. */
  events(options?: { readonly afterSeq?: number }): AsyncIterable<AgentEvent>;
  /** Heard before the next model call. `run_over` means nobody heard it: send it as a new message. */
  steer(text: string): "queued" | "run_over";
  /** May be called twice. */
  cancel(reason?: string): Promise<void>;
}

export interface AgentExecutor {
  /** Never throws: a run that cannot start ends with a failed outcome. */
  execute(input: ExecuteInput): RunHandle;
  /** A run that is going on or ended recently. */
  attach(runId: string): RunHandle | undefined;
  /** The run that holds this session now. */
  activeRun(sessionId: string): RunHandle | undefined;
  /** Cancels what runs and waits for it. May be called twice. */
  close(): Promise<void>;
}
