// a picture, and a model or workflow → what is on it, with the drawn picture
import type { JsonSchema } from "@vision-agent/agent-core";
import type { Detections, FrameResult, WorkflowProblem, WorkflowSpec } from "@vision-agent/protocol";
import { modelsOf } from "@vision-agent/vision-engine";
import type { ImageRef, InferenceBackend, Job, JobResult } from "../backends/backend.ts";
import type { SavedWorkflows } from "../backends/saved-workflows.ts";
import { summarizeResults } from "../pipelines/summarize-results.ts";
import type { Effect, GradedTool } from "./autonomy.ts";
import { describeModels } from "./model-names.ts";
import type { NamedPicture, OpenPicture } from "./open-picture.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import { formatBoxes, formatResultLine, mainDetections, toResultLine } from "./result-lines.ts";
import { showPicture } from "./show-picture.ts";
import { toToolFailure } from "./tool-failure.ts";
import {
  rejection,
  toWorkflowChoice,
  WORKFLOW_PROPERTIES,
  type WorkflowArguments,
  withParameters,
} from "./workflow-argument.ts";
import { workflowEffect } from "./workflow-effects.ts";

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
}

interface RunInferenceArgs extends WorkflowArguments {
  readonly image: string;
  readonly confidence?: number;
}

const BOXES_SHOWN = 8;
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

export function createRunInferenceTool(options: RunInferenceOptions): GradedTool<RunInferenceArgs> {
  return {
    name: "run_inference",
    description:
      "Run a model or workflow once on one picture. Give model_id, workflow_spec, or workspace_name with workflow_id; without any, the default detector looks.",
    parameters: PARAMETERS,
    annotations: { openWorld: true },
    concurrency: "parallel",
    effectOf: (args, { signal }) => effectOf(args, options, signal),
    async execute(args, context) {
      const picture = await options.openPicture(args.image, context);
      const job = await toJob(args, picture, options);
      try {
        const seen = await options.run(job, picture.image, context.signal);
        const alt = formatResultLine(toResultLine(picture.label, seen.result));
        const image = await showPicture(seen.annotated ?? seen.picture, alt, { ...options, context });
        return { content: [{ type: "text", text: describe(picture.label, job, seen) }, image] };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
  };
}

/** A single look changes nothing unless the workflow itself acts. */
async function effectOf(args: RunInferenceArgs, options: RunInferenceOptions, signal: AbortSignal): Promise<Effect> {
  // What cannot be read is refused by the call itself, with the reason.
  const spec = await workflowOf(args, options, signal).catch(() => undefined);
  const effect = spec && workflowEffect(spec, "Run this workflow once?");
  if (spec === undefined || !effect?.grave) return { grade: "look" };
  return { ...effect, refusal: () => findRefusal(spec, options) };
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
): Promise<Job> {
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

function describe(label: string, job: Job, { result, note }: JobResult): string {
  const found = mainDetections(result);
  const boxes = formatBoxes(found, BOXES_SHOWN);
  const notes = [note, found?.note].filter((one) => one !== undefined);
  return [
    formatResultLine(toResultLine(label, result)),
    `Frame: ${result.frame.width}x${result.frame.height} px.`,
    ...modelLines(job),
    ...(boxes === "" ? [] : [`Boxes (left,top,right,bottom): ${boxes}`]),
    ...otherOutputs(result, found),
    ...notes,
  ].join("\n");
}

function modelLines(job: Job): readonly string[] {
  if (job.kind === "model") return [`Model: ${describeModels([job.modelId])}`];
  if (job.kind === "saved_workflow") return [`Workflow: ${job.workspace}/${job.workflowId}`];
  const models = modelsOf(job.spec);
  return models.length === 0 ? [] : [`Model: ${describeModels(models)}`];
}

/** What a workflow gives beside boxes, bounded. */
function otherOutputs(result: FrameResult, found: Detections | undefined): readonly string[] {
  const hasValues = Object.values(result.outputs).some(({ kind }) => kind === "value");
  return hasValues || found === undefined ? [`Outputs: ${summarizeResults([result])}`] : [];
}
