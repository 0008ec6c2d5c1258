// error in one thread → the same error in another
import type { ProbeFailure, WorkflowProblem } from "@vision-agent/protocol";
import { EngineError, type EngineErrorKind } from "../errors.ts";

export interface WireError {
  readonly kind: EngineErrorKind;
  readonly message: string;
  readonly reason?: ProbeFailure;
  readonly problems: readonly WorkflowProblem[];
}

export function toWireError(error: unknown): WireError {
  if (!(error instanceof EngineError)) {
    return { kind: "internal", message: error instanceof Error ? error.message : String(error), problems: [] };
  }
  const { kind, message, reason, problems } = error;
  return { kind, message, problems, reason };
}

export function toEngineError(wire: WireError): EngineError {
  return new EngineError(wire);
}
