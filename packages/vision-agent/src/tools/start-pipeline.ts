// words of the model → checked workflow → a running pipeline, read back
import { type WatchReport, type WatchRequest, type WorkflowSpec, watchRequestSchema } from "@vision-agent/protocol";
import { watchingWorkflow } from "../pipelines/watching-workflow.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { describeWatch } from "../watches/watch-words.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { describeIssue } from "../workspace/describe-issue.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { createCallMemo, settled } from "./call-memo.ts";
import { pipelineEffect, watchEffect } from "./effects.ts";
import { schemaFor, type ToolArguments, visionTool } from "./graded-tool.ts";
import { findCamera, findVideoReference, foreignSources, unknownCamera } from "./known-source.ts";
import { renderPipeline } from "./pipeline-tools.ts";
import { quoteWords } from "./quote-words.ts";
import { createRecentSum } from "./recent-sum.ts";
import { describeModels } from "./sighting.ts";
import type { ToolParts } from "./tool-parts.ts";
import {
  gradeWorkflow,
  rejection,
  toToolFailure,
  toWorkflowChoice,
  WORKFLOW_PROPERTIES,
  withParameters,
} from "./workflow-argument.ts";

/** What a pipeline itself sees; conditions belong to watches, and problems of a camera are always told. */
const ALERT_KINDS = [
  "appeared",
  "left",
  "line_crossed",
  "zone_entered",
  "zone_left",
  "stayed",
  "count_changed",
] as const;

const PROPERTIES = {
  video_reference: { type: "string", description: "Camera name, or an address: rtsp://…, a file path, sim://scene." },
  pipeline_name: { type: "string", maxLength: 64, description: "Short name for people, e.g. street-count." },
  ...WORKFLOW_PROPERTIES,
  max_fps: { type: "number", exclusiveMinimum: 0, maximum: 60 },
  alert_on: {
    type: "array",
    items: { type: "string", enum: ALERT_KINDS },
    description:
      "What to alert on; needs a tracker in the workflow, and a zone for zone_entered, zone_left, stayed and count_changed. Prefer create_watch.",
  },
  alert_when: schemaFor<AlertWhen>({
    type: "object",
    description:
      'Alert while an output is so: {"path":"count_in","comparator":">","value":10,"seconds"?,"text"?,"severity"?,"cooldown_seconds"?}. Needs a camera by its name.',
  }),
} as const;

interface AlertWhen {
  readonly path: string;
  readonly comparator: string;
  readonly value: number | string | boolean;
  readonly seconds?: number;
  readonly text?: string;
  readonly severity?: string;
  readonly cooldown_seconds?: number;
}
type StartPipelineArgs = ToolArguments<typeof PROPERTIES, "video_reference">;
/** One more than this is seldom what a person meant. */
const MANY_PIPELINES = 8;

type StartPipelineParts = Pick<ToolParts, "pipelines" | "validate" | "loadSaved" | "clock"> & {
  readonly watches: Pick<WatchRegistry, "create">;
  readonly cameras: CameraRegistry;
};

const NO_TRACKER =
  "alert_on needs a tracker: add a roboflow_core/byte_tracker@v3 step and an output with its tracked_detections.";

export function startPipelineTool(options: StartPipelineParts) {
  const plans = createCallMemo<Promise<Plan>>();
  const starting = createRecentSum(() => options.clock.now());
  return visionTool({
    name: "start_pipeline",
    description:
      "Process a camera or video continuously: a workflow runs on every frame until you stop it, across restarts. " +
      "Give workflow_spec, model_id, or workspace_name with workflow_id. The workflow is validated first; all problems come back at once.",
    required: ["video_reference"],
    properties: PROPERTIES,
    secretArguments: ["video_reference"],
    picturesOf: ({ video_reference }) => ({ cameras: [video_reference], to: ["server"] }),
    async gradeOf(args, { signal, idempotencyKey }) {
      const camera = findCamera(options.cameras, args.video_reference);
      const running = options.pipelines.list().length + starting.sum();
      const grave = running >= MANY_PIPELINES;
      if (!grave) starting.add(1);
      const many = grave ? ` ${running} are running already.` : "";
      const tells = alertQuestion(args.alert_when);
      const question = `May I start a pipeline on ${camera?.name ?? quoteWords(args.video_reference)}?${many}${tells}`;
      // What cannot be read now does not run later: the call gives this reason.
      const [plan, problem] = await settled(plans.put(idempotencyKey, toPlan(args, options, signal)));
      if (plan === undefined) return { grade: "change", question, refusal: async () => problem };
      const grade = gradeWorkflow(plan.spec, question);
      return {
        ...grade,
        ...(grave && { grave }),
        destinations: [...foreignSources(options.cameras, args.video_reference), ...(grade.destinations ?? [])],
        subject: { spec: plan.spec, address: camera?.address ?? args.video_reference },
        refusal: () => findRefusal(args, plan.spec, options),
      };
    },
    async run(args, { signal, idempotencyKey }) {
      const videoReference = findVideoReference(options.cameras, args.video_reference);
      if (videoReference === undefined) throw new Error(unknownCamera(options.cameras, args.video_reference));
      const { spec, note } = await (plans.take(idempotencyKey) ?? toPlan(args, options, signal));
      const refusal = await findRefusal(args, spec, options);
      if (refusal !== undefined) throw new Error(refusal);
      try {
        const { pipeline_id } = await options.pipelines.start({
          videoReference,
          spec,
          name: args.pipeline_name,
          maxFps: args.max_fps,
          alertOn: args.alert_on,
        });
        const watch = await watchOutput(args, pipeline_id, options);
        const pipeline = options.pipelines.get(pipeline_id);
        const effects = [pipelineEffect("started", pipeline), ...(watch ? [watchEffect("created", watch)] : [])];
        return { data: { pipeline, note, watch, effects } };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render({ pipeline, note, watch }) {
      const started = `Started.\n${renderPipeline(pipeline)}\nModel: ${describeModels(pipeline.models)}`;
      const alerts = watch && `You are alerted by the watch ${describeWatch(watch)}`;
      return [started, note, alerts].filter((line) => line !== undefined).join("\n");
    },
  });
}

function alertQuestion(wanted: AlertWhen | undefined): string {
  if (wanted === undefined) return "";
  const { path, comparator, value } = wanted;
  return ` You are alerted while ${quoteWords(`${path} ${comparator} ${value}`)}.`;
}

/** With the pipeline or not at all: one that nobody would be told of does not stay. */
async function watchOutput(
  { alert_when }: StartPipelineArgs,
  pipelineId: string,
  { pipelines, watches }: StartPipelineParts,
): Promise<WatchReport | undefined> {
  if (alert_when === undefined) return undefined;
  const { video_reference, name } = pipelines.get(pipelineId);
  try {
    const { path, comparator, value } = alert_when;
    const words = `${name}: ${path} ${comparator} ${value}`;
    return await watches.create(toOutputRequest(alert_when, { camera: video_reference, pipeline: pipelineId, words }));
  } catch (thrown) {
    await pipelines.stop(pipelineId);
    throw new Error(`Nothing was started. alert_when: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

/** Throws a sentence. */
function toOutputRequest(
  { seconds, text, severity, cooldown_seconds, ...output }: AlertWhen,
  { camera, pipeline, words }: { readonly camera: string; readonly pipeline: string; readonly words: string },
): WatchRequest {
  const asked = {
    words: text ?? words,
    cameras: [camera],
    classes: [],
    condition: { kind: "output", pipeline, ...output, for_seconds: seconds ?? 0 },
    text,
    severity,
    cooldown_seconds,
  };
  const { data, error } = watchRequestSchema.safeParse(asked);
  if (error === undefined) return data;
  throw new Error(describeIssue(error, asked));
}

/** Why a workflow cannot run as it was asked for; undefined when it can. */
async function findRefusal(
  { alert_on }: StartPipelineArgs,
  spec: WorkflowSpec,
  { validate }: StartPipelineParts,
): Promise<string | undefined> {
  if (alert_on?.length && !spec.steps.some(({ type }) => /track/.test(type))) {
    return `Nothing was started. ${NO_TRACKER}`;
  }
  const problems = await validate(spec);
  return problems.length === 0 ? undefined : `Nothing was started. ${rejection(problems)}`;
}

interface Plan {
  readonly spec: WorkflowSpec;
  /** What must be known of it, in a sentence. */
  readonly note?: string;
}

async function toPlan(args: StartPipelineArgs, options: StartPipelineParts, signal: AbortSignal): Promise<Plan> {
  const choice = toWorkflowChoice(args);
  switch (choice?.kind) {
    case "model":
      return { spec: watchingWorkflow({ modelId: choice.modelId }) };
    case "workflow":
      return { spec: withParameters(choice.spec, args.parameters) };
    case "saved_workflow": {
      const { spec, note } = await options.loadSaved(choice.workspace, choice.workflowId, signal);
      return { spec: withParameters(spec, args.parameters), note };
    }
    case undefined:
      throw new Error("Give one of workflow_spec, model_id, and workspace_name with workflow_id.");
  }
}
