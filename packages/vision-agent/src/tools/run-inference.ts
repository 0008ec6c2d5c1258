// a picture, and a model or workflow → what is on it, with the drawn picture
import type { FrameResult, ToolDataOf, WorkflowSpec } from "@vision-agent/protocol";
import { modelsOf } from "@vision-agent/vision-engine";
import type { InferenceJob } from "../backends/backend.ts";
import { summarizeResults } from "../pipelines/summarize-results.ts";
import { type CallGrade, type ToolArguments, visionTool } from "./graded-tool.ts";
import { type NamedPicture, picturesIn } from "./open-picture.ts";
import { describeModels, mainDetections, renderBoxes, renderCounts, showPicture, toSighting } from "./sighting.ts";
import type { LookingParts } from "./tool-parts.ts";
import {
  gradeWorkflow,
  rejection,
  toToolFailure,
  toWorkflowChoice,
  WORKFLOW_PROPERTIES,
  withParameters,
} from "./workflow-argument.ts";

type RunInferenceParts = Pick<
  LookingParts,
  "openPicture" | "run" | "validate" | "loadSaved" | "modelFor" | "resize" | "maxEdge" | "timeZone"
>;

const DEFAULT_CONFIDENCE = 0.4;

const PROPERTIES = {
  image: { type: "string", description: "Camera name, picture id (art_…), file path, http(s) URL or base64." },
  ...WORKFLOW_PROPERTIES,
  confidence: { type: "number", minimum: 0, maximum: 1, default: DEFAULT_CONFIDENCE, description: "With model_id." },
} as const;
type RunInferenceArgs = ToolArguments<typeof PROPERTIES, "image">;

export function runInferenceTool(options: RunInferenceParts) {
  return visionTool({
    name: "run_inference",
    description:
      "Run a model or workflow once on one picture. Give model_id, workflow_spec, or workspace_name with workflow_id; without any, the default detector looks.",
    required: ["image"],
    properties: PROPERTIES,
    annotations: { openWorld: true },
    untrusted: true,
    secretArguments: ["image"],
    concurrency: "parallel",
    gradeOf: (args, { signal }) => gradeOf(args, options, signal),
    picturesOf: ({ image }, context) => picturesIn(image, context, options.openPicture),
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
        const image = await showPicture(annotated ?? raw, seen, { ...options, context, origin: picture.origin });
        return { data: { seen, workflow, outputs: otherOutputs(result, options.timeZone) }, images: [image] };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render,
  });
}

/** A single look changes nothing unless the workflow itself acts. */
async function gradeOf(args: RunInferenceArgs, options: RunInferenceParts, signal: AbortSignal): Promise<CallGrade> {
  // What cannot be read is refused by the call itself, with the reason.
  const spec = await workflowOf(args, options, signal).catch(() => undefined);
  const grade = spec && gradeWorkflow(spec, "Run this workflow once?");
  if (spec === undefined || !grade?.grave) return { grade: "look" };
  return { ...grade, refusal: () => findRefusal(spec, options) };
}

async function findRefusal(
  spec: WorkflowSpec,
  { validate }: Pick<RunInferenceParts, "validate">,
): Promise<string | undefined> {
  const problems = await validate(spec);
  return problems.length === 0 ? undefined : `Nothing was run. ${rejection(problems)}`;
}

async function workflowOf(
  args: RunInferenceArgs,
  { loadSaved }: RunInferenceParts,
  signal: AbortSignal,
): Promise<WorkflowSpec | undefined> {
  const choice = toWorkflowChoice(args);
  if (choice?.kind === "saved_workflow") return (await loadSaved(choice.workspace, choice.workflowId, signal)).spec;
  return choice?.kind === "workflow" ? choice.spec : undefined;
}

async function toJob(
  args: RunInferenceArgs,
  { image }: NamedPicture,
  { validate, modelFor }: RunInferenceParts,
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
