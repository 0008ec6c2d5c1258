// address, key, clock → one client for one server
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { parseAnswer } from "../wire/parse-answer.ts";
import { createCapabilityProbe, explainMissingRoutes } from "./capability-probe.ts";
import { createFoundationCalls } from "./foundation-requests.ts";
import { createInferCalls } from "./infer-calls.ts";
import type { CallOptions, ClientOptions, InferenceClient, Timeouts } from "./inference-client.ts";
import { createModelCalls, createWarmModels } from "./model-calls.ts";
import { createPipelineCalls, createWebRtcCalls } from "./pipeline-calls.ts";
import { parseServerAddress } from "./server-address.ts";
import { createTransport, type Transport } from "./transport.ts";
import { createWorkflowCalls } from "./workflow-calls.ts";

const TIMEOUTS: Timeouts = {
  infoMs: 3_000,
  inferMs: 30_000,
  modelLoadMs: 300_000,
  pipelineMs: 15_000,
  describeMs: 60_000,
  webrtcMs: 180_000,
};

const statusSchema = z.object({ status: z.string(), reason: z.string().optional() });

/** Throws `invalid` for an address that is none; nothing is sent yet. */
export function createInferenceClient(options: ClientOptions): InferenceClient {
  const address = parseServerAddress(options.url);
  const maxConcurrent = options.maxConcurrent ?? 2;
  if (!Number.isInteger(maxConcurrent) || maxConcurrent < 1) {
    throw new ClientError({ kind: "invalid", message: `maxConcurrent is ${maxConcurrent}; it must be 1 or more.` });
  }
  const bare = createTransport({
    address,
    apiKey: options.apiKey ?? address.apiKey,
    keyTransport: options.keyTransport ?? "both",
    clock: options.clock,
    random: options.random ?? Math.random,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    maxConcurrent,
  });
  const probe = createCapabilityProbe(bare);
  const transport = explainMissingRoutes(bare, probe);
  const warm = createWarmModels();
  const models = createModelCalls(transport, warm);
  const { isHosted } = address;
  return {
    url: address.url,
    ...probe,
    ...createHealthCalls(transport),
    ...createInferCalls({ transport, warm, registry: models, isHosted, downsize: options.downsize }),
    models,
    foundation: createFoundationCalls(transport, warm),
    workflows: createWorkflowCalls(transport, warm),
    pipelines: createPipelineCalls(transport),
    webrtc: createWebRtcCalls(transport),
    close: () => transport.close(),
  };
}

/** Not repeated: who asks wants to know how it is now. */
function createHealthCalls(transport: Transport): Pick<InferenceClient, "health" | "readiness"> {
  const ask = async (path: string, options?: CallOptions) => {
    const call = { method: "GET", path, key: "none", timeout: "infoMs", repeat: "never" } as const;
    const { status, json } = await transport.send(call, options, [503]);
    return { isWell: status !== 503, ...parseAnswer(statusSchema, json, `GET ${path}`) };
  };
  return {
    async health(options) {
      const { isWell, status, reason } = await ask("/healthz", options);
      return isWell ? { healthy: true } : { healthy: false, reason: reason ?? status };
    },
    readiness: async (options) => (await ask("/readiness", options)).isWell,
  };
}
