// a part of a camera's picture, or a line through it → a name by which watches and counts call it
import { placeNameSchema } from "@vision-agent/protocol";
import { placeEffect } from "./effects.ts";
import { visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";
import type { ToolParts } from "./tool-parts.ts";
import { toCountingPlace, WATCH_PROPERTIES } from "./watch-arguments.ts";
import { toToolFailure } from "./workflow-argument.ts";

export function savePlaceTool({ cameras, places }: Pick<ToolParts, "cameras" | "places">) {
  return visionTool({
    name: "save_place",
    description: "Name a zone or line of a camera, or move the one of that name: its watches follow.",
    required: ["camera", "name"],
    properties: {
      camera: { type: "string" },
      name: { type: "string", description: "Such as driveway." },
      zone: { ...WATCH_PROPERTIES.zone, description: "As for create_watch; or line." },
      line: { ...WATCH_PROPERTIES.line, description: "" },
    },
    deferLoading: true,
    gradeOf: ({ camera, name, zone, line }) => {
      const where = quoteWords(JSON.stringify(zone ?? line ?? ""), 200);
      return {
        grade: "change",
        question: `May I call ${where} on ${quoteWords(camera, 64)} ${quoteWords(name, 64)}?`,
      };
    },
    async run({ camera: asked, name, zone, line }) {
      const camera = cameras.find(asked)?.name;
      if (camera === undefined) throw new Error(unknownCamera(cameras, asked));
      const called = placeNameSchema.safeParse(name.trim());
      if (!called.success) throw new Error(`The name of a place is ${called.error.issues[0]?.message}.`);
      const shape = toCountingPlace({ zone, line }, () => undefined);
      if (shape === undefined) throw new Error("Say where it lies: zone, or line.");
      const before = places.find(camera, called.data);
      if (before !== undefined && before.kind !== shape.kind)
        throw new Error(`${before.name} is a ${before.kind} of ${camera}. Give the ${shape.kind} another name.`);
      try {
        const place = await places.set(camera, { ...shape, name: called.data });
        const effect = placeEffect(before === undefined ? "saved" : "changed", camera, place.name);
        return { data: { camera, place, effects: [effect] } };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render: ({ camera, place, effects }) =>
      effects[0]?.kind === "changed"
        ? `${place.name} lies elsewhere on ${camera} now; its watches follow.`
        : `${place.name} is a ${place.kind} of ${camera} now. Watches and counts can name it.`,
  });
}
