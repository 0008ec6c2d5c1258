// address, key, clock → one client for one server
import { z } from "zod";
import type { ClientClock } from "../client-clock.ts";
import { clientError } from "../errors.ts";
import { type CapabilityProbe, createCapabilityProbe, explainMissingRoutes } from "./capability-probe.ts";
import { createFoundationCalls, type FoundationCalls } from "./foundation-calls.ts";
import { createInferCalls, type InferCalls } from "./infer-calls.ts";
import { createModelCalls, createWarmModels, type ModelCalls } from "./model-calls.ts";
import { createPipelineCalls, createWebRtcCalls, type PipelineCalls, type WebRtcCalls } from "./pipeline-calls.ts";
import { parseServerAddress } from "./server-address.ts";
import { type CallOptions, HttpTransport, type Timeouts } from "./transport.ts";
import { createWorkflowCalls, type WorkflowCalls } from "./workflow-calls.ts";

export interface ClientOptions {
  /** For example `http://127.0.0.1:9001`. Addresses of hosted servers get the older path style by themselves. */
  readonly url: string;
  readonly apiKey?: string;
  readonly clock: ClientClock;
  /** Spreads repeats; 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  /** Inferences and workflow runs at once. Default 2. */
  readonly maxConcurrent?: number;
}

const healthSchema = z
  .object({ status: z.string(), reason: z.string().optional() })
  .transform(({ status, reason = status }) => {
    // It answers and says so itself; a server that does not answer is a `ClientError`.
    return status === "healthy" ? ({ healthy: true } as const) : ({ healthy: false, reason } as const);
  });

/** One Inference server. Every call throws `ClientError` only. */
export interface InferenceClient extends CapabilityProbe, InferCalls {
  /** Without credentials, key or trailing slash. */
  readonly url: string;
  /** Not repeated: who asks wants to know how it is now. */
  health(options?: CallOptions): Promise<z.output<typeof healthSchema>>;
  readonly models: ModelCalls;
  readonly foundation: FoundationCalls;
  readonly workflows: WorkflowCalls;
  readonly pipelines: PipelineCalls;
  readonly webrtc: WebRtcCalls;
  /** Aborts what is under way. Twice is fine. */
  close(): void;
}

const TIMEOUTS: Timeouts = {
  infoMs: 3_000,
  inferMs: 30_000,
  modelLoadMs: 300_000,
  pipelineMs: 15_000,
  describeMs: 60_000,
  webrtcMs: 180_000,
};

/** Throws `invalid` for an address that is none; nothing is sent yet. */
export function createInferenceClient(options: ClientOptions): InferenceClient {
  const address = parseServerAddress(options.url);
  const maxConcurrent = options.maxConcurrent ?? 2;
  if (!Number.isInteger(maxConcurrent) || maxConcurrent < 1) {
    throw clientError("invalid", `maxConcurrent is ${maxConcurrent}; it must be 1 or more.`);
  }
  const bare = new HttpTransport({
    address,
    apiKey: options.apiKey ?? address.apiKey,
    clock: options.clock,
    random: options.random ?? Math.random,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    maxConcurrent,
  });
  const probe = createCapabilityProbe(bare);
  const transport = explainMissingRoutes(bare, probe);
  const warm = createWarmModels();
  const models = createModelCalls(transport, warm);
  const health = { method: "GET", path: "/healthz", key: "none", timeout: "infoMs", accept: 503 } as const;
  return {
    url: address.url,
    ...probe,
    health: (call) => transport.send({ ...health, answer: healthSchema }, call),
    ...createInferCalls({ transport, warm, registry: models, isHosted: address.isHosted }),
    models,
    foundation: createFoundationCalls(transport, warm),
    workflows: createWorkflowCalls(transport, warm),
    pipelines: createPipelineCalls(transport),
    webrtc: createWebRtcCalls(transport),
    close: () => transport.close(),
  };
}
