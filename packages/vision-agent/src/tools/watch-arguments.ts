// what a model writes for a watch, in flat words ⇄ the request that the registry takes
import {
  type CameraPlace,
  colourSchema,
  type SimpleCondition,
  type Watch,
  type WatchChange,
  type WatchCondition,
  type WatchRequest,
  watchChangeSchema,
  watchConditionSchema,
  watchRequestSchema,
} from "@vision-agent/protocol";
import type { z } from "zod";
import { describeIssue } from "../workspace/describe-issue.ts";
import { schemaFor, type ToolArguments } from "./graded-tool.ts";
import {
  DIRECTIONS,
  type DirectionWord,
  type PlaceArgument,
  parseLine,
  parseZone,
  toDirection,
} from "./watch-places.ts";

const CONDITIONS = [
  "appears",
  "leaves",
  "crosses_line",
  "enters_zone",
  "stays",
  "count",
  "absent",
  "near",
  "together",
] as const;
const PLACE = schemaFor<PlaceArgument>({
  anyOf: [{ type: "string" }, { type: "array", items: { type: "array", items: { type: "number" } } }],
});
// What a value may be is said once, by the schema of a request: every word here is read with every message.
const TEXT = { type: "string" } as const;
const NAMES = { type: "array", items: TEXT } as const;
const NUMBER = { type: "number" } as const;
const COUNT = { type: "integer" } as const;

export const WATCH_PROPERTIES = {
  words: { ...TEXT, description: "What the person asked for." },
  cameras: { ...NAMES, description: 'Names, or ["all"].' },
  classes: { ...NAMES, description: "Empty: anything." },
  when: { type: "string", enum: CONDITIONS },
  line: {
    ...PLACE,
    description:
      'For crosses_line: its name, "vertical middle", "horizontal middle", "left third" or [[x,y],[x,y]] as fractions.',
  },
  direction: { type: "string", enum: DIRECTIONS },
  zone: {
    ...PLACE,
    description:
      'For enters_zone; optional for stays, count, absent, together: its name, "left half", "top right quarter", "center" or corners as fractions.',
  },
  at_least: { ...COUNT, description: "For count; or at_most." },
  at_most: COUNT,
  seconds: { ...NUMBER, description: "For stays and absent; for count, near and together, how long it must last." },
  other: { ...NAMES, description: "For near and together: the other classes." },
  distance: { ...NUMBER, description: "For near: share of the picture's width." },
  condition: schemaFor<object>({
    type: "object",
    description:
      'Instead of when, for several: {"kind":"all"|"any","of":[…]}, {"kind":"not","of":…}, {"kind":"sequence","steps":[{"when":…,"camera"?,"not"?}],"within_seconds"}, {"kind":"output","pipeline","path","comparator","value"}. Parts are named as here, with "kind", "for_seconds" (stays: "seconds"), "what"?:{"classes"}, "other":{"classes"}.',
  }),
  min_confidence: NUMBER,
  min_size: { ...NUMBER, description: "Share of the picture's area; also max_size." },
  max_size: NUMBER,
  colour: { type: "string", enum: colourSchema.options },
  active_from: { ...TEXT, description: "HH:MM, sunset or sunrise+30; with active_to." },
  active_to: TEXT,
  days: { ...NAMES, description: "mon to sun." },
  modes: NAMES,
  cooldown_seconds: { ...NUMBER, default: 30 },
  again_seconds: { ...NUMBER, description: "Told again while it lasts." },
  expires_at: { ...TEXT, description: "ISO 8601." },
  severity: { type: "string", enum: ["info", "warning", "critical"] },
  text: { ...TEXT, description: "What the alert says." },
  check_question: { ...TEXT, description: "A vision model must say yes first; costs money." },
  model_id: { ...TEXT, description: "For classes that the camera's detector does not know." },
} as const;
export type WatchArgs = ToolArguments<typeof WATCH_PROPERTIES>;

/** Which named places there are on every camera of the watch. */
export type KnownPlaces = (kind: CameraPlace["kind"], name: string) => boolean;

interface Checked {
  readonly cameras: readonly string[];
  readonly classes: readonly string[];
  readonly isPlace: KnownPlaces;
}

/** Throws a sentence that says what is missing. */
export function toRequest(args: WatchArgs, { cameras, classes, isPlace }: Checked): WatchRequest {
  const condition = toCondition(args, isPlace);
  return parsed(watchRequestSchema, {
    words: args.words,
    cameras,
    classes,
    condition,
    ...withoutNull(toChange(args)),
  });
}

/** Only what is named; null takes something away. */
export function toChanges(args: NullableArgs, watch: Watch, isPlace: KnownPlaces): WatchChange {
  const isOther = CONDITION_ARGUMENTS.some((name) => name in args);
  const condition = isOther ? toCondition({ ...toArguments(watch), ...(args as WatchArgs) }, isPlace) : undefined;
  return parsed(watchChangeSchema, {
    ...(args.words && { words: args.words }),
    ...(condition && { condition }),
    ...toChange(args),
  });
}

export type NullableArgs = { readonly [K in keyof WatchArgs]?: WatchArgs[K] | null };

const CONDITION_ARGUMENTS = [
  "when",
  "condition",
  "line",
  "direction",
  "zone",
  "at_least",
  "at_most",
  "seconds",
  "other",
  "distance",
] as const;
/** These have the same name in a request. */
const SAME = [
  "min_confidence",
  "min_size",
  "max_size",
  "colour",
  "days",
  "modes",
  "cooldown_seconds",
  "again_seconds",
  "expires_at",
  "severity",
  "text",
  "model_id",
] as const;

function toChange(args: NullableArgs): Readonly<Record<string, unknown>> {
  const { active_from: from, active_to: to, check_question: question } = args;
  if ((from === undefined) !== (to === undefined)) throw new Error("Give active_from and active_to together.");
  return {
    ...Object.fromEntries(SAME.filter((name) => args[name] !== undefined).map((name) => [name, args[name]])),
    ...(from !== undefined && { active_hours: from === null ? null : { from, to } }),
    ...(question !== undefined && { check: question === null ? null : { question } }),
  };
}

function withoutNull(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  throw new Error(describeIssue(error, value));
}

function toCondition(args: WatchArgs, isPlace: KnownPlaces): WatchCondition {
  if (args.condition !== undefined && args.condition !== null) {
    return parsed(watchConditionSchema, withPlaces(args.condition, isPlace));
  }
  const { when, seconds: for_seconds = 0 } = args;
  if (when === undefined) throw new Error("Say when it is so: when, or condition.");
  const zone = args.zone === undefined ? {} : { zone: toZone(args.zone, isPlace) };
  const other = (): { readonly other: { classes: string[] } } => ({ other: { classes: [...needed(args, "other")] } });
  switch (when) {
    case "appears":
    case "leaves":
      if (args.zone !== undefined) throw new Error("With a zone use enters_zone, stays, count or absent.");
      return { kind: when };
    case "crosses_line":
      return { kind: "crosses", ...toCrossing(needed(args, "line"), args.direction ?? "any", isPlace) };
    case "enters_zone":
      return { kind: "enters", zone: toZone(needed(args, "zone"), isPlace) };
    case "stays":
      return { kind: "stays", seconds: needed(args, "seconds"), ...zone };
    case "count":
      return args.at_most === undefined
        ? { kind: "count", at_least: needed(args, "at_least"), for_seconds, ...zone }
        : { kind: "count", at_most: args.at_most, for_seconds, ...zone };
    case "absent":
      return { kind: "absent", for_seconds: needed(args, "seconds"), ...zone };
    case "near":
      return { kind: "near", ...other(), distance: args.distance ?? USUAL_DISTANCE, for_seconds };
    case "together":
      return { kind: "together", ...other(), for_seconds, ...zone };
  }
}

const USUAL_DISTANCE = 0.1;

type Crossing = Pick<Extract<SimpleCondition, { kind: "crosses" }>, "line" | "direction">;

/** The place of a call in fractions: by its name on that camera, in words, or as points. Throws a sentence. */
export function toCountingPlace(
  { line, zone }: Pick<WatchArgs, "line" | "zone">,
  findPlace: (name: string) => CameraPlace | undefined,
): CameraPlace | undefined {
  if (line !== undefined && zone !== undefined) throw new Error("Give a line or a zone, not both.");
  const given = line ?? zone;
  if (given === undefined) return undefined;
  const kind = line === undefined ? "zone" : "line";
  const named = typeof given === "string" ? findPlace(given) : undefined;
  if (named?.kind === kind) return named;
  return line === undefined
    ? { kind: "zone", name: "zone", points: parseZone(given) }
    : { kind: "line", name: "line", points: parseLine(given) };
}

/** Of a named line the points are known only when it is judged, so its directions are in and out. */
function toCrossing(line: PlaceArgument, direction: DirectionWord, isPlace: KnownPlaces): Crossing {
  if (typeof line !== "string" || !isPlace("line", line)) {
    const points = parseLine(line);
    return { line: points, direction: toDirection(direction, points) };
  }
  if (direction !== "any" && direction !== "in" && direction !== "out") {
    throw new Error(`${line} has the directions in and out. Use one of these.`);
  }
  return { line, direction };
}

function toZone(zone: PlaceArgument, isPlace: KnownPlaces): Extract<SimpleCondition, { kind: "enters" }>["zone"] {
  return typeof zone === "string" && isPlace("zone", zone) ? zone : parseZone(zone);
}

const KINDS: Readonly<Record<string, string>> = { crosses_line: "crosses", enters_zone: "enters" };

/** Words for places and the kinds of flat arguments may stand inside, too. */
function withPlaces(value: unknown, isPlace: KnownPlaces): unknown {
  if (Array.isArray(value)) return value.map((one) => withPlaces(one, isPlace));
  if (typeof value !== "object" || value === null) return value;
  const { line, zone, direction, kind, ...rest } = value as Readonly<Record<string, unknown>>;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, withPlaces(inner, isPlace)])),
    ...(kind !== undefined && { kind: KINDS[String(kind)] ?? kind }),
    ...(zone !== undefined && { zone: toZone(zone as PlaceArgument, isPlace) }),
    ...(line !== undefined && toCrossing(line as PlaceArgument, (direction ?? "any") as DirectionWord, isPlace)),
  };
}

function needed<K extends "line" | "zone" | "seconds" | "at_least" | "other">(
  args: WatchArgs,
  name: K,
): NonNullable<WatchArgs[K]> {
  const value = args[name];
  if (value === undefined || value === 0) throw new Error(`${args.when} needs ${name}.`);
  return value as NonNullable<WatchArgs[K]>;
}

/** The flat arguments that its condition was, or would be, made of. */
function toArguments({ condition }: Watch): WatchArgs {
  const { kind } = condition;
  switch (condition.kind) {
    case "appears":
    case "leaves":
      return { when: condition.kind };
    case "crosses":
      return { when: "crosses_line", line: condition.line, direction: condition.direction };
    case "enters":
      return { when: "enters_zone", zone: condition.zone };
    case "stays":
      return { when: "stays", seconds: condition.seconds, zone: condition.zone };
    case "count": {
      const { at_least, at_most, for_seconds, zone } = condition;
      return { when: "count", at_least, at_most, seconds: for_seconds, zone };
    }
    case "absent":
      return { when: "absent", seconds: condition.for_seconds, zone: condition.zone };
    case "near":
      return {
        when: "near",
        other: condition.other.classes,
        distance: condition.distance,
        seconds: condition.for_seconds,
      };
    case "together":
      return { when: "together", other: condition.other.classes, zone: condition.zone, seconds: condition.for_seconds };
    default:
      throw new Error(`This watch waits for ${kind}: give its whole condition.`);
  }
}
