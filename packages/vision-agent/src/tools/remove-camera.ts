// a camera → its row, watches and pipelines gone
import type { CameraAdmin } from "./camera-admin.ts";
import { visionTool } from "./graded-tool.ts";
import { quoteWords } from "./quote-words.ts";
import { toToolFailure } from "./workflow-argument.ts";

export function removeCameraTool(cameraAdmin: Pick<CameraAdmin, "uses" | "remove">) {
  return visionTool({
    name: "remove_camera",
    description: "Take a camera out of CAMERAS.md, with its watches and pipelines. What it saw stays stored.",
    required: ["name"],
    properties: { name: { type: "string" } },
    deferLoading: true,
    annotations: { destructive: true },
    gradeOf({ name }) {
      const { watches, pipelines } = cameraAdmin.uses(name);
      const taken = [
        ...watches.map(({ words }) => `the watch ${quoteWords(words)}`),
        ...pipelines.map((one) => `the pipeline ${quoteWords(one.name)}`),
      ];
      const along = taken.length === 0 ? "" : ` With it go ${taken.join(", ")}.`;
      const question = `May I remove the camera ${quoteWords(name, 64)}?${along}`;
      const subject = [...watches.map(({ id }) => id), ...pipelines.map(({ pipeline_id }) => pipeline_id)];
      return { grade: "change", always: true, question, subject };
    },
    async run({ name }) {
      try {
        const { camera, effects } = await cameraAdmin.remove(name);
        const { address: _, ...shown } = camera;
        return { data: { camera: shown, effects: [...effects] } };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render: ({ effects }) =>
      [...effects.map(({ text }) => text), "Its events, pictures and named places stay. undo brings it back."].join(
        "\n",
      ),
  });
}
