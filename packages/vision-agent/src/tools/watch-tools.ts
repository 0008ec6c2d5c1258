// "tell me when …" in flat words → a checked watch; the watches listed and removed, read back from the registry
import { describeChanges, differences, differencesInWords } from "../watches/watch-differences.ts";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { describeWatch } from "../watches/watch-words.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { formatTime } from "../workspace/format-time.ts";
import type { PictureUse } from "./ask-egress.ts";
import { watchEffect } from "./effects.ts";
import { schemaFor, type ToolArguments, visionTool } from "./graded-tool.ts";
import { toClasses } from "./known-classes.ts";
import { unknownCamera } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";
import { describeModels } from "./sighting.ts";
import type { ToolParts } from "./tool-parts.ts";
import { type KnownPlaces, type NullableArgs, toChanges, toRequest, WATCH_PROPERTIES } from "./watch-arguments.ts";
import { toToolFailure } from "./workflow-argument.ts";

const ALL_CAMERAS = "all";
const CREATE_PROPERTIES = {
  ...WATCH_PROPERTIES,
  replaces: { type: "string", description: "Id of the watch it replaces." },
} as const;
type CreateArgs = ToolArguments<typeof CREATE_PROPERTIES, "words" | "cameras">;
type WatchToolParts = Pick<ToolParts, "detectorFor" | "classesOf" | "places"> & {
  readonly watches: Pick<WatchRegistry, "create" | "get" | "list">;
  readonly cameras: CameraRegistry;
};

const NO_WATCHES = "No watches yet.";

export function watchTool(options: WatchToolParts) {
  return visionTool({
    name: "create_watch",
    description:
      "Alert the person, with a picture, whenever something is seen from now on. Survives restarts and starts what it needs; no start_pipeline.",
    required: ["words", "cameras"],
    properties: CREATE_PROPERTIES,
    picturesOf: (args) => picturesOf(args, options.cameras),
    gradeOf: (args) => ({ grade: "change", question: toQuestion(args, options.watches) }),
    async run(args) {
      const cameras = toCameras(options.cameras, args.cameras);
      const names = cameras.map(({ name }) => name);
      const classes = toClasses(args, cameras, options);
      const request = toRequest(args, { cameras: names, classes, isPlace: placesOf(options.places, names) });
      const { replaces } = args;
      try {
        const old = options.watches.list().find((watch) => watch.id === replaces);
        const { id } = await options.watches.create(request, replaces === undefined ? {} : { replaces });
        const watch = options.watches.get(id);
        const models = [...new Set(cameras.map(({ address }) => args.model_id ?? options.detectorFor(address)))];
        // Both, so that undo brings back the one that it replaced.
        const effects = [...(old ? [watchEffect("removed", old)] : []), watchEffect("created", watch)];
        return { data: { watch, models, replaced: replaces, effects } };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render({ watch, models, replaced }) {
      const instead = replaced === undefined ? "" : `\nIt replaces ${replaced}.`;
      const begun = watch.state.kind === "blind" ? "Created, but it sees nothing now." : "Watching.";
      return `${begun}\n${describeWatch(watch)}\nModel: ${describeModels(models)}${instead}`;
    },
  });
}

/** From the data of the watch: its words are the assistant's. */
function toQuestion(args: CreateArgs, watches: Pick<WatchRegistry, "list">): string {
  const { cameras, classes = [], words, replaces } = args;
  const what = classes.map((name) => quoteWords(name, 40)).join(" or ") || "anything";
  const when = args.when?.replaceAll("_", " ") ?? `fulfils ${quoteWords(JSON.stringify(args.condition ?? {}), 300)}`;
  const hours = args.active_from === undefined ? "" : ` from ${args.active_from} to ${args.active_to}`;
  const old = watches.list().find(({ id }) => id === replaces)?.words;
  const instead = old === undefined ? "" : ` in place of the watch ${quoteWords(old)}`;
  const where = cameras.map((name) => quoteWords(name, 64)).join(", ");
  return `May I alert you when ${what} ${when} on ${where}${hours}${instead}? The assistant calls it ${quoteWords(words)}.`;
}

export function updateWatchTool(options: UpdateToolParts) {
  const { watches } = options;
  return visionTool({
    name: "update_watch",
    description: "Change some of a watch; the rest stays.",
    required: ["watch_id", "changes"],
    properties: {
      watch_id: { type: "string" },
      changes: schemaFor<NullableArgs>({
        type: "object",
        description: "Arguments of create_watch that change; null takes one away.",
      }),
    },
    picturesOf: ({ watch_id, changes }) =>
      picturesOf(
        { cameras: watches.list().find(({ id }) => id === watch_id)?.cameras ?? [], ...changes },
        options.cameras,
      ),
    gradeOf: ({ watch_id, changes }) => {
      const asked = quoteWords(JSON.stringify(changes), 300);
      return {
        grade: "change",
        question: `May I change the watch ${quoteWords(wordsOf(watches, watch_id))}: ${asked}?`,
      };
    },
    async run({ watch_id, changes }) {
      mustKnow(changes);
      try {
        const before = watches.get(watch_id);
        const cameras = toCameras(options.cameras, changes.cameras ?? before.cameras);
        const names = cameras.map(({ name }) => name);
        const model_id = changes.model_id ?? before.model_id;
        const classes = changes.classes && toClasses({ classes: changes.classes, model_id }, cameras, options);
        const change = toChanges(changes, before, placesOf(options.places, names));
        const all = {
          ...change,
          ...(changes.cameras && { cameras: names }),
          ...(classes && { classes: [...classes] }),
        };
        const watch = await watches.update(watch_id, all);
        const changed = differences(before, watch, options.timeZone);
        return { data: { watch, changed, effects: [watchEffect("changed", watch, differencesInWords(changed))] } };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render: ({ watch, changed }) => `${describeChanges(changed)}\n${describeWatch(watch)}`,
  });
}

type UpdateToolParts = Omit<WatchToolParts, "watches"> & {
  readonly timeZone: string;
  readonly watches: Pick<WatchRegistry, "get" | "update" | "list">;
};

interface MuteParts extends Pick<ToolParts, "clock" | "timeZone"> {
  readonly watches: Pick<WatchRegistry, "list" | "update">;
}

const MUTE_PROPERTIES = {
  watch_id: { type: "string" },
  minutes: { type: "number", minimum: 0, maximum: 525_600, description: "0 ends it." },
  until: { type: "string", description: "Or a time, ISO 8601." },
} as const;

export function muteWatchTool({ watches, clock, timeZone }: MuteParts) {
  const toTime = (instant: string): string => formatTime(instant, { nowMs: clock.now(), timeZone });
  return visionTool({
    name: "mute_watch",
    description: "No alerts of a watch for a while.",
    required: ["watch_id"],
    properties: MUTE_PROPERTIES,
    gradeOf: ({ watch_id, minutes, until }) => {
      const long = until === undefined ? `for ${minutes} minutes` : `until ${quoteWords(until, 40)}`;
      return { grade: "change", question: `May I mute the watch ${quoteWords(wordsOf(watches, watch_id))} ${long}?` };
    },
    async run({ watch_id, minutes, until }) {
      const ms = until === undefined ? clock.now() + (minutes ?? Number.NaN) * 60_000 : Date.parse(until);
      if (Number.isNaN(ms)) throw new Error("Say how long: minutes, or until as 2026-05-20T14:00:00Z.");
      try {
        const muted_until = ms > clock.now() ? new Date(ms).toISOString() : null;
        const watch = await watches.update(watch_id, { muted_until });
        const difference = muted_until === null ? "no longer muted" : `muted until ${toTime(muted_until)}`;
        return { data: { watch, effects: [watchEffect("changed", watch, difference)] } };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render: ({ watch }) =>
      `${watch.muted_until ? `Muted until ${toTime(watch.muted_until)}.` : "No longer muted."}\n${describeWatch(watch)}`,
  });
}

/** A server may look at all cameras that it names, and a model where it is asked a question. */
function picturesOf(
  { cameras, condition, check_question }: Pick<NullableArgs, "cameras" | "condition" | "check_question">,
  known: Pick<CameraRegistry, "list">,
): PictureUse {
  const named = [...(cameras ?? []), ...camerasIn(condition)];
  return {
    cameras: named.includes(ALL_CAMERAS) ? known.list().map(({ name }) => name) : named,
    to: check_question ? ["server", "model"] : ["server"],
  };
}

/** Those that steps name. */
function camerasIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "camera" && typeof inner === "string" ? [inner] : camerasIn(inner),
  );
}

function wordsOf(watches: Pick<WatchRegistry, "list">, id: string): string {
  return watches.list().find((watch) => watch.id === id)?.words ?? id;
}

export function mustKnow(changes: NullableArgs): void {
  const unknown = Object.keys(changes).filter((name) => !(name in WATCH_PROPERTIES));
  if (unknown.length > 0) throw new Error(`Nothing was changed: ${unknown.join(", ")} is no argument of create_watch.`);
}

/** A name counts where every camera of the watch has such a place. */
export function placesOf(places: WatchToolParts["places"], cameras: readonly string[]): KnownPlaces {
  return (kind, name) => cameras.every((camera) => places.find(camera, name)?.kind === kind);
}

export function listWatchesTool(watches: Pick<WatchRegistry, "list">) {
  return visionTool({
    name: "list_watches",
    description: "List the watches: id, words, condition, hours, state, what each saw, sent and suppressed.",
    properties: {},
    annotations: { readOnly: true },
    async run() {
      const listed = [...watches.list()];
      // Why one cannot see may be the words of a server.
      return { data: { watches: listed }, untrusted: listed.some(({ state }) => state.kind === "blind") };
    },
    render: (data) => data.watches.map(describeWatch).join("\n") || NO_WATCHES,
  });
}

export function removeWatchTool(watches: Pick<WatchRegistry, "list" | "remove">) {
  return visionTool({
    name: "remove_watch",
    description: "Remove a watch for good. Answers with what is still watched.",
    required: ["watch_id"],
    properties: { watch_id: { type: "string", description: "Id from list_watches." } },
    annotations: { destructive: true },
    gradeOf({ watch_id }) {
      const words = quoteWords(wordsOf(watches, watch_id));
      return { grade: "change", always: true, question: `May I remove the watch ${words}?` };
    },
    async run({ watch_id }) {
      const removed = await watches.remove(watch_id);
      const left = [...watches.list()];
      if (left.some(({ id }) => id === removed.id)) throw new Error(`${watch_id} is still listed. Try again.`);
      return { data: { removed, watches: left, effects: [watchEffect("removed", removed)] } };
    },
    render({ removed, watches: left }) {
      const ids = left.map(({ id, words }) => `${id} "${words}"`).join(", ");
      return `Removed ${removed.id} "${removed.words}". ${ids === "" ? "No watches left." : `Still watching: ${ids}.`}`;
    },
  });
}

export function toCameras(cameras: CameraRegistry, names: readonly string[]): readonly RegisteredCamera[] {
  const wanted =
    names.includes(ALL_CAMERAS) && cameras.find(ALL_CAMERAS) === undefined
      ? cameras.list().map(({ name }) => name)
      : names;
  return [...new Set(wanted)].map((name) => {
    const camera = cameras.find(name);
    if (camera === undefined) throw new Error(`No watch was created. ${unknownCamera(cameras, name)}`);
    return camera;
  });
}
