// /workflows/… → runs, checks and descriptions of specifications
import type { Json } from "@vision-agent/protocol";
import { type FakeAnswer, FakeRefusal, type FakeRoute, failure, ok, type Request } from "./answer.ts";
import {
  anything,
  dictionary,
  type FieldChecks,
  flag,
  isObject,
  type JsonMap,
  list,
  optional,
  problem,
  takeBody,
  text,
  unprocessable,
} from "./check-body.ts";
import { describeBlocks, describeInterface, describeWorkload, partsOf } from "./describe.ts";
import { greyJpeg, type PictureSize, padJpeg } from "./picture-bytes.ts";
import { type FakeSettings, isBefore18 } from "./settings.ts";
import { toBase64 } from "./to-inference-answer.ts";
import { toRefusal } from "./workflow-errors.ts";
import type { RunnerWorkflow, WorkflowRunner } from "./workflow-runner.ts";
import type { World } from "./world.ts";

const RUN = {
  api_key: optional(text),
  "inputs!": dictionary,
  excluded_fields: optional(list(text)),
  enable_profiling: flag,
  disable_sinks: flag,
  workflow_id: optional(text),
};

export function runRoute(world: World): FakeRoute {
  return async (request) => {
    const body = takeBody(request, { "specification!": dictionary, ...RUN });
    return ok(await runOnce(world, body.specification as JsonMap, body));
  };
}

export function runSavedRoute(world: World, name: string): FakeRoute {
  return async (request) => {
    const body = takeBody(request, RUN);
    return ok(await runOnce(world, savedSpec(world, name), body));
  };
}

export function validateRoute(world: World): FakeRoute {
  return async (request) => {
    if (!isObject(request.json)) {
      return unprocessable([
        problem("dict_type", ["body"], "Input should be a valid dictionary", request.json ?? null),
      ]);
    }
    await checkSpec(world, request.json);
    return ok({ status: "ok" });
  };
}

/** A key is demanded although nothing is done with it. `saved` names a workflow the server keeps. */
export function interfaceRoute(world: World, what: "interface" | "workload", saved?: string): FakeRoute {
  return async (request) => {
    const fields: FieldChecks = saved === undefined ? { "specification!": dictionary } : {};
    const body = takeBody(request, { ...fields, api_key: optional(text) });
    if (request.key === undefined) return missingKey();
    const spec = saved === undefined ? (body.specification as JsonMap) : savedSpec(world, saved);
    await checkSpec(world, spec);
    const parts = partsOf(spec, runnerOf(world).blocks);
    return ok(what === "interface" ? describeInterface(parts) : describeWorkload(parts, engineVersion(world.settings)));
  };
}

export function versionsRoute(world: World): FakeRoute {
  return () => ok({ versions: [engineVersion(world.settings)] });
}

export function blocksRoute(world: World): FakeRoute {
  return (request: Request): FakeAnswer => {
    if (request.method === "POST" && request.raw.length > 0)
      takeBody(request, { dynamic_blocks_definitions: optional(list(anything)) });
    return { status: 200, body: describeBlocks(runnerOf(world).blocks), forgetfulGzip: true };
  };
}

/** The specification of a pipeline, a session or a saved run. `undefined` when none is given. */
export function specOf(world: World, configuration: JsonMap): JsonMap | undefined {
  if (isObject(configuration.workflow_specification)) return configuration.workflow_specification;
  const { workspace_name: workspace, workflow_id: id } = configuration;
  return typeof workspace === "string" && typeof id === "string" ? savedSpec(world, `${workspace}/${id}`) : undefined;
}

function savedSpec(world: World, name: string): JsonMap {
  const spec = world.settings.savedWorkflows[name];
  if (isObject(spec)) return spec;
  if (name.startsWith("local/")) throw new FakeRefusal(failure(500, "Internal error."));
  if (world.settings.offline) throw new FakeRefusal(failure(503, "Internal error. Could not connect to Roboflow API."));
  throw new FakeRefusal(
    failure(
      404,
      "Requested Roboflow resource not found. Make sure that workspace, project or model you referred in request exists.",
    ),
  );
}

function missingKey(): FakeAnswer {
  const help = "https://docs.roboflow.com/api-reference/authentication#retrieve-an-api-key";
  return failure(400, `Required Roboflow API key is missing. Visit ${help} to learn how to retrieve one.`);
}

/** Opens a specification with the runner that was passed in; it and its runs throw what the server would answer. */
export async function openSpec(world: World, spec: JsonMap): Promise<RunnerWorkflow> {
  const models = { take: (id: string) => world.models.takeForStep(id) };
  const workflow = await asServer(runnerOf(world).open(spec, models));
  return {
    run: async (inputs) =>
      (await asServer(workflow.run(inputs))).map((outputs) => asWritten(outputs, world.settings) as JsonMap),
    close: () => workflow.close(),
  };
}

/** A frame of a video as a workflow's input. */
export function frameInput(size: PictureSize, id: string, video: JsonMap): JsonMap {
  return { type: "base64", value: toBase64(greyJpeg(size)), parent_id: id, root_parent_id: id, video_metadata: video };
}

function engineVersion(settings: FakeSettings): string {
  return isBefore18(settings) ? "1.15.0" : "1.17.0";
}

function runnerOf({ settings }: World): WorkflowRunner {
  if (settings.workflows !== undefined) return settings.workflows;
  throw new Error("No workflow runner was passed to the fake server: give `workflows` in its options.");
}

async function checkSpec(world: World, spec: JsonMap): Promise<void> {
  const workflow = await openSpec(world, spec);
  await workflow.close();
}

async function runOnce(world: World, specification: JsonMap, body: JsonMap): Promise<Json> {
  const workflow = await openSpec(world, specification);
  try {
    const excluded = Array.isArray(body.excluded_fields) ? body.excluded_fields : [];
    const results = await workflow.run(body.inputs as JsonMap);
    return { outputs: results.map((outputs) => without(outputs, excluded)), profiler_trace: [] };
  } finally {
    await workflow.close();
  }
}

export function without(outputs: JsonMap, excluded: readonly Json[]): JsonMap {
  return Object.fromEntries(Object.entries(outputs).filter(([name]) => !excluded.includes(name)));
}

async function asServer<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toRefusal(error);
  }
}

/** Pictures padded as the options ask; before 1.8 the size of an empty picture and the length of a video are lost. */
function asWritten(value: Json, settings: FakeSettings): Json {
  if (Array.isArray(value)) return value.map((item) => asWritten(item, settings));
  if (!isObject(value)) return value;
  const isOld = isBefore18(settings);
  const entries = Object.entries(value).filter(([name]) => !isOld || name !== "total_frames");
  const written: JsonMap = Object.fromEntries(entries.map(([name, item]) => [name, asWritten(item, settings)]));
  if (value.type === "base64" && typeof value.value === "string" && settings.pictureBytes > 0) {
    written.value = toBase64(padJpeg(Buffer.from(value.value, "base64"), settings.pictureBytes));
  }
  if (isOld && Array.isArray(value.predictions) && value.predictions.length === 0 && isObject(value.image)) {
    written.image = { width: null, height: null };
  }
  return written;
}
