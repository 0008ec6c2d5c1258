// requests → Inference servers over HTTP → results
import type { Clock } from "@vision-agent/agent-core";
import {
  ClientError,
  fingerprintOf,
  type HostedResult,
  type LedgerEntry,
  type PipelineLedger,
  type PipelineStart,
  type ServerFleet,
  SupervisedPipeline,
  type SuperviseOptions,
} from "@vision-agent/inference-client";
import type { ProbeResult } from "@vision-agent/protocol";
import type { AllowedStream, Egress } from "../egress/open-egress.ts";
import { admitCamera } from "./admit-to-server.ts";
import {
  BackendError,
  type InferenceBackend,
  type PipelineRequest,
  type RunningPipeline,
  withErrors,
} from "./backend.ts";
import { toServerBackendError } from "./client-errors.ts";
import type { ResizePicture } from "./live-pictures.ts";
import { createCaptureTimes, ServerFeed, toPipelineFigures } from "./server-feed.ts";
import { createServerRuns } from "./server-runs.ts";
import {
  isOnThisMachine,
  type ServerSource,
  type ServerWorkflow,
  toServerSource,
  toServerWorkflow,
} from "./server-source.ts";
import type { Capture } from "./still-picture.ts";

export interface HttpBackendOptions {
  readonly fleet: ServerFleet;
  /** Remembers which of our pipelines runs where. */
  readonly ledger: PipelineLedger;
  /** Takes one picture of a camera on this machine. */
  readonly capture: Capture;
  readonly resize: ResizePicture;
  readonly clock: Clock;
  /** Says of which cameras pictures may go to which server. */
  readonly egress: Pick<Egress, "admit" | "admitStream">;
  /** Whether parts of a camera's picture may not be seen. Default: none has such. */
  readonly isMasked?: (request: Pick<PipelineRequest, "sourceId" | "address">) => boolean;
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
        if (options.isMasked?.(request)) throw maskedRefusal(request.sourceId);
        const source = toServerSource(request.address, onThisMachine);
        const allowed = await admitCamera(request, fleet, options.egress);
        const pipeline = await openHostedPipeline(request, { ...source, allowed }, parts);
        return withErrors(pipeline, toServerBackendError);
      } catch (error) {
        throw toServerBackendError(error);
      }
    },
  };
}

function maskedRefusal(camera: string): BackendError {
  const message = `${camera} has privacy masks, and with the http backend the server would read the camera itself, without them. Use the webrtc backend, which sends masked pictures from here, or direct.`;
  return new BackendError({ kind: "source", message });
}

function throwing(probe: NonNullable<HttpBackendOptions["probe"]>) {
  return async (address: string, signal: AbortSignal): Promise<void> => {
    const found = await probe(address, signal);
    if (!found.ok) throw new BackendError({ kind: "source", message: found.message });
  };
}

interface HostedPipelineParts extends Omit<HttpBackendOptions, "capture" | "probe" | "egress" | "isMasked"> {
  /** Looks at the source before the server does; throws a sentence for people. */
  readonly probe?: (address: string, signal: AbortSignal) => Promise<void>;
}

/** Resolves when a server took it. Throws `ClientError`, and nothing runs then. */
async function openHostedPipeline(
  request: PipelineRequest,
  source: ServerSource & { readonly allowed: readonly AllowedStream[] },
  parts: HostedPipelineParts,
): Promise<RunningPipeline> {
  const { clock, resize, probe } = parts;
  const { pipelineId } = request;
  const { isFile } = source;
  const workflow = toServerWorkflow(request.spec);
  const start = toStart(request, workflow, source);
  const adopt = await findRunning({ pipelineId, start, isFile }, parts);
  const takenAt = createCaptureTimes({ isFile, now: clock.now });
  const feed = new ServerFeed({
    sourceId: request.sourceId,
    outputs: workflow.outputs,
    resize,
    sleep: clock.sleep,
    monotonic: clock.monotonic,
    isLive: () => ["starting", "running"].includes(hosted.figures().state),
    onResult: request.onResult,
  });
  const take = (result: HostedResult): void => {
    const takenAtMs = takenAt(result.timestampMs);
    const { latencyMs = clock.now() - takenAtMs, source: size, totalFrames } = hosted.figures();
    feed.take({
      frameNumber: result.frameNumber,
      takenAtMs,
      latencyMs: Math.max(0, latencyMs),
      size,
      fps: size?.fps ?? 0,
      ...(isFile && { file: { totalFrames } }),
      outputs: result.outputs,
    });
  };
  const hosted = new SupervisedPipeline({
    pipelineId,
    fleet: parts.fleet,
    ledger: parts.ledger,
    clock,
    isFile,
    start,
    ...(adopt && { adopt }),
    ...(probe && { probe: async (signal) => void (await probe(request.address, signal)) }),
    wantsImages: () => feed.wanted(),
    onResult: take,
    onState: request.onState,
  });
  await untilTaken(hosted);
  return toServed(hosted, feed);
}

function toStart(
  { parameters, maxFps }: PipelineRequest,
  { spec, imageInput }: ServerWorkflow,
  { reference }: ServerSource,
): PipelineStart {
  return {
    workflow: { specification: spec },
    imageInput,
    source: reference,
    ...(parameters && { parameters }),
    maxFps,
  };
}

/** What our last life left running is gone on with, so that its counters go on, too. */
async function findRunning(
  { pipelineId, start, isFile }: Pick<SuperviseOptions, "pipelineId" | "start" | "isFile">,
  { fleet, ledger }: HostedPipelineParts,
): Promise<LedgerEntry | undefined> {
  const fingerprint = fingerprintOf(start, isFile);
  const entry = (await ledger.load()).findLast(
    (one) => one.pipelineId === pipelineId && one.fingerprint === fingerprint && one.state === "running",
  );
  const client = entry && fleet.client(entry.server);
  if (!entry || !client) return undefined;
  try {
    const ids = await client.pipelines.list();
    return ids.includes(entry.serverId) ? entry : undefined;
  } catch (error) {
    // A server that does not answer is left to its own timeout; the fleet chooses another.
    if (error instanceof ClientError) return undefined;
    throw error;
  }
}

async function untilTaken(hosted: SupervisedPipeline): Promise<void> {
  try {
    await hosted.started;
  } catch (error) {
    // The caller tries again by its own plan; why it did not start matters more than how the end of it went.
    await hosted.stop().catch(() => undefined);
    throw error;
  }
}

function toServed(hosted: SupervisedPipeline, feed: ServerFeed): RunningPipeline {
  void hosted.ended.then(() => feed.close());
  return {
    figures: () => toPipelineFigures(hosted.figures()),
    server: () => hosted.figures().server,
    results: (last) => feed.latest(last),
    picture: (request) => feed.picture(request),
    view: (onFrame) => feed.view(onFrame),
    pause: () => hosted.pause(),
    resume: () => hosted.resume(),
    stop: () => hosted.stop(),
  };
}
