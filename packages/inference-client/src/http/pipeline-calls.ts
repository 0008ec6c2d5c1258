// pipelines that run on the server: start, look, stop, take results

import { z } from "zod";
import { ClientError } from "../errors.ts";
import { parseAnswer } from "../wire/parse-answer.ts";
import {
  parseConsumed,
  parsePipelineId,
  parsePipelineList,
  parsePipelineReport,
  type SourceState,
} from "../wire/pipeline-answers.ts";
import { toWorkflowConfiguration } from "../wire/workflow-request.ts";
import type { CallOptions, PipelineCalls, PipelineStart, WebRtcCalls, WebRtcStart } from "./inference-client.ts";
import type { SendOptions, Transport, WireCall } from "./transport.ts";

const ROOT = "/inference_pipelines";
/** What a server says when a pipeline already is in the state it was asked to go to. */
const NOT_IN_STATE = "ProcessesManagerOperationError";
const PAUSED: readonly SourceState[] = ["PAUSED", "MUTED"];
const RUNNING: readonly SourceState[] = ["RUNNING"];

export function createPipelineCalls(transport: Transport): PipelineCalls {
  const send = async (call: Pick<WireCall, "method" | "path" | "route"> & Partial<WireCall>, options?: SendOptions) => {
    const { json } = await transport.send({ key: "none", timeout: "pipelineMs", repeat: "never", ...call }, options);
    return json;
  };
  const status: PipelineCalls["status"] = async (pipelineId, options) => {
    const call = { ...pathsOf(pipelineId, "status"), method: "GET", repeat: "idempotent" } as const;
    return parsePipelineReport(await send(call, options));
  };
  /** Asking twice is answered with an error; what counts is the state afterwards. */
  const switchTo = async (verb: "pause" | "resume", pipelineId: string, options?: CallOptions): Promise<void> => {
    const within = { signal: options?.signal, deadline: transport.deadlineOf("pipelineMs", options) };
    try {
      await send({ ...pathsOf(pipelineId, verb), method: "POST" }, within);
    } catch (error) {
      if (!(error instanceof ClientError) || error.errorType !== NOT_IN_STATE) throw error;
      const wanted = verb === "pause" ? PAUSED : RUNNING;
      const { sources } = await status(pipelineId, within);
      if (sources.length === 0 || !sources.every(({ state }) => state && wanted.includes(state))) throw error;
    }
  };
  return {
    async initialise(start, options) {
      const path = `${ROOT}/initialise`;
      return parsePipelineId(
        await send({ method: "POST", path, route: path, body: startBody(start), key: "body" }, options),
      );
    },
    async list(options) {
      const path = `${ROOT}/list`;
      return parsePipelineList(await send({ method: "GET", path, route: path, repeat: "idempotent" }, options));
    },
    status,
    pause: (pipelineId, options) => switchTo("pause", pipelineId, options),
    resume: (pipelineId, options) => switchTo("resume", pipelineId, options),
    async terminate(pipelineId, options) {
      try {
        await send({ ...pathsOf(pipelineId, "terminate"), method: "POST" }, options);
      } catch (error) {
        throw error instanceof ClientError ? notFoundWhenUnknown(error, pipelineId) : error;
      }
    },
    async consume(pipelineId, { excludedFields, ...options } = {}) {
      const body = excludedFields && { excluded_fields: excludedFields };
      return parseConsumed(await send({ ...pathsOf(pipelineId, "consume"), method: "GET", body }, options));
    },
  };
}

function pathsOf(pipelineId: string, verb: string): Pick<WireCall, "path" | "route"> {
  return { path: `${ROOT}/${encodeURIComponent(pipelineId)}/${verb}`, route: `${ROOT}/{pipeline_id}/${verb}` };
}

/** Only terminate says 400 where every other call says 404. */
function notFoundWhenUnknown(error: ClientError, pipelineId: string): ClientError {
  if (error.status !== 400 || error.errorType !== "ProcessesManagerInvalidPayload") return error;
  return new ClientError({
    kind: "not_found",
    message: `The server has no pipeline ${pipelineId}.`,
    status: error.status,
    errorType: error.errorType,
  });
}

function startBody(start: PipelineStart): object {
  const { resultsBufferSize } = start;
  return {
    video_configuration: {
      type: "VideoConfiguration",
      video_reference: start.source,
      max_fps: start.maxFps,
      source_buffer_filling_strategy: start.filling,
      source_buffer_consumption_strategy: start.consumption,
      video_source_properties: start.sourceProperties,
      batch_collection_timeout: start.batchCollectionTimeoutS,
    },
    processing_configuration: toWorkflowConfiguration(start),
    ...(resultsBufferSize !== undefined && {
      sink_configuration: { type: "MemorySinkConfiguration", results_buffer_size: resultsBufferSize },
    }),
    consumption_timeout: start.consumptionTimeoutS,
    decoding_buffer_size: start.decodingBufferSize,
  };
}

const answerSchema = z.object({ sdp: z.string(), type: z.literal("answer") });
const PATH = "/initialise_webrtc_worker";

export function createWebRtcCalls(transport: Transport): WebRtcCalls {
  return {
    async initialise(start, options) {
      const call = { method: "POST", path: PATH, route: PATH, body: webRtcBody(start), key: "body" } as const;
      // Never repeated: every try starts a process that loads its own models.
      const { json } = await transport.send({ ...call, timeout: "webrtcMs", repeat: "never" }, options);
      return parseAnswer(answerSchema, json, `POST ${PATH}`);
    },
  };
}

function webRtcBody(start: WebRtcStart): object {
  return {
    workflow_configuration: toWorkflowConfiguration(start),
    webrtc_offer: { type: "offer", sdp: start.offerSdp },
    webrtc_config: start.iceServers && { iceServers: start.iceServers },
    webrtc_realtime_processing: start.realtime,
    stream_output: start.streamOutput,
    data_output: start.dataOutput,
    declared_fps: start.declaredFps,
    rtsp_url: start.rtspUrl,
    mjpeg_url: start.mjpegUrl,
    processing_timeout: start.processingTimeoutS,
    requested_plan: start.requestedPlan,
    requested_region: start.requestedRegion,
  };
}
