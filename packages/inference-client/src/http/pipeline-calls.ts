// pipelines that run on the server: start, look, stop, take results

import { z } from "zod";
import { ClientError, clientError } from "../errors.ts";
import {
  type ConsumedResult,
  consumedSchema,
  type PipelineReport,
  pipelineReportSchema,
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

const ROOT = "/inference_pipelines";
/** What a server says when a pipeline already is in the state it was asked to go to. */
const NOT_IN_STATE = "ProcessesManagerOperationError";
const PAUSED: readonly SourceState[] = ["PAUSED", "MUTED"];
const RUNNING: readonly SourceState[] = ["RUNNING"];

/** The server's id stands in the context, not at the top. */
const startedSchema = z
  .object({ context: z.object({ pipeline_id: z.string() }) })
  .transform(({ context }) => context.pipeline_id);
const listSchema = z.object({ pipelines: z.array(z.string()) }).transform(({ pipelines }) => pipelines);

export type PipelineCalls = ReturnType<typeof createPipelineCalls>;

/** An unknown id is a `ClientError` of kind `not_found` in every call. */
export function createPipelineCalls(transport: Transport) {
  const get = { method: "GET", key: "none", timeout: "pipelineMs" } as const;
  const post = { ...get, method: "POST", answer: z.unknown() } as const;
  const status = (pipelineId: string, options?: SendOptions): Promise<PipelineReport> =>
    transport.send({ ...get, ...pathsOf(pipelineId, "status"), repeats: true, answer: pipelineReportSchema }, options);
  /** Asking twice is answered with an error; what counts is the state afterwards. */
  const switchTo = async (verb: "pause" | "resume", pipelineId: string, options?: CallOptions): Promise<void> => {
    const within = { signal: options?.signal, deadline: transport.deadlineOf("pipelineMs", options) };
    try {
      await transport.send({ ...post, ...pathsOf(pipelineId, verb) }, within);
    } catch (error) {
      if (!(error instanceof ClientError) || error.errorType !== NOT_IN_STATE) throw error;
      const wanted = verb === "pause" ? PAUSED : RUNNING;
      const { sources } = await status(pipelineId, within);
      if (sources.length === 0 || !sources.every(({ state }) => state && wanted.includes(state))) throw error;
    }
  };
  return {
    /** Resolves with the server's id. Success only means that a process was started. */
    async initialise(start: PipelineStart, options?: CallOptions): Promise<string> {
      const call = { ...post, path: `${ROOT}/initialise`, route: `${ROOT}/initialise`, key: "body" } as const;
      return transport.send({ ...call, body: startBody(start), answer: startedSchema }, options);
    },
    list: (options?: CallOptions): Promise<readonly string[]> =>
      transport.send(
        { ...get, path: `${ROOT}/list`, route: `${ROOT}/list`, repeats: true, answer: listSchema },
        options,
      ),
    status: (pipelineId: string, options?: CallOptions) => status(pipelineId, options),
    /** Pausing what is paused is no error. */
    pause: (pipelineId: string, options?: CallOptions) => switchTo("pause", pipelineId, options),
    /** Resuming what runs is no error. */
    resume: (pipelineId: string, options?: CallOptions) => switchTo("resume", pipelineId, options),
    async terminate(pipelineId: string, options?: CallOptions): Promise<void> {
      try {
        await transport.send({ ...post, ...pathsOf(pipelineId, "terminate") }, options);
      } catch (error) {
        throw error instanceof ClientError ? notFoundWhenUnknown(error, pipelineId) : error;
      }
    },
    /** Takes the oldest result; undefined when none is ready. */
    async consume(
      pipelineId: string,
      { excludedFields, ...options }: ConsumeOptions = {},
    ): Promise<ConsumedResult | undefined> {
      const body = excludedFields && { excluded_fields: excludedFields };
      return transport.send({ ...get, ...pathsOf(pipelineId, "consume"), body, answer: consumedSchema }, options);
    },
  };
}

function pathsOf(pipelineId: string, verb: string): Pick<WireCall, "path" | "route"> {
  return { path: `${ROOT}/${encodeURIComponent(pipelineId)}/${verb}`, route: `${ROOT}/{pipeline_id}/${verb}` };
}

/** Only terminate says 400 where every other call says 404. */
function notFoundWhenUnknown(error: ClientError, pipelineId: string): ClientError {
  if (error.status !== 400 || error.errorType !== "ProcessesManagerInvalidPayload") return error;
  return clientError("not_found", `The server has no pipeline ${pipelineId}.`, {
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

export type WebRtcCalls = ReturnType<typeof createWebRtcCalls>;

const answerSchema = z.object({ sdp: z.string(), type: z.literal("answer") });
const PATH = "/initialise_webrtc_worker";

export function createWebRtcCalls(transport: Transport) {
  return {
    /** Never repeated: every try starts a process that loads its own models. */
    async initialise(start: WebRtcStart, options?: CallOptions): Promise<z.output<typeof answerSchema>> {
      const call = { method: "POST", path: PATH, route: PATH, key: "body", timeout: "webrtcMs" } as const;
      return transport.send({ ...call, body: webRtcBody(start), answer: answerSchema }, options);
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
