// camera, class, kind, time → how often it happened, in groups, and a page of what happened
import {
  type EventCount,
  eventGroupingSchema,
  type SceneEvent,
  sceneEventKindSchema,
  type ToolDataOf,
} from "@vision-agent/protocol";
import { crossingsInWords } from "../scene/scene-words.ts";
import type { EventQuery } from "../store/event-index.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { formatLocalTime, parseEventTime } from "./event-times.ts";
import { visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import type { ToolParts } from "./tool-parts.ts";

/** So many groups are shown to a model; the rest is said to be left out. */
const MOST_GROUPS = 60;
const GROUPINGS = eventGroupingSchema.options;

export function searchEventsTool(
  options: Pick<ToolParts, "events" | "timeZone"> & { readonly cameras: CameraRegistry },
) {
  const { events, cameras, timeZone } = options;
  return visionTool({
    name: "search_events",
    description:
      "What happened in front of the cameras: exact counts by kind and class (or by group_by), then the newest (or oldest) events with picture ids. One visit is one thing from appearing to leaving.",
    properties: {
      camera: { type: "string" },
      class_name: { type: "string" },
      kind: { type: "string", enum: sceneEventKindSchema.options },
      direction: { type: "string", enum: ["in", "out"], description: "Of line_crossed." },
      watch_id: { type: "string" },
      visit_id: { type: "string" },
      from: { type: "string", description: "ISO 8601 or YYYY-MM-DD, local; inclusive." },
      to: { type: "string", description: "The same, exclusive." },
      group_by: { type: "array", items: { type: "string", enum: GROUPINGS }, maxItems: 2 },
      order: { type: "string", enum: ["newest", "oldest"], default: "newest" },
      max_results: { type: "integer", minimum: 1, maximum: 50, default: 10 },
      cursor: { type: "string", description: "next_cursor of the page before." },
    },
    annotations: { readOnly: true },
    untrusted: true,
    async run({ camera, from, to, order = "newest", max_results: limit = 10, group_by, cursor, ...asked }) {
      const known = camera === undefined ? undefined : cameras.find(camera);
      // One that was removed or renamed still has its past.
      const had = camera !== undefined && known === undefined && events.count({ camera }, ["camera"]).total > 0;
      if (camera !== undefined && known === undefined && !had) throw new Error(unknownCamera(cameras, camera));
      const [start, end] = [from, to].map((time) => (time === undefined ? undefined : parseEventTime(time, timeZone)));
      const { class_name: className, kind, direction, watch_id: watch, visit_id: visit } = asked;
      const query = { camera: known?.name ?? camera, className, kind, direction, watch, visit, from: start, to: end };
      const { total, groups } = events.count(query, ["kind", "class"]);
      const grouped = group_by === undefined ? undefined : events.count(query, group_by);
      const listed = events.list({ ...query, order, limit: limit + 1, cursor });
      const shown = listed.slice(0, limit);
      const next = listed.length > limit ? shown.at(-1)?.id : undefined;
      return {
        data: {
          totals: groups.map((group) => withThings(toTotal(group), query, events)),
          total,
          ...(grouped && { groups: grouped.groups, groups_left_out: grouped.groups_left_out }),
          order,
          events: shown,
          ...(next !== undefined && { next_cursor: next }),
        },
      };
    },
    render: (data) => render(data, timeZone),
  });
}

type EventsFound = ToolDataOf<"search_events">;
type EventGroup = EventCount["groups"][number];

function toTotal({ kind, class: class_name, count }: EventGroup): EventsFound["totals"][number] {
  return { kind: sceneEventKindSchema.parse(kind), ...(class_name !== undefined && { class_name }), count };
}

/** How many different things crossed, where that can be told of exactly these crossings. */
function withThings(
  total: EventsFound["totals"][number],
  { direction, watch, visit, ...query }: Pick<EventQuery, "camera" | "direction" | "watch" | "visit" | "from" | "to">,
  events: Pick<ToolParts["events"], "countCrossings">,
): EventsFound["totals"][number] {
  if (total.kind !== "line_crossed" || (direction ?? watch ?? visit) !== undefined) return total;
  const { camera, from, to } = query;
  const { visits, untracked } = events.countCrossings({ camera, from, to, className: total.class_name });
  return untracked === 0 && total.class_name !== undefined ? { ...total, things: visits } : total;
}

function render({ totals, total, groups, groups_left_out = 0, events, next_cursor }: EventsFound, timeZone: string) {
  if (total === 0) return "No matching events.";
  const left = groups_left_out + Math.max(0, (groups?.length ?? 0) - MOST_GROUPS);
  const grouped = groups?.slice(0, MOST_GROUPS).map(({ count, ...keys }) => `  ${namesOf(keys)}: ${count}`) ?? [];
  return [
    renderTotals(totals, total),
    ...(grouped.length > 0 ? ["By group:", ...grouped] : []),
    ...(left > 0 ? [`  and ${left} more groups; narrow the search.`] : []),
    ...events.map((event) => formatEvent(event, timeZone)),
    ...(next_cursor === undefined ? [] : [`There are more; go on with cursor ${next_cursor}.`]),
  ].join("\n");
}

function namesOf(keys: Omit<EventGroup, "count">): string {
  return Object.values(keys).join(", ") || "none";
}

/** e.g. `12 events: 8 appeared person, 4 crossings by 3 cars.` */
function renderTotals(totals: EventsFound["totals"], total: number): string {
  const each = totals
    .map(({ kind, class_name = "", count, things }) =>
      things === undefined ? `${count} ${kind} ${class_name}`.trim() : crossingsInWords(count, things, [class_name]),
    )
    .join(", ");
  return `${total} event${total === 1 ? "" : "s"}: ${each}.`;
}

function formatEvent({ timestamp, camera, kind, text, picture }: SceneEvent, timeZone: string): string {
  const evidence = picture === undefined ? "" : ` (picture ${picture})`;
  return `- ${formatLocalTime(timestamp, timeZone)} ${camera} ${kind}: ${text}${evidence}`;
}
