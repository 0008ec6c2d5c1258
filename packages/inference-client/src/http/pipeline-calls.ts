// pipelines that run on the server: start, look, stop, take results

import { z } from "zod";
import { ClientError } from "../errors.ts";
import { parseAnswer } from "../wire/parse-answer.ts";
import {
  type ConsumedResult,
  type PipelineReport,
  parseConsumed,
  parsePipelineId,
  parsePipelineList,
  parsePipelineReport,
  type SourceState,
} from "../wire/pipeline-answers.ts";
import { toWorkflowConfiguration, type WorkflowSetup } from "../wire/workflow-request.ts";
import type { CallOptions, SendOptions, Transport, WireCall } from "./transport.ts";

export type BufferFilling = "WAIT" | "DROP_OLDEST" | "ADAPTIVE_DROP_OLDEST" | "DROP_LATEST" | "ADAPTIVE_DROP_LATEST";

export interface PipelineStart extends WorkflowSetup {
  /** A URL, an absolute path on the server or a camera number; several make one pipeline. */
  readonly source: string | number | readonly (string | number)[];
  readonly maxFps?: number;
  /** The server's default is DROP_OLDEST: files need WAIT. */
  readonly filling?: BufferFilling;
  /** The server's default is EAGER: files need LAZY. */
  readonly consumption?: "LAZY" | "EAGER";
  /** The server's default is 64, which loses the end of a file: files need 1. */
  readonly decodingBufferSize?: number;
  /** Results kept for `consume`, oldest dropped. The server's default is 64. */
  readonly resultsBufferSize?: number;
  /** Seconds without a non-empty `consume` after which the server ends the pipeline; keep it at 10 or more. */
  readonly consumptionTimeoutS?: number;
}

export interface ConsumeOptions extends CallOptions {
  readonly excludedFields?: readonly string[];
}

/** An unknown id is a `ClientError` of kind `not_found` in every call. */
export interface PipelineCalls {
  /** Resolves with the server's id. Success only means that a process was started. */
  initialise(start: PipelineStart, options?: CallOptions): Promise<string>;
  list(options?: CallOptions): Promise<readonly string[]>;
  status(pipelineId: string, options?: CallOptions): Promise<PipelineReport>;
  /** Pausing what is paused is no error. */
  pause(pipelineId: string, options?: CallOptions): Promise<void>;
  /** Resuming what runs is no error. */
  resume(pipelineId: string, options?: CallOptions): Promise<void>;
  terminate(pipelineId: string, options?: CallOptions): Promise<void>;
  /** Takes the oldest result; undefined when none is ready. */
  consume(pipelineId: string, options?: ConsumeOptions): Promise<ConsumedResult | undefined>;
}

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
    },
    processing_configuration: toWorkflowConfiguration(start),
    ...(resultsBufferSize !== undefined && {
      sink_configuration: { type: "MemorySinkConfiguration", results_buffer_size: resultsBufferSize },
    }),
    consumption_timeout: start.consumptionTimeoutS,
    decoding_buffer_size: start.decodingBufferSize,
  };
}

export interface IceServer {
  readonly urls: string | readonly string[];
  readonly username?: string;
  readonly credential?: string;
}

export interface WebRtcStart extends WorkflowSetup {
  /** With all candidates in it: the server takes no later ones. */
  readonly offerSdp: string;
  readonly iceServers?: readonly IceServer[];
  /** True: late frames are dropped; false: every frame is seen. The server's default is true. */
  readonly realtime?: boolean;
  /** `[]` for no video back; undefined lets the server choose. */
  readonly streamOutput?: readonly string[];
  /** `[]` for metadata only, `["*"]` for all but pictures. */
  readonly dataOutput?: readonly string[];
  readonly declaredFps?: number;
  readonly rtspUrl?: string;
  readonly mjpegUrl?: string;
  /** Null: no limit. The server's own default is an hour. */
  readonly processingTimeoutS: number | null;
}

export interface WebRtcCalls {
  initialise(start: WebRtcStart, options?: CallOptions): Promise<{ readonly sdp: string; readonly type: "answer" }>;
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
  };
}
