// what is worth keeping → memory, with the place where it stands
import type { Memory, MemoryCategory } from "../memory/memory.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import type { GradedTool } from "./autonomy.ts";
import { unknownCamera } from "./known-source.ts";

interface RememberArgs {
  readonly content: string;
  readonly category: MemoryCategory;
  readonly camera_id?: string;
}

export function createRememberTool(options: {
  readonly memory: Pick<Memory, "store">;
  readonly cameras: CameraRegistry;
}): GradedTool<RememberArgs> {
  return {
    name: "remember",
    description: "Keep something for later conversations: what was seen, a fact, or a wish of the person.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["content", "category"],
      properties: {
        content: { type: "string", minLength: 1, maxLength: 4000 },
        category: { type: "string", enum: ["observation", "knowledge", "preference"] },
        camera_id: { type: "string", description: "Camera that it is about." },
      },
    },
    effectOf: ({ content }) => ({ grade: "change", question: `Remember "${content}"?` }),
    async execute({ content, category, camera_id }) {
      const camera = camera_id === undefined ? undefined : options.cameras.find(camera_id);
      if (camera_id !== undefined && camera === undefined) throw new Error(unknownCamera(options.cameras, camera_id));
      const { path, line } = await options.memory.store({ content, category, ...(camera && { camera: camera.name }) });
      return `Remembered as ${category} (${path}:${line}).`;
    },
  };
}
