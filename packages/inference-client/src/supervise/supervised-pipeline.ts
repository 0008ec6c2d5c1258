import type { PipelineState } from "@vision-agent/protocol";
import type { ClientClock } from "../client-clock.ts";
import type { PipelineStart } from "../http/pipeline-calls.ts";
import type { SerialisedOutputs } from "../wire/to-outputs.ts";
import type { LedgerEntry, PipelineLedger } from "./pipeline-ledger.ts";
import type { ServerFleet } from "./server-fleet.ts";

/** What the workflow said about one frame of one source. */
export interface HostedResult {
  /** Position in the list of sources; 0 when there is one. */
  readonly sourceIndex: number;
  /** Never goes back within a pipeline: it counts on when a stream is opened again. For files it is the frame's own number. */
  readonly frameNumber: number;
  /** Milliseconds since 1970, in the server's time; for files it starts at the file's own date. */
  readonly timestampMs: number;
  /** As the server writes them; pictures only where they are wanted. */
  readonly outputs: SerialisedOutputs;
}

export interface HostedTimeouts {
  /** Validation. Default 30,000. */
  readonly validateMs: number;
  /** Default 60,000: the server starts a process and compiles the workflow. */
  readonly initialiseMs: number;
  /** List, status, pause, resume, terminate. Default 15,000. */
  readonly controlMs: number;
  /** Default 10,000. */
  readonly consumeMs: number;
}

export interface SuperviseOptions {
  /** Ours; kept over restarts. */
  readonly pipelineId: string;
  readonly fleet: ServerFleet;
  /**
   * Workflow, source and settings. What is left out is filled in as the kind of source needs it;
   * `consumptionTimeoutS` is at least 10 and defaults to 30 for streams, to none for files, which end by themselves.
   */
  readonly start: PipelineStart;
  /** A file has an end and is not opened again; every frame counts. */
  readonly isFile: boolean;
  readonly ledger: PipelineLedger;
  /** From `reconcile`: goes on with what already runs instead of starting it. */
  readonly adopt?: LedgerEntry;
  /**
   * Looks at the source before the server is asked to open it, which would say nothing of a dead one.
   * Throws with a sentence for people; may tell the number of frames of a file.
   */
  readonly probe?: (signal: AbortSignal) => Promise<{ readonly totalFrames?: number } | undefined>;
  readonly clock: ClientClock;
  /** Spreads restarts; 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
  readonly timeouts?: Partial<HostedTimeouts>;
  /** Asked before every result: names of the pictures that are wanted; others are left out once they are known to be pictures. Must not throw. */
  readonly wantsImages: () => readonly string[];
  /** Must not throw. */
  readonly onResult: (result: HostedResult) => void;
  /** Must not throw. Called when the state or its reason changes. */
  readonly onState: (state: PipelineState, reason?: string) => void;
  /** Lets go without stopping: the pipeline stays on its server and in the ledger. */
  readonly signal?: AbortSignal;
}
