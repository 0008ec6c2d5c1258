// "why (not)?" → the gates that a watch went through
import { describeWatchWhy } from "@vision-agent/protocol";
import { formatTime } from "../workspace/format-time.ts";
import { formatLocalTime, parseEventTime } from "./event-times.ts";
import { visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import type { ToolParts } from "./tool-parts.ts";

export function explainEventTool({
  cameras,
  why,
  clock,
  timeZone,
}: Pick<ToolParts, "cameras" | "why" | "clock" | "timeZone">) {
  const toTime = (instant: string): string => formatTime(instant, { nowMs: clock.now(), timeZone });
  return visionTool({
    name: "explain_event",
    description:
      "Why a watch told or not. Names the gate that said no, with figures, and the least change that flips it. Give the id of an event or alert, or camera and time.",
    deferLoading: true,
    properties: {
      id: { type: "string", description: "Of an event or alert." },
      camera: { type: "string" },
      at: { type: "string", description: "ISO 8601, local without an offset; default now." },
      watch_id: { type: "string" },
    },
    gradeOf: () => ({ grade: "look" }),
    async run({ id, camera, at, watch_id }) {
      if (id === undefined && camera === undefined) {
        throw new Error("Name the event or alert (id), or the camera and the time.");
      }
      const asked =
        id === undefined ? { camera: camera ?? "", at: at && parseEventTime(at, timeZone) } : why.questionOf(id);
      const known = cameras.find(asked.camera);
      if (known === undefined) throw new Error(unknownCamera(cameras, asked.camera));
      return { data: await why.explain({ watch: watch_id, ...asked, camera: known.name }) };
    },
    render: ({ camera, at, watches }) =>
      watches.length === 0
        ? `No watch looks at ${camera}.`
        : [
            `${camera} at ${formatLocalTime(at, timeZone)}:`,
            ...watches.map((one) => `${one.watch_id} ${describeWatchWhy(one, toTime)}`),
          ].join("\n"),
  });
}
