// "tell me when …" in flat words → a checked watch; the watches listed and removed, read back from the registry
import { type WatchCondition, type WatchRequest, watchRequestSchema } from "@vision-agent/protocol";
import { nearestName } from "@vision-agent/vision-engine";
import type { WatchRegistry } from "../watches/watch-registry.ts";
import { describeWatch } from "../watches/watch-words.ts";
import type { CameraRegistry, RegisteredCamera } from "../workspace/camera-registry.ts";
import { watchEffect } from "./effects.ts";
import { schemaFor, type ToolArguments, visionTool } from "./graded-tool.ts";
import { unknownCamera } from "./known-source.ts";
import { quoteWords } from "./quote-words.ts";
import { describeModels } from "./sighting.ts";
import type { ToolParts } from "./tool-parts.ts";
import { DIRECTIONS, type PlaceArgument, parseLine, parseZone, toDirection } from "./watch-places.ts";
import { toToolFailure } from "./workflow-argument.ts";

const CONDITIONS = ["appears", "leaves", "crosses_line", "enters_zone", "stays", "count", "absent"] as const;
const ALL_CAMERAS = "all";
const PLACE = schemaFor<PlaceArgument>({
  anyOf: [{ type: "string" }, { type: "array", items: { type: "array", items: { type: "number" } } }],
});
const TIME = { type: "string", pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" } as const;

const PROPERTIES = {
  words: { type: "string", minLength: 1, maxLength: 500, description: "What the person asked for." },
  cameras: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 32, description: 'Names, or ["all"].' },
  classes: { type: "array", items: { type: "string" }, maxItems: 80, description: "Empty: anything." },
  when: { type: "string", enum: CONDITIONS },
  line: {
    ...PLACE,
    description:
      'For crosses_line: "vertical middle", "horizontal middle", "left third" or [[x,y],[x,y]] as fractions.',
  },
  direction: { type: "string", enum: DIRECTIONS, default: "any" },
  zone: {
    ...PLACE,
    description:
      'For enters_zone; optional for stays, count and absent: "left half", "top right quarter", "center" or corners as fractions.',
  },
  at_least: { type: "integer", minimum: 1, maximum: 1000, description: "For count." },
  seconds: {
    type: "number",
    minimum: 0,
    maximum: 86_400,
    description: "For stays and absent; for count, how long it must last.",
  },
  active_from: { ...TIME, description: "Local HH:MM; with active_to." },
  active_to: TIME,
  cooldown_seconds: { type: "number", minimum: 0, maximum: 86_400, default: 30 },
  severity: { type: "string", enum: ["info", "warning", "critical"], default: "info" },
  model_id: { type: "string", description: "Only for classes that the camera's own detector does not know." },
  replaces: {
    type: "string",
    description: "To change a watch: its id. It is removed once this one exists, so repeat what stays the same.",
  },
} as const;
type WatchArgs = ToolArguments<typeof PROPERTIES, "words" | "cameras" | "when">;
type WatchToolParts = Pick<ToolParts, "detectorFor" | "classesOf"> & {
  readonly watches: Pick<WatchRegistry, "create" | "get" | "list">;
  readonly cameras: CameraRegistry;
};

const NO_WATCHES = "No watches yet.";

export function watchTool(options: WatchToolParts) {
  return visionTool({
    name: "create_watch",
    description:
      "Alert the person, with a picture, whenever something is seen from now on. Survives restarts and starts what it needs; no start_pipeline.",
    required: ["words", "cameras", "when"],
    properties: PROPERTIES,
    picturesOf: ({ cameras }) => ({
      cameras: cameras.includes(ALL_CAMERAS) ? options.cameras.list().map(({ name }) => name) : cameras,
      to: ["server"],
    }),
    gradeOf: (args) => ({ grade: "change", question: toQuestion(args, options.watches) }),
    async run(args) {
      const cameras = toCameras(options.cameras, args.cameras);
      const classes = toClasses(args, cameras, options);
      const request = toRequest(args, { cameras: cameras.map(({ name }) => name), classes });
      const { replaces } = args;
      try {
        const { id } = await options.watches.create(request, replaces === undefined ? {} : { replaces });
        const watch = options.watches.get(id);
        const models = [...new Set(cameras.map(({ address }) => args.model_id ?? options.detectorFor(address)))];
        const effects = [watchEffect(replaces === undefined ? "created" : "changed", watch)];
        return { data: { watch, models, replaced: replaces, effects } };
      } catch (thrown) {
        throw toToolFailure(thrown);
      }
    },
    render({ watch, models, replaced }) {
      const instead = replaced === undefined ? "" : `\nIt replaces ${replaced}.`;
      return `Watching.\n${describeWatch(watch)}\nModel: ${describeModels(models)}${instead}`;
    },
  });
}

/** From the data of the watch: its words are the assistant's. */
function toQuestion(args: WatchArgs, watches: Pick<WatchRegistry, "list">): string {
  const { cameras, classes = [], words, replaces } = args;
  const what = classes.map((name) => quoteWords(name, 40)).join(" or ") || "anything";
  const hours = args.active_from === undefined ? "" : ` from ${args.active_from} to ${args.active_to}`;
  const old = watches.list().find(({ id }) => id === replaces)?.words;
  const instead = old === undefined ? "" : ` in place of the watch ${quoteWords(old)}`;
  const where = cameras.map((name) => quoteWords(name, 64)).join(", ");
  return `May I alert you when ${what} ${args.when.replaceAll("_", " ")} on ${where}${hours}${instead}? The assistant calls it ${quoteWords(words)}.`;
}

export function listWatchesTool(watches: Pick<WatchRegistry, "list">) {
  return visionTool({
    name: "list_watches",
    description: "List the watches: id, words, condition, hours, state, how often each fired.",
    properties: {},
    annotations: { readOnly: true },
    run: async () => ({ data: { watches: [...watches.list()] } }),
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
      const words = watches.list().find(({ id }) => id === watch_id)?.words ?? watch_id;
      return { grade: "change", always: true, question: `May I remove the watch ${quoteWords(words)}?` };
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

function toCameras(cameras: CameraRegistry, names: readonly string[]): readonly RegisteredCamera[] {
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

/** As the models spell them. Throws with the nearest names when one does not know a class. */
function toClasses(
  { classes = [], model_id }: WatchArgs,
  cameras: readonly RegisteredCamera[],
  { detectorFor, classesOf }: WatchToolParts,
): readonly string[] {
  const models = [...new Set(cameras.map(({ address }) => model_id ?? detectorFor(address)))];
  return classes.map((written) => {
    const spellings = models.map((modelId) => spellingOf(written, modelId, classesOf(modelId)));
    return spellings[0] ?? written;
  });
}

function spellingOf(written: string, modelId: string, known: readonly string[] | undefined): string {
  if (known === undefined) return written;
  const found = known.find((name) => singulars(written).includes(name.toLowerCase()));
  if (found !== undefined) return found;
  const nearest = nearestName(written, known);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new Error(
    `No watch was created. The model ${modelId} cannot find "${written}".${hint} It finds: ${known.join(", ")}. Use one of these, or a model_id that knows it.`,
  );
}

/** Detectors name one thing; people often name many. */
function singulars(written: string): readonly string[] {
  const word = written.trim().toLowerCase();
  if (word === "people") return ["person"];
  return [word, word.replace(/s$/, ""), word.replace(/es$/, ""), word.replace(/ies$/, "y")];
}

function toRequest(
  args: WatchArgs,
  checked: { readonly cameras: readonly string[]; readonly classes: readonly string[] },
): WatchRequest {
  const { words, active_from: from, active_to: to, cooldown_seconds, severity, model_id } = args;
  if ((from === undefined) !== (to === undefined)) throw new Error("Give active_from and active_to together.");
  return watchRequestSchema.parse({
    words,
    ...checked,
    condition: toCondition(args),
    ...(from !== undefined && { active_hours: { from, to } }),
    ...(cooldown_seconds !== undefined && { cooldown_seconds }),
    ...(severity !== undefined && { severity }),
    ...(model_id !== undefined && { model_id }),
  });
}

function toCondition(args: WatchArgs): WatchCondition {
  const zone = args.zone === undefined ? {} : { zone: parseZone(args.zone) };
  switch (args.when) {
    case "appears":
    case "leaves":
      if (args.zone !== undefined) throw new Error("With a zone use enters_zone, stays, count or absent.");
      return { kind: args.when };
    case "crosses_line": {
      const line = parseLine(needed(args, "line"));
      return { kind: "crosses", line, direction: toDirection(args.direction ?? "any", line) };
    }
    case "enters_zone":
      return { kind: "enters", zone: parseZone(needed(args, "zone")) };
    case "stays":
      return { kind: "stays", seconds: needed(args, "seconds"), ...zone };
    case "count":
      return { kind: "count", at_least: needed(args, "at_least"), for_seconds: args.seconds ?? 0, ...zone };
    case "absent":
      return { kind: "absent", for_seconds: needed(args, "seconds"), ...zone };
  }
}

function needed<K extends "line" | "zone" | "seconds" | "at_least">(
  args: WatchArgs,
  name: K,
): NonNullable<WatchArgs[K]> {
  const value = args[name];
  if (value === undefined || value === 0) throw new Error(`${args.when} needs ${name}.`);
  return value as NonNullable<WatchArgs[K]>;
}
