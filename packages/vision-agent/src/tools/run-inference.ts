// a picture, and a model or workflow → what is on it, with the drawn picture
import type { JsonSchema } from "@vision-agent/agent-core";
import type { FrameResult, ToolDataOf, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import { modelsOf } from "@vision-agent/vision-engine";
import type { ImageRef, InferenceBackend, InferenceJob } from "../backends/backend.ts";
import type { SavedWorkflows } from "../backends/saved-workflows.ts";
import { summarizeResults } from "../pipelines/summarize-results.ts";
import { type CallGrade, type VisionTool, visionTool } from "./graded-tool.ts";
import type { NamedPicture, OpenPicture } from "./open-picture.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import { describeModels, mainDetections, renderBoxes, renderCounts, showPicture, toSighting } from "./sighting.ts";
import {
  gradeWorkflow,
  rejection,
  toToolFailure,
  toWorkflowChoice,
  WORKFLOW_PROPERTIES,
  type WorkflowArguments,
  withParameters,
} from "./workflow-argument.ts";

export interface RunInferenceOptions {
  readonly openPicture: OpenPicture;
  /** Asks the backend that fits the question. */
  readonly run: InferenceBackend["run"];
  /** Everything wrong with a workflow; empty when it can run. */
  readonly validate: (spec: WorkflowSpec) => Promise<readonly WorkflowProblem[]>;
  /** A workflow saved at Roboflow. */
  readonly loadSaved: SavedWorkflows["load"];
  /** The detector for a picture, when the call names none. */
  readonly modelFor: (image: ImageRef) => string;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Longest side in pixels of the picture. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number;
  /** IANA name. */
  readonly timeZone: string;
}

interface RunInferenceArgs extends WorkflowArguments {
  readonly image: string;
  readonly confidence?: number;
}

const DEFAULT_CONFIDENCE = 0.4;

const PARAMETERS: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["image"],
  properties: {
    image: { type: "string", description: "Camera name, picture id (art_…), file path, http(s) URL or base64." },
    ...WORKFLOW_PROPERTIES,
    confidence: { type: "number", minimum: 0, maximum: 1, default: DEFAULT_CONFIDENCE, description: "With model_id." },
  },
};

export function runInferenceTool(options: RunInferenceOptions): VisionTool<"run_inference", RunInferenceArgs> {
  return visionTool({
    name: "run_inference",
    description:
      "Run a model or workflow once on one picture. Give model_id, workflow_spec, or workspace_name with workflow_id; without any, the default detector looks.",
    parameters: PARAMETERS,
    annotations: { openWorld: true },
    concurrency: "parallel",
    gradeOf: (args, { signal }) => gradeOf(args, options, signal),
    async run(args, context) {
      const picture = await options.openPicture(args.image, context);
      const job = await toJob(args, picture, options);
      try {
        const { result, annotated, note, picture: raw } = await options.run(job, picture.image, context.signal);
        const seen = toSighting(picture.label, result, {
          models: modelsIn(job),
          notes: note === undefined ? [] : [note],
        });
        const workflow = job.kind === "saved_workflow" ? `${job.workspace}/${job.workflowId}` : undefined;
        const image = await showPicture(annotated ?? raw, seen, { ...options, context });
        return { data: { seen, workflow, outputs: otherOutputs(result, options.timeZone) }, images: [image] };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render,
  });
}

/** A single look changes nothing unless the workflow itself acts. */
async function gradeOf(args: RunInferenceArgs, options: RunInferenceOptions, signal: AbortSignal): Promise<CallGrade> {
  // What cannot be read is refused by the call itself, with the reason.
  const spec = await workflowOf(args, options, signal).catch(() => undefined);
  const grade = spec && gradeWorkflow(spec, "Run this workflow once?");
  if (spec === undefined || !grade?.grave) return { grade: "look" };
  return { ...grade, refusal: () => findRefusal(spec, options) };
}

async function findRefusal(
  spec: WorkflowSpec,
  { validate }: Pick<RunInferenceOptions, "validate">,
): Promise<string | undefined> {
  const problems = await validate(spec);
  return problems.length === 0 ? undefined : `Nothing was run. ${rejection(problems)}`;
}

async function workflowOf(
  args: RunInferenceArgs,
  { loadSaved }: RunInferenceOptions,
  signal: AbortSignal,
): Promise<WorkflowSpec | undefined> {
  const choice = toWorkflowChoice(args);
  if (choice?.kind === "saved_workflow") return (await loadSaved(choice.workspace, choice.workflowId, signal)).spec;
  return choice?.kind === "workflow" ? choice.spec : undefined;
}

async function toJob(
  args: RunInferenceArgs,
  { image }: NamedPicture,
  { validate, modelFor }: RunInferenceOptions,
): Promise<InferenceJob> {
  const choice = toWorkflowChoice(args);
  switch (choice?.kind) {
    case "saved_workflow":
      return { ...choice, ...(args.parameters && { parameters: args.parameters }) };
    case "workflow": {
      const spec = withParameters(choice.spec, args.parameters);
      const refusal = await findRefusal(spec, { validate });
      if (refusal !== undefined) throw new Error(refusal);
      return { kind: "workflow", spec };
    }
    default: {
      const modelId = choice?.modelId ?? modelFor(image);
      return { kind: "model", modelId, confidence: args.confidence ?? DEFAULT_CONFIDENCE };
    }
  }
}

function modelsIn(job: InferenceJob): readonly string[] {
  if (job.kind === "model") return [job.modelId];
  return job.kind === "workflow" ? modelsOf(job.spec) : [];
}

/** What a workflow gives beside boxes, bounded. */
function otherOutputs(result: FrameResult, timeZone: string): string | undefined {
  const hasValues = Object.values(result.outputs).some(({ kind }) => kind === "value");
  return hasValues || mainDetections(result) === undefined ? summarizeResults([result], { timeZone }) : undefined;
}

function render({ seen, workflow, outputs }: ToolDataOf<"run_inference">): string {
  return [
    renderCounts(seen),
    `Frame: ${seen.frame.width}x${seen.frame.height} px.`,
    ...(seen.models.length === 0 ? [] : [`Model: ${describeModels(seen.models)}`]),
    ...(workflow === undefined ? [] : [`Workflow: ${workflow}`]),
    ...renderBoxes(seen),
    ...(outputs === undefined ? [] : [`Outputs: ${outputs}`]),
    ...seen.notes,
  ].join("\n");
}
