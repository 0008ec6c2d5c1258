// camera, class, kind, time → what happened, from one end of the time, with how often
import { type SceneEvent, sceneEventKindSchema, type ToolDataOf } from "@vision-agent/protocol";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { formatLocalTime, parseEventTime } from "./event-times.ts";
import { visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import type { ToolParts } from "./tool-parts.ts";

/** So many are counted; what lies beyond them is said to be left out. */
const MOST_COUNTED = 1000;

export function searchEventsTool(
  options: Pick<ToolParts, "events" | "timeZone"> & { readonly cameras: CameraRegistry },
) {
  const { events, cameras, timeZone } = options;
  return visionTool({
    name: "search_events",
    description:
      "What happened in front of the cameras: counts by kind and class, then the newest (or oldest) events with picture ids.",
    properties: {
      camera: { type: "string" },
      class_name: { type: "string" },
      kind: { type: "string", enum: sceneEventKindSchema.options },
      direction: { type: "string", enum: ["in", "out"], description: "Of line_crossed." },
      from: { type: "string", description: "ISO 8601 or YYYY-MM-DD, local; inclusive." },
      to: { type: "string", description: "The same, exclusive." },
      order: { type: "string", enum: ["newest", "oldest"], default: "newest" },
      max_results: { type: "integer", minimum: 1, maximum: 50, default: 10 },
    },
    annotations: { readOnly: true },
    untrusted: true,
    async run({ camera, class_name: className, kind, direction, from, to, order = "newest", max_results = 10 }) {
      const known = camera === undefined ? undefined : cameras.find(camera);
      if (camera !== undefined && known === undefined) throw new Error(unknownCamera(cameras, camera));
      const [start, end] = [from, to].map((time) => (time === undefined ? undefined : parseEventTime(time, timeZone)));
      const filter = { camera: known?.name, className, kind, from: start, to: end };
      const listed = events.list({ limit: MOST_COUNTED, order, ...filter });
      const found = listed.filter((event) => direction === undefined || event.direction === direction);
      const is_cut = listed.length === MOST_COUNTED;
      const shown = found.slice(0, max_results);
      return { data: { totals: totalsOf(found), total: found.length, order, is_cut, events: shown } };
    },
    render: (data) => render(data, timeZone),
  });
}

type EventTotals = ToolDataOf<"search_events">["totals"];

/** Most frequent first, then by name. */
function totalsOf(events: readonly SceneEvent[]): EventTotals {
  const groups = Map.groupBy(events, ({ kind, class_name = "" }) => `${kind} ${class_name}`);
  return [...groups]
    .sort(([a, { length: many }], [b, { length: other }]) => other - many || a.localeCompare(b))
    .flatMap(([, [first, ...rest]]) =>
      first === undefined ? [] : [{ kind: first.kind, class_name: first.class_name, count: rest.length + 1 }],
    );
}

function render({ totals, total, order, is_cut, events }: ToolDataOf<"search_events">, timeZone: string): string {
  if (total === 0) return "No matching events.";
  const more = total - events.length;
  return [
    renderTotals(totals, is_cut ? `the ${order} ${total}` : String(total), total),
    ...events.map((event) => formatEvent(event, timeZone)),
    ...(more > 0 ? [`and ${more} more; narrow the search or raise max_results.`] : []),
  ].join("\n");
}

/** e.g. `12 events: 8 appeared person, 4 line_crossed car.` */
function renderTotals(totals: EventTotals, many: string, total: number): string {
  const each = totals.map(({ kind, class_name = "", count }) => `${count} ${kind} ${class_name}`.trim()).join(", ");
  return `${many} event${total === 1 ? "" : "s"}: ${each}.`;
}

function formatEvent({ timestamp, camera, kind, text, picture }: SceneEvent, timeZone: string): string {
  const evidence = picture === undefined ? "" : ` (picture ${picture})`;
  return `- ${formatLocalTime(timestamp, timeZone)} ${camera} ${kind}: ${text}${evidence}`;
}
