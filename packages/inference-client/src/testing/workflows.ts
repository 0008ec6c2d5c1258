// /workflows/… → runs, checks and descriptions of specifications
import type { Json } from "@vision-agent/protocol";
import { type Answer, failure, ok, Refusal, type Request, type Route } from "./answer.ts";
import {
  anything,
  dictionary,
  type Fields,
  flag,
  isObject,
  type JsonObject,
  list,
  optional,
  problem,
  takeBody,
  text,
  unprocessable,
} from "./check-body.ts";
import { referencesOf } from "./check-references.ts";
import { checkSpec, engineVersion, propertyProblems } from "./check-spec.ts";
import { describeBlocks, describeInterface, describeWorkload } from "./describe.ts";
import { decodeImage } from "./load-image.ts";
import type { PictureSize } from "./picture-bytes.ts";
import { runSpec } from "./run-spec.ts";
import type { CheckedSpec, SpecInput } from "./spec-parts.ts";
import { Picture, type Value, type VideoPlace } from "./step-values.ts";
import { INPUTS, shortError } from "./workflow-errors.ts";
import type { World } from "./world.ts";

const RUN = {
  api_key: optional(text),
  "inputs!": dictionary,
  excluded_fields: optional(list(text)),
  enable_profiling: flag,
  disable_sinks: flag,
  workflow_id: optional(text),
};

export function runRoute(world: World): Route {
  return (request) => {
    const body = takeBody(request, { "specification!": dictionary, ...RUN });
    return ok(runBatch(world, body.specification as JsonObject, body));
  };
}

export function runSavedRoute(world: World, name: string): Route {
  return (request) => {
    const body = takeBody(request, RUN);
    return ok(runBatch(world, savedSpec(world, name), body));
  };
}

export function validateRoute(world: World): Route {
  return (request) => {
    if (!isObject(request.json)) {
      return unprocessable([
        problem("dict_type", ["body"], "Input should be a valid dictionary", request.json ?? null),
      ]);
    }
    checkSpec(request.json, world.settings);
    return ok({ status: "ok" });
  };
}

/** A key is demanded although nothing is done with it. `saved` names a workflow the server keeps. */
export function interfaceRoute(world: World, what: "interface" | "workload", saved?: string): Route {
  return (request) => {
    const fields: Fields = saved === undefined ? { "specification!": dictionary } : {};
    const body = takeBody(request, { ...fields, api_key: optional(text) });
    if (request.key === undefined) return missingKey();
    const spec = saved === undefined ? (body.specification as JsonObject) : savedSpec(world, saved);
    const checked = checkSpec(spec, world.settings);
    return ok(
      what === "interface" ? describeInterface(checked) : describeWorkload(checked, engineVersion(world.settings)),
    );
  };
}

export function versionsRoute(world: World): Route {
  return () => ok({ versions: [engineVersion(world.settings)] });
}

export function blocksRoute(): Route {
  return (request: Request): Answer => {
    if (request.method === "POST" && request.raw.length > 0)
      takeBody(request, { dynamic_blocks_definitions: optional(list(anything)) });
    return { status: 200, body: describeBlocks(), forgetfulGzip: true };
  };
}

/** The specification of a pipeline, a session or a saved run. `undefined` when none is given. */
export function specOf(world: World, configuration: JsonObject): JsonObject | undefined {
  if (isObject(configuration.workflow_specification)) return configuration.workflow_specification;
  const { workspace_name: workspace, workflow_id: id } = configuration;
  return typeof workspace === "string" && typeof id === "string" ? savedSpec(world, `${workspace}/${id}`) : undefined;
}

function savedSpec(world: World, name: string): JsonObject {
  const spec = world.settings.savedWorkflows[name];
  if (isObject(spec)) return spec;
  if (name.startsWith("local/")) throw new Refusal(failure(500, "Internal error."));
  if (world.settings.offline) throw new Refusal(failure(503, "Internal error. Could not connect to Roboflow API."));
  throw new Refusal(
    failure(
      404,
      "Requested Roboflow resource not found. Make sure that workspace, project or model you referred in request exists.",
    ),
  );
}

function missingKey(): Answer {
  const help = "https://docs.roboflow.com/api-reference/authentication#retrieve-an-api-key";
  return failure(400, `Required Roboflow API key is missing. Visit ${help} to learn how to retrieve one.`);
}

function runBatch(world: World, specification: JsonObject, body: JsonObject): Json {
  const spec = checkSpec(specification, world.settings);
  const given = body.inputs as JsonObject;
  checkParameters(spec, given);
  const inputs = spec.inputs.map((input) => [input.name, assemble(input, given[input.name])] as const);
  const length = Math.max(1, ...inputs.map(([, values]) => (Array.isArray(values) ? values.length : 1)));
  const excluded = Array.isArray(body.excluded_fields) ? body.excluded_fields : [];
  const outputs = Array.from({ length }, (_, index) => {
    const own = inputs.map(([name, values]) => [
      name,
      Array.isArray(values) ? values[Math.min(index, values.length - 1)]! : values,
    ]);
    const result = runSpec({
      world,
      spec: withoutOutputs(spec, excluded),
      inputs: Object.fromEntries(own),
      memory: new Map(),
    });
    return result;
  });
  return { outputs, profiler_trace: [] };
}

function withoutOutputs(spec: CheckedSpec, excluded: readonly Json[]): CheckedSpec {
  return { ...spec, outputs: spec.outputs.filter((output) => !excluded.includes(output.name)) };
}

/** A parameter must be what the property that reads it takes. */
function checkParameters(spec: CheckedSpec, given: JsonObject): void {
  for (const step of spec.steps) {
    for (const { property, selector } of referencesOf(step)) {
      const name = selector.replace(/^\$inputs\./, "");
      const accepts = step.block.takes[`${property}!`] ?? step.block.takes[property] ?? "~";
      const value = given[name];
      if (!selector.startsWith("$inputs.") || value === undefined || !accepts.startsWith("~")) continue;
      const wrong = propertyProblems(value, accepts, false);
      if (wrong.length === 0) continue;
      const where = `step ${step.name} regarding property ${property} provided in input parameter named ${name}`;
      const message = `Provided input is incompatible with manifest of ${where}. Details available in inner error object.`;
      const inner = ["ValidationError", wrong.map(({ details }) => details).join("\n")] as const;
      throw shortError("RuntimeInputError", INPUTS, message, { inner });
    }
  }
}

/** An array means a batch of pictures. */
function assemble(input: SpecInput, given: Json | undefined): Value | readonly Value[] {
  if (!input.kinds.includes("image")) return given ?? input.defaultValue ?? null;
  if (given === undefined) {
    const message = `Detected runtime parameter \`${input.name}\` defined as \`WorkflowImage\` (of kind \`['image']\`), but value is not provided.`;
    throw shortError("RuntimeInputError", INPUTS, message);
  }
  if (!Array.isArray(given)) return assemblePicture(input.name, input.name, given);
  return given.map((item, index) => assemblePicture(input.name, `${input.name}.[${index}]`, item));
}

function assemblePicture(input: string, id: string, given: Json): Picture {
  const video = isObject(given) && isObject(given.video_metadata) ? given.video_metadata : {};
  const place: VideoPlace = {
    source: String(video.video_identifier ?? id),
    frame: Number(video.frame_number ?? 0),
    timestamp: String(video.frame_timestamp ?? new Date().toISOString().slice(0, -1)),
    fps: Number(video.fps ?? 30),
  };
  return new Picture({ size: sizeOf(input, given), id, video: place });
}

/** Whatever is wrong with the picture, the server speaks of NumPy. */
function sizeOf(input: string, given: Json): PictureSize {
  const value = isObject(given) && given.type === "base64" ? given.value : given;
  try {
    if (typeof value === "string" && !/^https?:/.test(value)) return decodeImage(value);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  const start = `Failed to assemble \`${input}\`. Could not successfully use any deserializer for declared kinds. Details: \nKind: \`image\` - Error: `;
  const middle = `Detected runtime parameter \`${input}\` defined as \`WorkflowImage\` that is invalid. Failed on input validation. Details: `;
  const end = "NumPy image type is not supported in this configuration of `inference`.";
  throw shortError("RuntimeInputError", INPUTS, start + middle + end);
}
