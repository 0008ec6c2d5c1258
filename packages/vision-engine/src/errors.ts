import type { ProbeFailure, WorkflowProblem } from "@vision-agent/protocol";

/** `workflow` the spec is wrong · `source` it does not open · `model` it cannot be had · `input` a bad value · `internal` our fault. */
export type EngineErrorKind = "workflow" | "source" | "model" | "input" | "internal";

/** Which step and property an error is about, as a Roboflow server tells it. */
export interface BlockErrorDetail {
  /** Name of the step; `$outputs` and `$inputs` for those sections. */
  readonly step: string;
  readonly blockType?: string;
  readonly property?: string;
  readonly message: string;
}

/** What an `EngineError` tells. */
export interface EngineErrorOptions {
  readonly kind: EngineErrorKind;
  /** One sentence for people that says what to do. */
  readonly message: string;
  /** Name of the error on a Roboflow server: `WorkflowSyntaxError`, `OperationError`, `ValueError`, … Default for kind `input`: `ValueError`. */
  readonly type?: string;
  /** Where it happened, as a Roboflow server says it: `workflow_execution | step_execution`. */
  readonly context?: string;
  readonly blocks?: readonly BlockErrorDetail[];
  /** For kind `source`: why. */
  readonly reason?: ProbeFailure;
  /** For kind `workflow`: everything wrong, not only the first. */
  readonly problems?: readonly WorkflowProblem[];
  readonly cause?: unknown;
}

/** The one error class of this package. */
export class EngineError extends Error {
  readonly kind: EngineErrorKind;
  readonly type: string | undefined;
  readonly context: string | undefined;
  readonly blocks: readonly BlockErrorDetail[];
  readonly reason: ProbeFailure | undefined;
  readonly problems: readonly WorkflowProblem[];

  constructor(options: EngineErrorOptions) {
    super(options.message, { cause: options.cause });
    this.name = "EngineError";
    this.kind = options.kind;
    this.type = options.type ?? (options.kind === "input" ? "ValueError" : undefined);
    this.context = options.context;
    this.blocks = options.blocks ?? [];
    this.reason = options.reason;
    this.problems = options.problems ?? [];
  }
}

/** A model that cannot be had or does not fit; the message says what to do. */
export function modelError(message: string, cause?: unknown): EngineError {
  return new EngineError({ kind: "model", message, cause });
}

/** A source that does not open, or is lost. */
export function sourceError(reason: ProbeFailure, message: string, cause?: unknown): EngineError {
  return new EngineError({ kind: "source", reason, message, cause });
}

/** A value that a block or an operation cannot work with. `type` as the peer names it. */
export function inputError(message: string, type = "ValueError"): EngineError {
  return new EngineError({ kind: "input", message, type });
}
