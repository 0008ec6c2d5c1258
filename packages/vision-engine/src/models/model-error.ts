import { EngineError } from "../errors.ts";

/** A model cannot be had or does not fit; the message says what to do. */
export function modelError(message: string, cause?: unknown): EngineError {
  return new EngineError({ kind: "model", message, cause });
}
