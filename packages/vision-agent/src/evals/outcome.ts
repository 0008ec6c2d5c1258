import type { TranscriptEntry } from "@vision-agent/agent-core";
import type {
  Alert,
  BackendName,
  Camera,
  Job,
  PipelineState,
  PipelineStatus,
  RunOutcome,
  SceneEventKind,
  WatchCondition,
  WatchReport,
  WorkflowSpec,
} from "@vision-agent/protocol";
import type { ActivePipeline } from "../pipelines/active-state.ts";
import type { PicturePlace } from "./expectation.ts";

/** A pipeline as it is found after a turn. */
export interface FoundPipeline {
  readonly id: string;
  readonly name: string;
  /** Camera name, or an address. */
  readonly camera: string;
  readonly spec: WorkflowSpec;
  /** Those it looks for; of a watch's pipeline, those of its watches. Empty: all. */
  readonly classes: readonly string[];
  readonly lines: readonly (readonly PicturePlace[])[];
  readonly zones: readonly (readonly PicturePlace[])[];
  readonly state: PipelineState;
  readonly backend: BackendName;
  readonly maxFps?: number | undefined;
  readonly alertOn: readonly SceneEventKind[];
  /** A watch stands on it. */
  readonly ofWatch: boolean;
  readonly isNew: boolean;
}

/** What a watch waits for; of a pipeline that tells, as much as is known. */
export interface FoundCondition extends Pick<WatchCondition, "kind"> {
  readonly at_least?: number;
  readonly seconds?: number;
  readonly for_seconds?: number;
  readonly direction?: string;
  readonly line?: readonly PicturePlace[];
  readonly zone?: readonly PicturePlace[];
  readonly at_most?: number;
  readonly other?: { readonly classes: readonly string[] };
  /** Classes of what must not be there meanwhile. */
  readonly without?: readonly string[];
  /** What its zone or line is called. */
  readonly place?: string;
}

/** A watch as it is found after a turn, or a pipeline that tells. */
export interface FoundWatch
  extends Pick<WatchReport, "words" | "cameras" | "classes" | "active_hours" | "severity" | "enabled"> {
  readonly days?: readonly string[];
  readonly modes?: readonly string[];
  /** From the moment of judging; absent: it is not, or never. */
  readonly mutedMinutes?: number;
  readonly endsMinutes?: number;
  readonly condition: FoundCondition;
  readonly cooldown_seconds?: number;
  readonly isNew: boolean;
}

/** A tool that was called. */
export interface ToolUse {
  readonly tool: string;
  readonly arguments: unknown;
  /** `ok`, or how it failed. */
  readonly outcome: string;
  /** What the model read of it. */
  readonly result: string;
}

/** What became of the words: everything that a judge may look at. */
export interface EvalOutcome {
  /** How the last turn ended. */
  readonly status: RunOutcome["status"];
  /** The last answer. */
  readonly answer: string;
  readonly pipelines: readonly FoundPipeline[];
  readonly watches: readonly FoundWatch[];
  /** Since the app was opened. */
  readonly alerts: readonly Alert[];
  readonly cameras: readonly Camera[];
  readonly mode: string;
  /** Without the heartbeat. */
  readonly tasks: readonly Job[];
  /** Of all turns. */
  readonly calls: readonly ToolUse[];
  /** Lines of memory that were not there before. */
  readonly newNotes: readonly string[];
  /** Millionths of a dollar, of all turns. */
  readonly costMicroUsd: number;
  /** How many crossed in the scene by then, where that is asked for: somebody may be on the line. */
  readonly crossed?: { readonly from: number; readonly to: number };
}

/** An app of its own for one instruction, spoken to as a person speaks to it. */
export interface EvalApp {
  /** Says it in the one conversation of this app; resolves when the turn has ended or waits for an answer. */
  say(
    text: string,
    options: { readonly pictures: readonly Uint8Array[]; readonly agrees: boolean; readonly signal: AbortSignal },
  ): Promise<Pick<RunOutcome, "status" | "text" | "reason">>;
  pipelines(): Promise<readonly PipelineStatus[]>;
  /** What the pipelines were started with. */
  definitions(): Promise<readonly ActivePipeline[]>;
  watches(): Promise<readonly WatchReport[]>;
  alerts(): Promise<readonly Alert[]>;
  cameras(): Promise<readonly Camera[]>;
  /** Seconds of the newest picture of a camera that a pipeline looks at, from its first one; undefined without one. */
  footageSeconds(camera: string): Promise<number | undefined>;
  /** home, away, night, … */
  currentMode(): Promise<string>;
  jobs(): Promise<readonly Job[]>;
  /** Of the one conversation, so far. */
  transcript(): Promise<readonly TranscriptEntry[]>;
  /** Lines of the Markdown files that memory is kept in. */
  notes(): Promise<readonly string[]>;
  /** May be called twice. */
  stop(): Promise<void>;
}
