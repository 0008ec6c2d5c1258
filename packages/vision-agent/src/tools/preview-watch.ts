// a watch in flat words, or a change of one → how often it would have told; nothing is made or changed
import type { WatchChange, WatchReplayRequest, WatchRequest } from "@vision-agent/protocol";
import { describeReplay } from "../replay/describe-replay.ts";
import { formatLocalTime } from "./event-times.ts";
import { schemaFor, type ToolArguments, visionTool } from "./graded-tool.ts";
import { toClasses } from "./known-classes.ts";
import { quoteWords } from "./quote-words.ts";
import type { ToolParts } from "./tool-parts.ts";
import { type NullableArgs, toChanges, toRequest, type WATCH_PROPERTIES } from "./watch-arguments.ts";
import { mustKnow, placesOf, toCameras } from "./watch-tools.ts";
import { toToolFailure } from "./workflow-argument.ts";

const PREVIEW_PROPERTIES = {
  watch_id: { type: "string", description: "A watch that exists; with changes." },
  changes: schemaFor<NullableArgs>({ type: "object", description: "As in update_watch." }),
  watch: schemaFor<NullableArgs>({ type: "object", description: "A new watch: arguments of create_watch." }),
  clip: { type: "string", description: "Path of a video file, instead of what the cameras showed." },
  starts: { type: "string", description: "When the clip was taken, ISO 8601." },
  from: { type: "string", description: "ISO 8601. Default: the last day." },
  to: { type: "string" },
  footage: {
    type: "boolean",
    description: "Run the detectors again over what was recorded of the period, which takes long. Default: the trace.",
  },
} as const;
type PreviewArgs = ToolArguments<typeof PREVIEW_PROPERTIES>;
type PreviewParts = Pick<
  ToolParts,
  "cameras" | "watches" | "places" | "detectorFor" | "classesOf" | "replayWatch" | "timeZone"
>;
const MOST_LINES = 20;

export function previewWatchTool(parts: PreviewParts) {
  return visionTool({
    name: "preview_watch",
    description:
      "How often a watch would have alerted in the past, before it is made or changed. Changes nothing. Give watch, or watch_id with changes.",
    deferLoading: true,
    properties: PREVIEW_PROPERTIES,
    annotations: { readOnly: true },
    timeoutMs: 600_000,
    gradeOf: ({ clip }) => ({
      grade: "look",
      question: "May I look at that file?",
      destinations:
        clip === undefined ? [] : [{ kind: "path", target: clip, sentence: fileSentence(clip), isFixed: true }],
    }),
    async run(args, { signal }) {
      try {
        const { clip, starts, from, to, footage } = args;
        const seen = { clip, starts, from, to, footage };
        return { data: await parts.replayWatch({ ...toAsked(args, parts), ...seen }, signal) };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render: (data) => describeReplay(data, { toTime: (at) => formatLocalTime(at, parts.timeZone), most: MOST_LINES }),
  });
}

function fileSentence(path: string): string {
  return `The file ${quoteWords(path, 300)} is not one of your cameras.`;
}

function toAsked(args: PreviewArgs, parts: PreviewParts): Pick<WatchReplayRequest, "watch" | "changes"> {
  const { watch_id, changes, watch } = args;
  if ((watch === undefined) === (watch_id === undefined)) throw new Error("Give watch, or watch_id with changes.");
  if (watch_id !== undefined) {
    return { watch: watch_id, ...(changes && { changes: toChange(watch_id, changes, parts) }) };
  }
  const { words = "preview", cameras = [], ...rest } = watch as WatchRequestArgs;
  mustKnow(rest);
  const known = toCameras(parts.cameras, cameras);
  const names = known.map(({ name }) => name);
  const asked = { ...rest, words, cameras: names };
  const request = toRequest(asked, {
    cameras: names,
    classes: toClasses(asked, known, parts),
    isPlace: placesOf(parts.places, names),
  });
  return { watch: request as WatchRequest };
}

type WatchRequestArgs = ToolArguments<typeof WATCH_PROPERTIES>;

function toChange(id: string, changes: NullableArgs, { watches, places }: PreviewParts): WatchChange {
  mustKnow(changes);
  const before = watches.get(id);
  return toChanges(changes, before, placesOf(places, changes.cameras ?? before.cameras)) as WatchChange;
}
