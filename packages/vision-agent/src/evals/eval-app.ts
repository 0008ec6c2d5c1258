import type { TranscriptEntry } from "@vision-agent/agent-core";
import type { Alert, PipelineStatus, RunOutcome, Watch } from "@vision-agent/protocol";
import type { ActivePipeline } from "../pipelines/active-state.ts";

/** A watch with the pipelines it stands on. */
export interface AppWatch extends Watch {
  readonly pipelines: readonly { readonly camera: string; readonly pipeline_id?: string | undefined }[];
}

/** An app of its own for one instruction, spoken to as a person speaks to it. */
export interface EvalApp {
  /** Says it in the one conversation of this app; resolves when the turn has ended or waits for an answer. */
  say(
    text: string,
    pictures: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<Pick<RunOutcome, "status" | "text" | "reason">>;
  pipelines(): Promise<readonly PipelineStatus[]>;
  /** What the pipelines were started with. */
  definitions(): Promise<readonly ActivePipeline[]>;
  watches(): Promise<readonly AppWatch[]>;
  alerts(): Promise<readonly Alert[]>;
  /** Of the one conversation, so far. */
  transcript(): Promise<readonly TranscriptEntry[]>;
  /** Lines of the Markdown files that memory is kept in. */
  notes(): Promise<readonly string[]>;
  /** May be called twice. */
  stop(): Promise<void>;
}
