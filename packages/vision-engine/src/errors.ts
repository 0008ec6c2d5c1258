import type { ProbeFailure, WorkflowProblem } from "@vision-agent/protocol";

/** `workflow` the spec is wrong · `source` it does not open · `model` it cannot be had · `input` a bad option · `internal` our fault. */
export type EngineErrorKind = "workflow" | "source" | "model" | "input" | "internal";

/** What an `EngineError` tells. */
export interface EngineErrorOptions {
  readonly kind: EngineErrorKind;
  /** One sentence for people that says what to do. */
  readonly message: string;
  /** For kind `source`: why. */
  readonly reason?: ProbeFailure;
  /** For kind `workflow`: everything wrong, not only the first. */
  readonly problems?: readonly WorkflowProblem[];
  readonly cause?: unknown;
}

/** The one error class of this package. */
export class EngineError extends Error {
  readonly kind: EngineErrorKind;
  readonly reason: ProbeFailure | undefined;
  readonly problems: readonly WorkflowProblem[];

  constructor(options: EngineErrorOptions) {
    super(options.message, { cause: options.cause });
    this.name = "EngineError";
    this.kind = options.kind;
    this.reason = options.reason;
    this.problems = options.problems ?? [];
  }
}
