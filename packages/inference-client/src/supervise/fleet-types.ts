import type { InferenceClient } from "../http/inference-client.ts";

/** One server as the configuration names it. */
export interface FleetServer {
  /** Unique in the fleet. */
  readonly label: string;
  readonly client: InferenceClient;
}

/** What a server is wanted for. */
export type FleetPurpose = "run" | "pipeline" | "webrtc";

/** What is known of one server. */
export interface ServerReport {
  readonly label: string;
  /** Without credentials. */
  readonly url: string;
  /** It answers and calls itself healthy. */
  readonly healthy: boolean;
  readonly version: string | undefined;
  /** How its version differs from those this client was measured with, in one sentence; undefined when it does not. */
  readonly skew: string | undefined;
  /** Of `/info`. */
  readonly latencyMs: number | undefined;
  /** Hosted pipelines, ours and others'; undefined when the server cannot tell. */
  readonly pipelines: number | undefined;
  /** False when hosted pipelines are switched off or their manager does not answer; a full server still says true. */
  readonly takesPipelines: boolean;
  /** The most it takes. */
  readonly pipelineLimit: number;
  /** Why it is not healthy, or why it takes no pipelines, in one sentence. */
  readonly reason: string | undefined;
  /** Milliseconds since 1970. */
  readonly checkedAt: number;
}

export interface ChosenServer {
  readonly label: string;
  readonly client: InferenceClient;
  /** Why this one, in one sentence. */
  readonly reason: string;
}

/** A list of servers of which the best is taken for each piece of work. */
export interface ServerFleet {
  readonly labels: readonly string[];
  /** Hosted pipelines that one server takes. */
  readonly pipelineLimit: number;
  /** Undefined when the fleet has no such label. */
  client(label: string): InferenceClient | undefined;
  /**
   * The healthiest, then least loaded server that is not to be avoided.
   * Throws `ClientError` of kind `network` that names every server and why not, `cancelled` when the signal fires.
   */
  choose(
    wanted: { readonly for: FleetPurpose; readonly avoid?: ReadonlySet<string> },
    signal?: AbortSignal,
  ): Promise<ChosenServer>;
  /** A call to this server failed in a way that speaks against the server; it is left alone for a while, then checked. */
  noteFailure(label: string, reason: string): void;
  /** Every server, checked where the last check is old. Never throws for a server that is ill. */
  report(signal?: AbortSignal): Promise<readonly ServerReport[]>;
  /** Work that must not overlap with the same work on this server, one after the other. */
  inTurn<T>(label: string, work: () => Promise<T>): Promise<T>;
  /** Ends checks under way. The clients belong to the caller. Twice is fine. */
  close(): void;
}
