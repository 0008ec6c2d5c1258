import type { BackendName } from "@vision-agent/protocol";
import { BackendError, type InferenceBackend } from "./backend.ts";

export interface BackendChoice {
  readonly backend: InferenceBackend;
  /** Why this one, in a sentence for people. */
  readonly reason: string;
}

/** The backend that the configuration asks for. Throws `BackendError` kind `unavailable` when it is not there. */
export function selectBackend(options: {
  /** `inference.mode` of the configuration. */
  readonly mode: BackendName;
  readonly backends: { readonly [name in BackendName]?: InferenceBackend };
}): BackendChoice {
  const { mode, backends } = options;
  const backend = backends[mode];
  if (backend) {
    const where = mode === "direct" ? "on this machine" : "on an Inference server";
    return { backend, reason: `Pipelines run ${where} because inference.mode is ${mode}.` };
  }
  throw new BackendError({
    kind: "unavailable",
    message: `The ${mode} backend is not available yet: set inference.mode to direct.`,
  });
}
