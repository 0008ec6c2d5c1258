// what a server or a camera said → a BackendError, once
import { ClientError, type ClientErrorKind } from "@vision-agent/inference-client";
import type { WorkflowProblem } from "@vision-agent/protocol";
import { EngineError } from "@vision-agent/vision-engine";
import { reasonOf } from "../workspace/kinded-error.ts";
import { BackendError, type BackendErrorKind } from "./backend.ts";

const KINDS: Readonly<Record<ClientErrorKind, BackendErrorKind>> = {
  auth: "unavailable",
  quota: "unavailable",
  not_found: "not_found",
  unsupported: "unavailable",
  invalid: "invalid_workflow",
  timeout: "unavailable",
  cancelled: "cancelled",
  network: "unavailable",
  busy: "unavailable",
  server: "internal",
  protocol: "unavailable",
};

/** Keeps the sentence. What is a `BackendError` already passes through; a fired signal makes everything `cancelled`. */
export function toServerBackendError(thrown: unknown, signal?: AbortSignal): BackendError {
  if (thrown instanceof BackendError) return thrown;
  if (signal?.aborted) return new BackendError({ kind: "cancelled", message: "It was cancelled.", cause: thrown });
  if (thrown instanceof ClientError) return fromClient(thrown);
  const message = reasonOf(thrown);
  // On this side the engine opens sources and nothing else.
  const kind = thrown instanceof EngineError ? "source" : "internal";
  return new BackendError({ kind, message, cause: thrown });
}

/** What a call throws becomes a `BackendError`. */
export async function speakingBackendError<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (error) {
    throw toServerBackendError(error, signal);
  }
}

function fromClient(error: ClientError): BackendError {
  const kind = isModelFailure(error) ? "model" : KINDS[error.kind];
  const problems = kind === "invalid_workflow" ? problemsOf(error) : [];
  return new BackendError({ kind, message: error.message, problems, cause: error });
}

/** Servers report a model that cannot be loaded as a crash of its step. */
function isModelFailure({ kind, blocks }: ClientError): boolean {
  return kind === "server" && blocks.some(({ blockType }) => /model/i.test(blockType ?? ""));
}

function problemsOf({ blocks, message }: ClientError): readonly WorkflowProblem[] {
  if (blocks.length === 0) return [{ step: null, property: null, message }];
  return blocks.map((block) => ({ step: block.step, property: block.property, message: block.message ?? message }));
}
