// an event, alert, visit, or a camera at a time → its stored picture, in the conversation
import type { ImagePart } from "@vision-agent/agent-core";
import type { AlertRouter } from "../alerts/route-alert.ts";
import type { SceneEventLog } from "../store/open-scene-event-log.ts";
import { ofCamera, toSources } from "../store/picture-origin.ts";
import type { CameraRegistry } from "../workspace/camera-registry.ts";
import { formatLocalTime, parseEventTime } from "./event-times.ts";
import { type ToolArguments, visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import type { ToolParts } from "./tool-parts.ts";

/** So far from the time that was asked for a picture may be. */
const NEAR_MS = 10 * 60_000;
const ALL_ALERTS = 5000;
const MOST_EVENTS = 500;

const PROPERTIES = {
  event_id: { type: "string" },
  alert_id: { type: "string" },
  visit_id: { type: "string" },
  camera: { type: "string", description: "With at: the stored picture nearest to that time." },
  at: { type: "string", description: "ISO 8601, local without an offset." },
} as const;
type ShowPictureArgs = ToolArguments<typeof PROPERTIES>;

interface ShowPictureParts extends Pick<ToolParts, "timeZone"> {
  readonly events: Pick<SceneEventLog, "get" | "visit" | "list">;
  readonly alerts: Pick<AlertRouter, "list">;
  readonly cameras: CameraRegistry;
  /** Bytes of a stored picture; undefined when they are gone. */
  readonly storedPicture: (id: string) => Promise<Uint8Array | undefined>;
}

/** What a picture is of. */
interface Shown {
  readonly camera: string;
  readonly timestamp: string;
  readonly text: string;
  readonly picture: string | undefined;
}

export function showPictureTool(options: ShowPictureParts) {
  const { storedPicture, timeZone } = options;
  return visionTool({
    name: "show_picture",
    description:
      "Show the person the stored picture of an event, an alert or a visit, or of a camera at a time that is over.",
    properties: PROPERTIES,
    deferLoading: true,
    annotations: { readOnly: true },
    untrusted: true,
    picturesOf(args) {
      try {
        return { cameras: [find(args, options).camera], to: ["model"] };
      } catch {
        // The call itself says what is missing.
        return { cameras: [], to: [] };
      }
    },
    async run(args, { putImage }) {
      const { camera, timestamp, text, picture } = find(args, options);
      const bytes = picture === undefined ? undefined : await storedPicture(picture);
      if (picture === undefined || bytes === undefined) {
        throw new Error(
          `No picture is kept of this any more: ${formatLocalTime(timestamp, timeZone)} ${camera}: ${text}`,
        );
      }
      const image: ImagePart = await putImage(bytes, {
        mimeType: "image/jpeg",
        alt: `${camera}, ${formatLocalTime(timestamp, timeZone)}: ${text}`,
        sources: toSources(ofCamera(camera)),
      });
      return { data: { camera, timestamp, text, picture }, images: [image] };
    },
    render: ({ camera, timestamp, text }) =>
      `The person sees the picture of ${camera} at ${formatLocalTime(timestamp, timeZone)}: ${text}`,
  });
}

/** Throws a sentence. */
function find(args: ShowPictureArgs, options: ShowPictureParts): Shown {
  const { event_id, alert_id, visit_id, camera, at } = args;
  const given = [event_id, alert_id, visit_id, camera].filter((one) => one !== undefined);
  if (given.length !== 1) throw new Error("Give one of event_id, alert_id, visit_id, or camera with at.");
  if (event_id !== undefined) return known(options.events.get(event_id), `event ${event_id}`, "search_events");
  if (alert_id !== undefined) {
    const alert = options.alerts.list(ALL_ALERTS).find(({ id }) => id === alert_id);
    return known(alert, `alert ${alert_id}`, "list_alerts");
  }
  if (visit_id !== undefined) {
    const visit = known(options.events.visit(visit_id), `visit ${visit_id}`, "search_events");
    return { ...visit, timestamp: visit.begin, text: `a visit of ${visit.class_name ?? "something"}` };
  }
  return nearest(camera ?? "", at, options);
}

function known<T extends { readonly picture?: string | undefined }>(
  found: T | undefined,
  what: string,
  tool: string,
): T & { readonly picture: string | undefined } {
  if (found === undefined) throw new Error(`There is no ${what}. ${tool} lists those there are.`);
  return { ...found, picture: found.picture };
}

function nearest(name: string, at: string | undefined, { cameras, events, timeZone }: ShowPictureParts): Shown {
  const camera = cameras.find(name)?.name;
  if (camera === undefined) throw new Error(unknownCamera(cameras, name));
  if (at === undefined) throw new Error("Say when: at. For now use capture_frame.");
  const wantedMs = Date.parse(parseEventTime(at, timeZone));
  const [from, to] = [wantedMs - NEAR_MS, wantedMs + NEAR_MS].map((ms) => new Date(ms).toISOString());
  const distance = ({ timestamp }: Shown): number => Math.abs(Date.parse(timestamp) - wantedMs);
  const [found] = events
    .list({ camera, from, to, limit: MOST_EVENTS })
    .map((event) => ({ ...event, picture: event.picture }))
    .filter(({ picture }) => picture !== undefined)
    .toSorted((one, other) => distance(one) - distance(other));
  if (found !== undefined) return found;
  throw new Error(
    `No picture of ${camera} is kept within ${NEAR_MS / 60_000} minutes of ${at}: pictures are kept of events.`,
  );
}
