// camera, class, kind, time → what happened, from one end of the time, with how often
import { type SceneEvent, type SceneEventKind, sceneEventKindSchema } from "@vision-agent/protocol";
import type { EventFilter, SceneEventLog } from "../scene/scene-event-log.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";
import { parseEventTime } from "./event-times.ts";
import { unknownCamera } from "./known-source.ts";
import { countNames } from "./result-lines.ts";

export interface SearchEventsOptions {
  readonly events: Pick<SceneEventLog, "list">;
  readonly cameras: CameraRegistry;
}

type Order = "newest" | "oldest";

interface SearchEventsArgs {
  readonly camera?: string;
  readonly class_name?: string;
  readonly kind?: SceneEventKind;
  readonly direction?: "in" | "out";
  readonly from?: string;
  readonly to?: string;
  readonly order?: Order;
  readonly max_results?: number;
}

/** So many are counted; what lies beyond them is said to be left out. */
const MOST_COUNTED = 1000;

export function createSearchEventsTool({ events, cameras }: SearchEventsOptions): GradedTool<SearchEventsArgs> {
  return lookOnly<SearchEventsArgs>({
    name: "search_events",
    description:
      "What happened in front of the cameras: counts by kind and class, then the newest (or oldest) events with picture ids.",
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        camera: { type: "string" },
        class_name: { type: "string" },
        kind: { type: "string", enum: [...sceneEventKindSchema.options] },
        direction: { type: "string", enum: ["in", "out"], description: "Of line_crossed." },
        from: { type: "string", description: "ISO 8601 or YYYY-MM-DD, local; inclusive." },
        to: { type: "string", description: "The same, exclusive." },
        order: { type: "string", enum: ["newest", "oldest"], default: "newest" },
        max_results: { type: "integer", minimum: 1, maximum: 50, default: 10 },
      },
    },
    annotations: { readOnly: true },
    async execute(args) {
      const { camera, direction, order = "newest", max_results = 10 } = args;
      const known = camera === undefined ? undefined : cameras.find(camera);
      if (camera !== undefined && known === undefined) throw new Error(unknownCamera(cameras, camera));
      const listed = events.list(toFilter(args, known?.name));
      const found = listed.filter((event) => direction === undefined || event.direction === direction);
      if (found.length === 0) return "No event fits.";
      const shown = found.slice(0, max_results);
      return [
        formatTotals(found, listed.length === MOST_COUNTED ? order : undefined),
        ...shown.map(formatEvent),
        ...rest(found.length - shown.length),
      ].join("\n");
    },
  });
}

function toFilter({ class_name, kind, from, to, order }: SearchEventsArgs, camera: string | undefined): EventFilter {
  return {
    limit: MOST_COUNTED,
    order,
    camera,
    className: class_name,
    kind,
    ...(from !== undefined && { from: parseEventTime(from) }),
    ...(to !== undefined && { to: parseEventTime(to) }),
  };
}

/** e.g. `12 events: 8 appeared person, 4 line_crossed car.` */
function formatTotals(events: readonly SceneEvent[], cutAfter: Order | undefined): string {
  const kinds = countNames(events.map(({ kind, class_name = "" }) => `${kind} ${class_name}`.trim()));
  const totals = kinds.map(({ className, count }) => `${count} ${className}`).join(", ");
  const many = cutAfter === undefined ? String(events.length) : `the ${cutAfter} ${events.length}`;
  return `${many} event${events.length === 1 ? "" : "s"}: ${totals}.`;
}

function formatEvent({ timestamp, camera, kind, text, picture }: SceneEvent): string {
  const evidence = picture === undefined ? "" : ` (picture ${picture})`;
  return `- ${localTime(timestamp)} ${camera} ${kind}: ${text}${evidence}`;
}

function localTime(timestamp: string): string {
  const time = new Date(timestamp);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

function rest(count: number): readonly string[] {
  return count > 0 ? [`and ${count} more; narrow the search or raise max_results.`] : [];
}
