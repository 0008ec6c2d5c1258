// words of the model → checked workflow → a running pipeline, read back
import type { Json, JsonSchema, Tool } from "@vision-agent/agent-core";
import { type WorkflowProblem, type WorkflowSpec, workflowSpecSchema } from "@vision-agent/protocol";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { findVideoReference, unknownCamera } from "./known-source.ts";
import { describeModels } from "./model-names.ts";
import { formatPipelineLine } from "./pipeline-lines.ts";
import { formatProblems, toToolFailure } from "./tool-failure.ts";

export interface StartPipelineOptions {
  readonly cameras: CameraRegistry;
  readonly pipelines: PipelineRegistry;
  /** Everything wrong with a workflow; empty when it can run. */
  readonly validate: (spec: WorkflowSpec) => Promise<readonly WorkflowProblem[]>;
  /** A workflow that detects and follows, for a call with `model_id`. */
  readonly modelSpec: (modelId: string) => WorkflowSpec;
}

interface StartPipelineArgs {
  readonly video_reference: string;
  readonly pipeline_name?: string;
  readonly workflow_spec?: unknown;
  readonly model_id?: string;
  readonly max_fps?: number;
  readonly parameters?: { readonly [name: string]: Json };
  readonly alert_on?: readonly (typeof ALERT_KINDS)[number][];
}

/** The scene events that pipelines give today. */
const ALERT_KINDS = ["appeared", "left", "line_crossed"] as const;

const PARAMETERS: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["video_reference"],
  properties: {
    video_reference: { type: "string", description: "Camera name, or an address: rtsp://…, a file path, sim://scene." },
    pipeline_name: { type: "string", maxLength: 64, description: "Short name for people, e.g. street-count." },
    workflow_spec: { type: "object", description: "Inline workflow: version, inputs, steps, outputs." },
    model_id: { type: "string", description: "Instead of workflow_spec: only detect with this model." },
    max_fps: { type: "number", exclusiveMinimum: 0, maximum: 60, description: "Limit of frames per second." },
    parameters: { type: "object", description: "Values for the WorkflowParameter inputs of workflow_spec." },
    alert_on: {
      type: "array",
      items: { type: "string", enum: [...ALERT_KINDS] },
      description: "What a person is told of; needs a tracker in the workflow. Leave out to tell of nothing.",
    },
  },
};

const NO_TRACKER =
  "alert_on needs a tracker: add a roboflow_core/byte_tracker@v3 step and an output with its tracked_detections.";

export function createStartPipelineTool(options: StartPipelineOptions): Tool<StartPipelineArgs> {
  return {
    name: "start_pipeline",
    description:
      "Start continuous processing of a camera: a workflow runs on every frame until it is stopped, also after a restart. " +
      "Give workflow_spec or model_id. The workflow is checked first; everything wrong with it comes back at once.",
    parameters: PARAMETERS,
    async execute(args) {
      const videoReference = findVideoReference(options.cameras, args.video_reference);
      if (videoReference === undefined) throw new Error(unknownCamera(options.cameras, args.video_reference));
      const spec = toSpec(args, options.modelSpec);
      if (args.alert_on?.length && !spec.steps.some(({ type }) => /track/.test(type))) {
        throw new Error(`Nothing was started. ${NO_TRACKER}`);
      }
      const problems = await options.validate(spec);
      if (problems.length > 0) throw new Error(`Nothing was started. ${rejection(problems)}`);
      try {
        const { pipeline_id } = await options.pipelines.start({
          videoReference,
          spec,
          ...(args.pipeline_name !== undefined && { name: args.pipeline_name }),
          ...(args.max_fps !== undefined && { maxFps: args.max_fps }),
          ...(args.alert_on !== undefined && { alertOn: args.alert_on }),
        });
        const status = options.pipelines.get(pipeline_id);
        return `Started.\n${formatPipelineLine(status)}\nModel: ${describeModels(status.models)}`;
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
  };
}

function toSpec(args: StartPipelineArgs, modelSpec: (modelId: string) => WorkflowSpec): WorkflowSpec {
  if ((args.workflow_spec === undefined) === (args.model_id === undefined)) {
    throw new Error("Give either workflow_spec or model_id, one of the two.");
  }
  if (args.model_id !== undefined) return modelSpec(args.model_id);
  const parsed = workflowSpecSchema.safeParse(args.workflow_spec);
  if (parsed.success) return withParameters(parsed.data, args.parameters ?? {});
  const problems = parsed.error.issues.map(({ path, message }) => ({
    step: null,
    property: path.join("."),
    message: `${message}.`,
  }));
  throw new Error(`Nothing was started. ${rejection(problems)}`);
}

/** Values become the defaults of the inputs, so that they hold after a restart too. */
function withParameters(spec: WorkflowSpec, parameters: { readonly [name: string]: Json }): WorkflowSpec {
  const known = spec.inputs.filter(({ type }) => type === "WorkflowParameter" || type === "InferenceParameter");
  const unknown = Object.keys(parameters).filter((name) => !known.some((input) => input.name === name));
  if (unknown.length > 0) {
    const names = known.map(({ name }) => name).join(", ") || "none";
    throw new Error(`The workflow has no parameter ${unknown.join(", ")}. Its parameters: ${names}.`);
  }
  return {
    ...spec,
    inputs: spec.inputs.map((input) =>
      Object.hasOwn(parameters, input.name) ? { ...input, default_value: parameters[input.name] } : input,
    ),
  };
}

function rejection(problems: readonly WorkflowProblem[]): string {
  return `The workflow has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:\n${formatProblems(problems)}`;
}
