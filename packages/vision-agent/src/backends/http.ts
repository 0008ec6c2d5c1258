// requests → Inference servers over HTTP → results
import type { Clock } from "@vision-agent/agent-core";
import type { PipelineLedger, ServerFleet } from "@vision-agent/inference-client";
import type { ProbeResult } from "@vision-agent/protocol";
import { BackendError, type InferenceBackend, withErrors } from "./backend.ts";
import { toServerBackendError } from "./client-errors.ts";
import { openHostedPipeline } from "./http-pipeline.ts";
import type { ResizePicture } from "./live-pictures.ts";
import { createServerRuns } from "./server-runs.ts";
import { isOnThisMachine, toServerSource } from "./server-source.ts";
import type { Capture } from "./still-picture.ts";

export interface HttpBackendOptions {
  readonly fleet: ServerFleet;
  /** Remembers which of our pipelines runs where. */
  readonly ledger: PipelineLedger;
  /** Takes one picture of a camera on this machine. */
  readonly capture: Capture;
  readonly resize: ResizePicture;
  readonly clock: Clock;
  /** Tries a camera from here. Used only where the servers are on this machine: others reach other cameras. */
  readonly probe?: (address: string, signal: AbortSignal) => Promise<ProbeResult>;
}

/** Runs workflows on Inference servers, which read the cameras themselves; files are files of the server's disk. */
export function createHttpBackend(options: HttpBackendOptions): InferenceBackend {
  const { fleet, probe } = options;
  const onThisMachine = fleet.labels.every((label) => isOnThisMachine(fleet.client(label)?.url ?? ""));
  const parts = { ...options, probe: onThisMachine && probe ? throwing(probe) : undefined };
  return {
    name: "http",
    ...createServerRuns(options),
    async open(request) {
      try {
        const pipeline = await openHostedPipeline(request, toServerSource(request.address, onThisMachine), parts);
        return withErrors(pipeline, toServerBackendError);
      } catch (error) {
        throw toServerBackendError(error);
      }
    },
  };
}

function throwing(probe: NonNullable<HttpBackendOptions["probe"]>) {
  return async (address: string, signal: AbortSignal): Promise<void> => {
    const found = await probe(address, signal);
    if (!found.ok) throw new BackendError({ kind: "source", message: found.message });
  };
}
