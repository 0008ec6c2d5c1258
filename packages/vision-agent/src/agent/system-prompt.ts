// workspace files + cameras + pipelines → what a model is told
import type { PromptSource, SystemBlock } from "@vision-agent/agent-core";
import type { PipelineRegistry } from "../pipelines/pipeline-registry.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { IDENTITY, WORKFLOW_FORMAT } from "./prompt-text.data.ts";

export interface SystemPromptOptions {
  readonly cameras: CameraRegistry;
  readonly pipelines: Pick<PipelineRegistry, "list">;
  /** Text of a file of the workspace; undefined when there is none. */
  readonly readFile: (name: "AGENTS.md" | "USER.md") => Promise<string | undefined>;
  /** The detector a workflow uses on this camera unless the person names another. */
  readonly modelFor: (camera: RegisteredCamera) => string;
}

/** About 4,000 tokens (VA-15). More is cut off, and the cut is visible. */
const FILE_LIMIT = 16_000;
const FILES = ["AGENTS.md", "USER.md"] as const;

export function createSystemPrompt(options: SystemPromptOptions): PromptSource {
  return {
    async system() {
      const files = await Promise.all(FILES.map((name) => toFileBlock(name, options.readFile)));
      return [
        { id: "identity", text: IDENTITY, stability: "static" },
        { id: "workflow_format", text: WORKFLOW_FORMAT, stability: "static" },
        ...files.flat(),
      ];
    },
    async state() {
      return `${describeCameras(options)}\n${describePipelines(options)}`;
    },
  };
}

async function toFileBlock(
  name: (typeof FILES)[number],
  readFile: SystemPromptOptions["readFile"],
): Promise<readonly SystemBlock[]> {
  const text = (await readFile(name))?.trim() ?? "";
  if (text === "") return [];
  const cut = text.length > FILE_LIMIT;
  const note = cut ? `\n[${name} is cut off here: ${FILE_LIMIT} of ${text.length} characters are shown.]` : "";
  const shown = cut ? text.slice(0, FILE_LIMIT) : text;
  return [{ id: name, text: `# ${name}, written by the owner\n\n${shown}${note}`, stability: "session" }];
}

function describeCameras({ cameras, modelFor }: SystemPromptOptions): string {
  const lines = cameras.list().map((camera) => {
    const about = [camera.location, camera.notes].filter((text) => text !== "").join("; ");
    return `- ${camera.name}: ${camera.source}, model ${modelFor(camera)}${about === "" ? "" : ` (${about})`}`;
  });
  return lines.length === 0 ? "Cameras: none is set up." : `Cameras:\n${lines.join("\n")}`;
}

function describePipelines({ pipelines }: SystemPromptOptions): string {
  const lines = pipelines
    .list()
    .map(
      ({ name, pipeline_id, video_reference, status, workflow_description }) =>
        `- ${name} (${pipeline_id}) on ${video_reference}: ${status}. ${workflow_description}`,
    );
  return lines.length === 0 ? "Pipelines: none." : `Pipelines:\n${lines.join("\n")}`;
}
