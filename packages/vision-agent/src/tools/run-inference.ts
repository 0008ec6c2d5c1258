// a picture, and a model or workflow → what is on it, with the drawn picture
import type { FrameResult, ToolDataOf, WorkflowSpec } from "@vision-agent/protocol";
import { modelsOf, pictureTextOutputs } from "@vision-agent/vision-engine";
import type { InferenceJob } from "../backends/backend.ts";
import { summarizeResults } from "../pipelines/summarize-results.ts";
import { createCallMemo, settled } from "./call-memo.ts";
import { type ToolArguments, visionTool } from "./graded-tool.ts";
import { findCamera } from "./known-source.ts";
import { gradePicture, type NamedPicture, picturesIn } from "./open-picture.ts";
import {
  describeModels,
  mainDetections,
  renderBoxes,
  renderCounts,
  showPicture,
  sizeInWords,
  toSighting,
  withShown,
} from "./sighting.ts";
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
  "cameras" | "openPicture" | "run" | "validate" | "loadSaved" | "modelFor" | "resize" | "maxEdge" | "timeZone"
>;

const DEFAULT_CONFIDENCE = 0.4;

const PROPERTIES = {
  image: { type: "string", description: "Camera name, picture id (art_…), file path, http(s) URL or base64." },
  ...WORKFLOW_PROPERTIES,
  confidence: { type: "number", minimum: 0, maximum: 1, default: DEFAULT_CONFIDENCE, description: "With model_id." },
} as const;
type RunInferenceArgs = ToolArguments<typeof PROPERTIES, "image">;

export function runInferenceTool(options: RunInferenceParts) {
  const choices = createCallMemo<Promise<Chosen>>();
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
    picturesOf: ({ image }, context) => picturesIn(image, context, options),
    async gradeOf(args, { signal, idempotencyKey }) {
      const pictures = gradePicture(options.cameras, args.image);
      const [chosen] = await settled(choices.put(idempotencyKey, choose(args, options, signal)));
      // What cannot be read now does not run later: the call gives the reason.
      if (chosen?.spec === undefined) return pictures;
      const { spec } = chosen;
      const { destinations = [], ...grade } = gradeWorkflow(spec, "May I run this workflow once?");
      if (destinations.length === 0) return pictures;
      return {
        ...grade,
        destinations: [...(pictures.destinations ?? []), ...destinations],
        subject: { spec, address: findCamera(options.cameras, args.image)?.address ?? args.image },
        refusal: () => findRefusal(spec, options),
      };
    },
    async run(args, context) {
      const { signal, idempotencyKey } = context;
      const chosen = await (choices.take(idempotencyKey) ?? choose(args, options, signal));
      const picture = await options.openPicture(args.image, context);
      const job = await toJob(args, chosen, picture, options);
      try {
        const { result, annotated, note = chosen.note, picture: raw } = await options.run(job, picture.image, signal);
        const sighting = toSighting(picture.label, result, {
          models: modelsIn(job),
          notes: note === undefined ? [] : [note],
        });
        const { workflow } = chosen;
        const seen = withShown(sighting, annotated ?? raw, options.maxEdge);
        const image = await showPicture(annotated ?? raw, seen, { ...options, context, origin: picture.origin });
        return {
          data: { seen, workflow, outputs: otherOutputs(result, options.timeZone, chosen.spec) },
          images: [image],
        };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render,
  });
}

async function findRefusal(
  spec: WorkflowSpec,
  { validate }: Pick<RunInferenceParts, "validate">,
): Promise<string | undefined> {
  const problems = await validate(spec);
  return problems.length === 0 ? undefined : `Nothing was run. ${rejection(problems)}`;
}

interface Chosen {
  /** Absent: a model looks. */
  readonly spec?: WorkflowSpec;
  readonly modelId?: string;
  /** The name under which it is saved. */
  readonly workflow?: string;
  /** What must be known of it, in a sentence. */
  readonly note?: string | undefined;
}

/** A saved workflow is read once: what was judged is what runs. */
async function choose(args: RunInferenceArgs, { loadSaved }: RunInferenceParts, signal: AbortSignal): Promise<Chosen> {
  const choice = toWorkflowChoice(args);
  switch (choice?.kind) {
    case "saved_workflow": {
      const { workspace, workflowId } = choice;
      const { spec, note } = await loadSaved(workspace, workflowId, signal);
      return { spec: withParameters(spec, args.parameters), workflow: `${workspace}/${workflowId}`, note };
    }
    case "workflow":
      return { spec: withParameters(choice.spec, args.parameters) };
    case "model":
      return { modelId: choice.modelId };
    case undefined:
      return {};
  }
}

async function toJob(
  args: RunInferenceArgs,
  { spec, modelId }: Chosen,
  { image }: NamedPicture,
  { validate, modelFor }: RunInferenceParts,
): Promise<InferenceJob> {
  if (spec === undefined) {
    const confidence = args.confidence ?? DEFAULT_CONFIDENCE;
    return { kind: "model", modelId: modelId ?? modelFor(image), confidence };
  }
  const refusal = await findRefusal(spec, { validate });
  if (refusal !== undefined) throw new Error(refusal);
  return { kind: "workflow", spec };
}

function modelsIn(job: InferenceJob): readonly string[] {
  if (job.kind === "model") return [job.modelId];
  return job.kind === "workflow" ? modelsOf(job.spec) : [];
}

/** What a workflow gives beside boxes, bounded. */
function otherOutputs(result: FrameResult, timeZone: string, spec: WorkflowSpec | undefined): string | undefined {
  const hasValues = Object.values(result.outputs).some(({ kind }) => kind === "value");
  if (!hasValues && mainDetections(result) !== undefined) return undefined;
  return summarizeResults([result], { timeZone, ...(spec && { hidden: pictureTextOutputs(spec) }) });
}

function render({ seen, workflow, outputs }: ToolDataOf<"run_inference">): string {
  return [
    renderCounts(seen),
    `Frame: ${sizeInWords(seen)}.`,
    ...(seen.models.length === 0 ? [] : [`Model: ${describeModels(seen.models)}`]),
    ...(workflow === undefined ? [] : [`Workflow: ${workflow}`]),
    ...renderBoxes(seen),
    ...(outputs === undefined ? [] : [`Outputs: ${outputs}`]),
    ...seen.notes,
  ].join("\n");
}
