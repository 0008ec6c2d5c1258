// /inference_pipelines/… → the stream manager and its pipelines
import { randomUUID } from "node:crypto";
import type { Json } from "@vision-agent/protocol";
import { type FakeAnswer, FakeRefusal, failure, ok, type Request } from "./answer.ts";
import {
  dictionary,
  type FieldCheck,
  type FieldChecks,
  flag,
  integer,
  isObject,
  type JsonMap,
  list,
  literal,
  number,
  object,
  optional,
  problem,
  takeBody,
  text,
} from "./check-body.ts";
import type { FakePipelineView } from "./fake-server.ts";
import { SimulatedPipeline } from "./hosted-pipeline.ts";
import { LoadedModels } from "./loaded-models.ts";
import { toReport } from "./pipeline-report.ts";
import { isBefore18 } from "./settings.ts";
import type { RunnerWorkflow } from "./workflow-runner.ts";
import { openSpec, specOf, without } from "./workflows.ts";
import type { World } from "./world.ts";

export const WORKFLOW_CONFIGURATION: FieldChecks = {
  "type!": literal("WorkflowConfiguration"),
  workflow_specification: optional(dictionary),
  workspace_name: optional(text),
  workflow_id: optional(text),
  image_input_name: text,
  workflows_parameters: optional(dictionary),
  disable_sinks: flag,
};
const FILLING = ["WAIT", "DROP_OLDEST", "ADAPTIVE_DROP_OLDEST", "DROP_LATEST", "ADAPTIVE_DROP_LATEST"];

/** A racing call is held so long before it hears that the pipeline is not running. */
const RACE_MS = 1000;
/** So long after the sweep a call still races it. */
const DYING_MS = 500;

/** The single-threaded process that keeps all pipelines. */
export class StreamManager {
  readonly #world: World;
  readonly #pipelines = new Map<string, SimulatedPipeline>();
  readonly #phantoms = new Map<string, Json>();
  readonly #dying = new Map<string, number>();
  #wedged = false;

  constructor(world: World) {
    // A pipeline is a process of its own: its models are not those of the server.
    this.#world = { ...world, models: new LoadedModels(world.settings) };
  }

  get views(): readonly FakePipelineView[] {
    const alive = [...this.#pipelines.values()].map((pipeline) => ({
      id: pipeline.id,
      state: pipeline.state,
      sources: pipeline.sources.map((source) => source.reference),
      phantom: false,
      request: pipeline.request,
    }));
    const phantoms = [...this.#phantoms].map(([id, request]) => ({
      id,
      request,
      state: "NOT_STARTED",
      sources: [],
      phantom: true,
    }));
    return [...alive, ...phantoms];
  }

  wedge(): void {
    this.#wedged = true;
  }

  async initialise(request: Request): Promise<FakeAnswer> {
    const body = takeBody(request, initialiseFields(this.#world));
    await this.#passWedge();
    if (
      this.#pipelines.size + this.#phantoms.size >= this.#world.settings.maxPipelines &&
      !isBefore18(this.#world.settings)
    ) {
      return managerError(500, "InternalError", "internal_error", "N/A");
    }
    const id = randomUUID();
    const workflow = await this.#open(id, body);
    const onGone = () => {
      this.#pipelines.delete(id);
      this.#dying.set(id, this.#world.time.now());
    };
    const onStuck = () => this.wedge();
    this.#pipelines.set(
      id,
      new SimulatedPipeline({ id, world: this.#world, workflow, request: body, onGone, onStuck }),
    );
    return success(id);
  }

  async list(): Promise<FakeAnswer> {
    await this.#passWedge();
    return success(null, { pipelines: [...this.#pipelines.keys(), ...this.#phantoms.keys()] });
  }

  async status(id: string): Promise<FakeAnswer> {
    const pipeline = await this.#find(id);
    return success(id, { report: toReport(pipeline, this.#world.settings, this.#world.time.now()) });
  }

  async pause(id: string): Promise<FakeAnswer> {
    const pipeline = await this.#find(id);
    return pipeline?.mute() ? success(id) : operationError();
  }

  async resume(id: string): Promise<FakeAnswer> {
    const pipeline = await this.#find(id);
    return pipeline?.unmute() ? success(id) : operationError();
  }

  async terminate(id: string): Promise<FakeAnswer> {
    await this.#passWedge();
    if (this.#phantoms.delete(id)) return success(id);
    const pipeline = this.#pipelines.get(id);
    if (pipeline === undefined) return managerError(400, "InvalidPayload", "invalid_payload", "N/A");
    pipeline.terminate();
    await this.#passWedge();
    this.#dying.delete(id);
    return success(id);
  }

  async consume(id: string, request: Request): Promise<FakeAnswer> {
    const fields = { excluded_fields: optional(list(text)) };
    const body = request.raw.length === 0 ? {} : takeBody(asJson(request), fields);
    const pipeline = await this.#find(id);
    const result = pipeline?.consume() ?? { outputs: [], frames: [] };
    if (isBefore18(this.#world.settings) && result.outputs.includes(null)) {
      return managerError(500, "InternalError", "internal_error", UNKNOWN_ERROR);
    }
    const excluded = Array.isArray(body.excluded_fields) ? body.excluded_fields : [];
    const outputs = result.outputs.map((output) => output && without(output, excluded));
    return success(id, { outputs, frames_metadata: [...result.frames] });
  }

  end(): void {
    for (const pipeline of [...this.#pipelines.values()]) pipeline.end();
  }

  /** A failed check leaves the id behind, and the answer does not name it. */
  async #open(id: string, body: JsonMap): Promise<RunnerWorkflow> {
    try {
      const spec = specOf(this.#world, body.processing_configuration as JsonMap);
      if (spec !== undefined) return await openSpec(this.#world, spec);
    } catch (error) {
      this.#phantoms.set(id, body);
      if (!(error instanceof FakeRefusal)) throw error;
      if (isPayloadFault(error)) return refuse(managerError(400, "InvalidPayload", "invalid_payload", "N/A"));
    }
    this.#phantoms.set(id, body);
    return refuse(managerError(500, "InternalError", "internal_error", UNKNOWN_ERROR));
  }

  /** The pipeline, `undefined` for a phantom; 404 for any other id. */
  async #find(id: string): Promise<SimulatedPipeline | undefined> {
    await this.#passWedge();
    const pipeline = this.#pipelines.get(id);
    if (pipeline !== undefined) return pipeline;
    if (this.#phantoms.has(id)) return undefined;
    const ended = this.#dying.get(id);
    this.#dying.delete(id);
    if (ended !== undefined && this.#world.time.now() - ended < DYING_MS) {
      if (isBefore18(this.#world.settings)) this.#wedged = true;
      await this.#passWedge();
      await this.#world.time.sleep(RACE_MS);
      throw new FakeRefusal(notFound(`InferencePipeline with id=${id} is not running.`));
    }
    throw new FakeRefusal(notFound(`Could not find InferencePipeline with id=${id}.`));
  }

  async #passWedge(): Promise<void> {
    if (!this.#wedged) return;
    await this.#world.time.sleep(this.#world.settings.managerTimeoutMs);
    const message = "Could not establish communication with InferencePipeline Manager";
    throw new FakeRefusal(failure(500, message, { error_type: "ConnectivityError", inner_error_type: "TimeoutError" }));
  }
}

const UNKNOWN_ERROR =
  "Unknown internal error. Raise this issue providing as much of a context as possible: https://github.com/roboflow/inference/issues";

function initialiseFields(world: World): FieldChecks {
  const video: FieldChecks = {
    "type!": literal("VideoConfiguration"),
    "video_reference!": isBefore18(world.settings) ? () => [] : videoReference,
    max_fps: optional(number),
    source_buffer_filling_strategy: optional(literal(...FILLING)),
    source_buffer_consumption_strategy: optional(literal("LAZY", "EAGER")),
    video_source_properties: optional(dictionary),
    batch_collection_timeout: optional(number),
  };
  return {
    api_key: optional(text),
    "video_configuration!": object(video),
    "processing_configuration!": object(WORKFLOW_CONFIGURATION),
    sink_configuration: object({ "type!": literal("MemorySinkConfiguration"), results_buffer_size: integer }),
    consumption_timeout: optional(number),
    predictions_queue_size: integer,
    decoding_buffer_size: integer,
  };
}

const videoReference: FieldCheck = (value, place) => {
  const references = Array.isArray(value) ? value : [value];
  const wrong = references.find(
    (item) => !Number.isInteger(item) && !/^([a-z][a-z0-9+.-]*:\/\/|\/|\.\/)/i.test(String(item)),
  );
  if (wrong === undefined) return [];
  const message =
    "Value error, Stream requests require a camera index, supported URL, or an absolute/explicit relative file path (for example ./video.mp4).";
  return [
    {
      ...problem("value_error", place, `${message} Bare identifiers and raw GStreamer syntax are disabled.`, value),
      ctx: { error: {} },
    },
  ];
};

function refuse(answer: FakeAnswer): never {
  throw new FakeRefusal(answer);
}

function success(id: string | null, more: JsonMap = {}): FakeAnswer {
  return ok({ status: "success", context: { request_id: randomUUID(), pipeline_id: id }, ...more });
}

function managerError(status: number, name: string, type: string, details: string): FakeAnswer {
  const message = `Error with command handling raised by InferencePipeline Manager. Error type: ${type}. Details: ${details}`;
  return failure(status, message, { error_type: `ProcessesManager${name}`, inner_error_type: null });
}

function notFound(details: string): FakeAnswer {
  return managerError(404, "NotFoundError", "not_found", details);
}

function operationError(): FakeAnswer {
  const details = "Cannot get pipeline status in the current state of InferencePipeline.";
  return managerError(500, "OperationError", "operation_error", details);
}

/** A step of unknown type or a saved workflow that is not there; every other fault of a workflow is an internal error. */
function isPayloadFault(error: FakeRefusal): boolean {
  const body = error.answer.body;
  if (body instanceof Uint8Array || !isObject(body)) return false;
  return body.error_type === undefined || body.error_type === "WorkflowSyntaxError";
}

/** The body of a GET counts as JSON whatever its content type says. */
function asJson(request: Request): Request {
  return { ...request, headers: { ...request.headers, "content-type": "application/json" } };
}
