// a pipeline's last results → a short text, and the drawn picture when asked
import type { ImagePart, TextPart, ToolContext } from "@vision-agent/agent-core";
import type { FrameResult, PipelineStatus } from "@vision-agent/protocol";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import { summarizeResults } from "../pipelines/summarize-results.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";
import { describeModels } from "./model-names.ts";
import { formatPipelineLine } from "./pipeline-lines.ts";
import { PICTURE_EDGE } from "./resize-picture.ts";
import { formatResultLine, imageOutput, toResultLine } from "./result-lines.ts";

interface GetPipelineResultsArgs {
  readonly pipeline_id: string;
  readonly max_results?: number;
  readonly include_frame?: boolean;
}

export interface GetPipelineResultsOptions {
  readonly pipelines: PipelineRegistry;
  /** Results that one call gives at most. Default 10. */
  readonly maxResults?: number;
  /** Longest side in pixels of the frame. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number;
}

const USUAL_RESULTS = 5;

export function createGetPipelineResultsTool(options: GetPipelineResultsOptions): GradedTool<GetPipelineResultsArgs> {
  const { pipelines, maxResults = 10, maxEdge = PICTURE_EDGE } = options;
  const usual = Math.min(USUAL_RESULTS, maxResults);
  return lookOnly<GetPipelineResultsArgs>({
    name: "get_pipeline_results",
    description:
      "Latest results of a pipeline as text: what is in view and the workflow's figures (line counts are totals since the start). " +
      "Set include_frame to see the newest frame with boxes.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["pipeline_id"],
      properties: {
        pipeline_id: { type: "string", description: "Id or name of the pipeline." },
        max_results: { type: "integer", minimum: 1, maximum: maxResults, default: usual },
        include_frame: { type: "boolean", default: false },
      },
    },
    annotations: { readOnly: true },
    async execute({ pipeline_id, max_results = usual, include_frame = false }, context) {
      const status = pipelines.get(pipeline_id);
      const results = await pipelines.results(pipeline_id, max_results);
      const newest = results.at(-1);
      const text: TextPart = { type: "text", text: describe(status, results) };
      if (!include_frame || newest === undefined) return { content: [text] };
      const image = await drawnFrame({ pipelines, maxEdge }, status, newest, context);
      return { content: image === undefined ? [text] : [text, image] };
    },
  });
}

function describe(status: PipelineStatus, results: readonly FrameResult[]): string {
  const newest = results.at(-1);
  if (newest === undefined) return `${status.name} has no results yet.\n${formatPipelineLine(status)}`;
  return [
    formatResultLine(toResultLine(status.name, newest)),
    formatPipelineLine(status),
    `Model: ${describeModels(status.models)}`,
    summarizeResults(results),
  ].join("\n");
}

async function drawnFrame(
  { pipelines, maxEdge }: Required<Pick<GetPipelineResultsOptions, "pipelines" | "maxEdge">>,
  status: PipelineStatus,
  result: FrameResult,
  context: ToolContext,
): Promise<ImagePart | undefined> {
  const output = imageOutput(result);
  const picture = await pipelines.picture(status.pipeline_id, {
    output,
    maxEdge,
  });
  if (picture === undefined) return undefined;
  const alt = formatResultLine(toResultLine(status.video_reference, result));
  return await context.putImage(picture.jpeg, { mimeType: "image/jpeg", alt });
}
