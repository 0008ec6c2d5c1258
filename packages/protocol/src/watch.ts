// the language of watches: what, where, when it is true, at which times, and how it is told
import { z } from "zod";
import { plainTextSchema, toPlainText } from "./plain-text.ts";
import { severitySchema } from "./scene-event.ts";

/** A point of the picture as fractions of its width and height, from the top left corner. */
const pointSchema = z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]);
const lineSchema = z.tuple([pointSchema, pointSchema]);
/** A polygon. */
export const zoneSchema = z.array(pointSchema).min(3).max(64);

/** What a zone or line of a camera is called, such as `loading zone`. */
export const placeNameSchema = z
  .string()
  .overwrite(toPlainText)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, "a name of letters, digits, blanks and . _ -, 64 at most");
const zonePlaceSchema = z.union([zoneSchema, placeNameSchema]);
const linePlaceSchema = z.union([lineSchema, placeNameSchema]);

/** What going in and going out is called, such as entering and leaving. */
const directionNamesSchema = z.object({ in: plainTextSchema(40), out: plainTextSchema(40) });
export type DirectionNames = z.infer<typeof directionNamesSchema>;

/** A zone or line of a camera that has a name. */
export const cameraPlaceSchema = z.union([
  z.object({ name: placeNameSchema, kind: z.literal("zone"), points: zoneSchema }),
  z.object({
    name: placeNameSchema,
    kind: z.literal("line"),
    points: lineSchema,
    directions: directionNamesSchema.optional(),
  }),
]);
export type CameraPlace = z.infer<typeof cameraPlaceSchema>;

export const colourSchema = z.enum([
  "black",
  "grey",
  "white",
  "red",
  "orange",
  "yellow",
  "green",
  "blue",
  "purple",
  "pink",
  "brown",
]);
export type Colour = z.infer<typeof colourSchema>;

const share = z.number().min(0).max(1);
const whatShape = {
  /** Empty means anything that the detector knows. */
  classes: z.array(plainTextSchema(100)).max(80),
  min_confidence: share.optional(),
  /** Shares of the picture's area. */
  min_size: share.optional(),
  max_size: share.optional(),
  colour: colourSchema.optional(),
  /** Absent: the detector that the camera has by default. */
  model_id: z.string().min(1).optional(),
};
/** Which things count. */
export const watchedThingsSchema = z.object(whatShape).meta({ id: "WatchedThings" });
export type WatchedThings = z.infer<typeof watchedThingsSchema>;

/** Other things than those of the watch itself. */
const what = watchedThingsSchema.optional();
const zone = zonePlaceSchema.optional();
/** So long without a break; a day at most. */
const forSeconds = z.number().nonnegative().max(86_400);
/** A week at most: nobody and nothing is followed for longer. */
const longSeconds = z.number().min(0.1).max(604_800);
/** More than any detector finds in a picture. */
const MOST_COUNTED = 1000;

const stateSchemas = [
  z
    .object({
      kind: z.literal("count"),
      what,
      at_least: z.int().positive().max(MOST_COUNTED).optional(),
      at_most: z.int().nonnegative().max(MOST_COUNTED).optional(),
      for_seconds: forSeconds.default(0),
      zone,
    })
    .refine((count) => (count.at_least === undefined) !== (count.at_most === undefined), {
      message: "count needs at_least or at_most, and not both.",
    }),
  z.object({ kind: z.literal("absent"), what, for_seconds: longSeconds, zone }),
  z.object({
    kind: z.literal("near"),
    what,
    other: watchedThingsSchema,
    /** Between the nearest edges of the boxes, as a share of the picture's width. */
    distance: share,
    for_seconds: forSeconds.default(0),
  }),
  z.object({
    kind: z.literal("together"),
    what,
    other: watchedThingsSchema,
    zone,
    for_seconds: forSeconds.default(0),
  }),
  z.object({
    kind: z.literal("output"),
    /** Name or id of the pipeline. */
    pipeline: z.string().min(1),
    /** Into its outputs: `count_in`, `predictions.0.confidence`. */
    path: z
      .string()
      .max(200)
      .regex(
        /^(?!(?:.*\.)?(?:__proto__|constructor|prototype)(?:\.|$))[^.\p{Cc}]+(?:\.[^.\p{Cc}]+)*$/u,
        "the name of an output, with dots for what is inside it, such as count_in or predictions.count",
      ),
    comparator: z.enum(["==", "!=", ">", ">=", "<", "<="]),
    value: z.union([z.number(), z.string(), z.boolean()]),
    for_seconds: forSeconds.default(0),
  }),
] as const;

const momentSchemas = [
  z.object({ kind: z.literal("appears"), what }),
  z.object({ kind: z.literal("leaves"), what }),
  z.object({
    kind: z.literal("crosses"),
    what,
    line: linePlaceSchema,
    /** Seen from the start of the line towards its end, `in` is to the left. */
    direction: z.enum(["in", "out", "any"]),
    names: directionNamesSchema.optional(),
  }),
  z.object({ kind: z.literal("enters"), what, zone: zonePlaceSchema }),
  /** Somebody or something stays; without a zone, in view. */
  z.object({ kind: z.literal("stays"), what, seconds: longSeconds, zone }),
] as const;

const stateConditionSchema = z.discriminatedUnion("kind", stateSchemas).meta({ id: "StateCondition" });
export const simpleConditionSchema = z
  .discriminatedUnion("kind", [...momentSchemas, stateConditionSchema])
  .meta({ id: "SimpleCondition" });
/** One thing that is so, or happens. */
export type SimpleCondition = z.infer<typeof simpleConditionSchema>;

const MOST_PARTS = 6;
const notSchema = z.object({ kind: z.literal("not"), of: stateConditionSchema });
const innerParts = z
  .array(z.discriminatedUnion("kind", [simpleConditionSchema, notSchema]))
  .min(2)
  .max(MOST_PARTS);
const partSchema = z
  .discriminatedUnion("kind", [
    simpleConditionSchema,
    notSchema,
    z.object({ kind: z.enum(["all", "any"]), of: innerParts }),
  ])
  .meta({ id: "ConditionPart" });
const parts = z.array(partSchema).min(2).max(MOST_PARTS);

const sequenceStepSchema = z.object({
  when: simpleConditionSchema,
  /** It must not happen; only the last step. */
  not: z.boolean().optional(),
  /** Absent: the camera of the watch. */
  camera: z.string().min(1).optional(),
});

const conditionSchema = z.discriminatedUnion("kind", [
  simpleConditionSchema,
  notSchema,
  /** `all`: every state holds; with a moment, when that happens meanwhile. `any`: each of them. */
  z.object({ kind: z.enum(["all", "any"]), of: parts }),
  /** One step after the other, each within so many seconds after the one before. */
  z.object({
    kind: z.literal("sequence"),
    steps: z.array(sequenceStepSchema).min(2).max(4),
    within_seconds: z.number().positive().max(86_400),
  }),
]);
export type WatchCondition = z.infer<typeof conditionSchema>;

/**
 * What must be seen for a watch to fire. Seconds are times of the pictures, not of the system clock.
 * A state (`count`, `absent`, `near`, `together`, `output`) holds or not; a moment (the others) happens.
 */
export const watchConditionSchema = conditionSchema
  .superRefine((condition, context) => {
    const problem = problemOf(condition);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .meta({ id: "WatchCondition" });

export const CONDITION_KINDS: readonly WatchCondition["kind"][] = [
  ...["appears", "leaves", "crosses", "enters", "stays"],
  ...["count", "absent", "near", "together", "output"],
  ...["not", "all", "any", "sequence"],
] as WatchCondition["kind"][];

const MOMENTS: ReadonlySet<string> = new Set(["appears", "leaves", "crosses", "enters", "stays", "sequence"]);

/** Whether it happens; else it is a state, which holds or not. */
export function isMoment(condition: WatchCondition): boolean {
  if (condition.kind === "all" || condition.kind === "any") return condition.of.some(isMoment);
  return MOMENTS.has(condition.kind);
}

function problemOf(condition: WatchCondition): string | undefined {
  if (condition.kind === "sequence") {
    const isEarly = condition.steps.slice(0, -1).some((step) => step.not);
    return isEarly ? "Only the last step of a sequence may be one that does not happen." : undefined;
  }
  if (condition.kind !== "all" && condition.kind !== "any") return undefined;
  if (condition.kind === "all" && condition.of.filter(isMoment).length > 1) {
    return "all takes one thing that happens beside what holds; for several use sequence.";
  }
  return condition.of.map(problemOf).find((problem) => problem !== undefined);
}

/** `22:30`, `sunset`, `sunrise+30`, `sunset-15` (minutes). */
const timeOfDaySchema = z
  .string()
  .regex(
    /^(([01]\d|2[0-3]):[0-5]\d|(sunrise|sunset)([+-]\d{1,3})?)$/,
    "a time of day such as 22:30, sunset or sunrise+30",
  );

/** Written in small letters, however it is said. */
export const modeNameSchema = z
  .string()
  .overwrite((name) => toPlainText(name).toLowerCase())
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _-]{0,31}$/u,
    "home, away, night or a name of your own: letters, digits, blanks and _ -, 32 at most",
  );

export const weekdaySchema = z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]);

/** Asked of a vision model before the alert. */
const watchCheckSchema = z.object({
  /** Answered with yes or no. */
  question: plainTextSchema(300),
  /** The answer with which the alert goes out. */
  expect: z.enum(["yes", "no"]).default("yes"),
  frames: z.int().min(1).max(4).default(1),
  /** It may cost so much a day; then alerts go out unchecked. */
  daily_usd: z.number().positive().max(100).default(0.5),
});
export type WatchCheck = z.infer<typeof watchCheckSchema>;

/** What a person asks for: the part of a watch that is said, not made. */
export const watchRequestSchema = z.object({
  /** What the person said. */
  words: plainTextSchema(500),
  cameras: z.array(z.string().min(1)).min(1).max(32),
  ...whatShape,
  condition: watchConditionSchema,
  /** Local times between which it tells; `from` later than `to` goes over midnight. Absent: always. */
  active_hours: z.object({ from: timeOfDaySchema, to: timeOfDaySchema }).optional(),
  /** Absent: every day. Hours over midnight belong to the day on which they begin. */
  days: z.array(weekdaySchema).min(1).max(7).optional(),
  /** First and last day. */
  dates: z.object({ from: z.iso.date().optional(), to: z.iso.date().optional() }).optional(),
  /** It tells in these modes only. */
  modes: z.array(modeNameSchema).min(1).max(8).optional(),
  /** After an alert nothing is told for so long. */
  cooldown_seconds: z.number().nonnegative().max(86_400).default(30),
  /** Told again after so long while it is still so; for states and stays. */
  again_seconds: z.number().positive().max(86_400).optional(),
  severity: severitySchema.default("info"),
  muted_until: z.iso.datetime({ offset: true }).optional(),
  /** It is removed then. */
  expires_at: z.iso.datetime({ offset: true }).optional(),
  /** What the alert says, instead of what was seen. */
  text: plainTextSchema(300).optional(),
  check: watchCheckSchema.optional(),
});
export type WatchRequest = z.infer<typeof watchRequestSchema>;

function nullable<T extends z.ZodType>(schema: z.ZodOptional<T>): z.ZodOptional<z.ZodNullable<T>> {
  return schema.unwrap().nullable().optional();
}
const { shape: asked } = watchRequestSchema;
/** `PATCH /api/watches/{id}`: only what changes; null takes something away. */
export const watchChangeSchema = z.object({
  words: asked.words.optional(),
  cameras: asked.cameras.optional(),
  classes: asked.classes.optional(),
  condition: asked.condition.optional(),
  cooldown_seconds: asked.cooldown_seconds.unwrap().optional(),
  severity: asked.severity.unwrap().optional(),
  min_confidence: nullable(asked.min_confidence),
  min_size: nullable(asked.min_size),
  max_size: nullable(asked.max_size),
  colour: nullable(asked.colour),
  model_id: nullable(asked.model_id),
  active_hours: nullable(asked.active_hours),
  days: nullable(asked.days),
  dates: nullable(asked.dates),
  modes: nullable(asked.modes),
  again_seconds: nullable(asked.again_seconds),
  muted_until: nullable(asked.muted_until),
  expires_at: nullable(asked.expires_at),
  text: nullable(asked.text),
  check: nullable(asked.check),
});
export type WatchChange = z.infer<typeof watchChangeSchema>;

/** A durable intention: in words, and in the compiled form that a program checks. */
export const watchSchema = watchRequestSchema.extend({
  id: z.string(),
  enabled: z.boolean(),
  created_at: z.iso.datetime(),
});
export type Watch = z.infer<typeof watchSchema>;

/** At this time of day it becomes that mode. */
export const modeRuleSchema = z.object({
  mode: modeNameSchema,
  at: timeOfDaySchema,
  days: z.array(weekdaySchema).min(1).max(7).optional(),
});

/** `GET /api/mode`: home, away, night or one of a person's own; watches may tell in some modes only. */
export const currentModeSchema = z.object({
  mode: modeNameSchema,
  /** Absent while nobody has set it. */
  since: z.iso.datetime().optional(),
  /** `default`: it was never set. */
  set_by: z.enum(["person", "schedule", "default"]),
  schedule: z.array(modeRuleSchema),
});
export type CurrentMode = z.infer<typeof currentModeSchema>;

/** `PUT /api/mode`: what is left out stays; one of the two is given. */
export const modeChangeSchema = z.object({
  mode: modeNameSchema.optional(),
  schedule: z.array(modeRuleSchema).max(16).optional(),
});
export type ModeChange = z.infer<typeof modeChangeSchema>;
