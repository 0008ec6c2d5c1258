import {
  backendNameSchema,
  CONDITION_KINDS,
  modeNameSchema,
  severitySchema,
  weekdaySchema,
} from "@vision-agent/protocol";
import { z } from "zod";

/** A number, or a range of which both ends belong to it. */
const numberPatternSchema = z.union(
  [z.number(), z.strictObject({ from: z.number().optional(), to: z.number().optional() })],
  {
    error: "a number, or from and to",
  },
);
export type NumberPattern = z.infer<typeof numberPatternSchema>;

/** A list is exactly these. `all` must be there, `any` of these must be there, and nothing outside `only`. */
const classPatternSchema = z.union(
  [
    z.array(z.string()),
    z.strictObject({
      all: z.array(z.string()).optional(),
      any: z.array(z.string()).optional(),
      only: z.array(z.string()).optional(),
    }),
  ],
  { error: "a list of classes, or all, any and only" },
);
export type ClassPattern = z.infer<typeof classPatternSchema>;

/** Fractions of width and height, from the top left corner. */
const placeSchema = z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)], { error: "two fractions: [x, y]" });
export type PicturePlace = z.infer<typeof placeSchema>;

const lineShapeSchema = z.strictObject({
  /** The line passes here. */
  through: placeSchema.optional(),
  runs: z.enum(["horizontal", "vertical"]).optional(),
  /** How far it may be from `through`. */
  within: z.number().positive().default(0.1),
});
/** `none`: there is no line. */
const linePatternSchema = z.union([z.literal("none"), lineShapeSchema], { error: "none, or what a line is like" });
export type LinePattern = z.infer<typeof linePatternSchema>;

const zoneShapeSchema = z.strictObject({
  holds: z.array(placeSchema).default([]),
  leaves_out: z.array(placeSchema).default([]),
});
const zonePatternSchema = z.union([z.literal("none"), zoneShapeSchema], { error: "none, or what a zone is like" });
export type ZonePattern = z.infer<typeof zonePatternSchema>;

const timeSchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day in quotes, such as "22:30"');
const hoursPatternSchema = z.union(
  [
    z.literal("none"),
    z.strictObject({ from: timeSchema, to: timeSchema, within_minutes: z.number().min(0).default(0) }),
  ],
  { error: "none, or from and to as times of day in quotes" },
);
export type HoursPattern = z.infer<typeof hoursPatternSchema>;

const pipelinePatternSchema = z.strictObject({
  /** Its name has this in it. */
  name: z.string().optional(),
  camera: z.string().optional(),
  /** Each is part of the type of some step. */
  blocks: z.array(z.string()).optional(),
  classes: classPatternSchema.optional(),
  model: z.string().optional(),
  line: linePatternSchema.optional(),
  zone: zonePatternSchema.optional(),
  max_fps: numberPatternSchema.optional(),
  backend: backendNameSchema.optional(),
  /** Default `alive`: not failed, ended or stopped. */
  state: z.enum(["alive", "running", "paused", "any"]).default("alive"),
  /** True: started in this conversation; false: there before. */
  new: z.boolean().optional(),
  /** True: it need not be there. */
  optional: z.boolean().default(false),
});
export type PipelinePattern = z.infer<typeof pipelinePatternSchema>;

const conditionKindSchema = z.enum(CONDITION_KINDS);

const watchPatternSchema = z.strictObject({
  /** These and no others. */
  cameras: z.array(z.string()).optional(),
  classes: classPatternSchema.optional(),
  /** One of these kinds. */
  condition: z
    .union([conditionKindSchema, z.array(conditionKindSchema).min(1)], {
      error: `one or more of ${conditionKindSchema.options.join(", ")}`,
    })
    .optional(),
  at_least: numberPatternSchema.optional(),
  at_most: numberPatternSchema.optional(),
  /** Of `near` and `together`: the other classes. */
  other: classPatternSchema.optional(),
  /** These must not be there meanwhile: a truck while nobody is. */
  without: classPatternSchema.optional(),
  /** Name of its zone or line. */
  place: z.string().optional(),
  /** Of `stays`: how long; of `count` and `absent`: for how long. */
  seconds: numberPatternSchema.optional(),
  direction: z.enum(["in", "out", "any"]).optional(),
  line: linePatternSchema.optional(),
  zone: zonePatternSchema.optional(),
  hours: hoursPatternSchema.optional(),
  /** These and no others. */
  days: z.union([z.literal("none"), z.array(weekdaySchema).min(1)], { error: "none, or days such as mon" }).optional(),
  modes: z.union([z.literal("none"), z.array(modeNameSchema).min(1)], { error: "none, or names of modes" }).optional(),
  /** Whether it is muted, or ends by itself, and how long from now at most and at least. */
  muted_minutes: z.union([z.literal("none"), numberPatternSchema], { error: "none, or minutes" }).optional(),
  ends_minutes: z.union([z.literal("none"), numberPatternSchema], { error: "none, or minutes" }).optional(),
  cooldown_seconds: numberPatternSchema.optional(),
  severity: severitySchema.optional(),
  enabled: z.boolean().default(true),
  new: z.boolean().optional(),
  optional: z.boolean().default(false),
});
export type WatchPattern = z.infer<typeof watchPatternSchema>;

/** A list within the list: one of these suffices. */
const wordsSchema = z.array(
  z.union([z.string(), z.array(z.string()).min(1)], { error: "a word, or a list of which one suffices" }),
);

const answerPatternSchema = z.strictObject({
  all: wordsSchema.optional(),
  any: z.array(z.string()).min(1).optional(),
  none: z.array(z.string()).optional(),
  /** Some number in the answer, in digits or in words; times and dates do not count. */
  number: numberPatternSchema.optional(),
  /** Some amount of money in the answer, in dollars. */
  money: numberPatternSchema.optional(),
  asks: z.boolean().optional(),
  refuses: z.boolean().optional(),
});
export type AnswerPattern = z.infer<typeof answerPatternSchema>;

const callPatternSchema = z.union(
  [z.string(), z.strictObject({ tool: z.string(), with: z.record(z.string(), z.json()).default({}) })],
  {
    error: "the name of a tool, or tool and with",
  },
);
export type CallPattern = z.infer<typeof callPatternSchema>;

const ledgerPatternSchema = z.strictObject({
  /** `none`: nothing was changed, sent or written; else each of these was, and it went well. */
  effects: z.union([z.literal("none"), z.array(callPatternSchema)], { error: "none, or a list of calls" }).optional(),
  /** Tools that changed nothing. */
  no_effects: z.array(z.string()).optional(),
  /** Calls that were made, whatever came of them. */
  called: z.array(callPatternSchema).optional(),
  not_called: z.array(z.string()).optional(),
  /** How many calls came to nothing. */
  failures: numberPatternSchema.optional(),
});
export type LedgerPattern = z.infer<typeof ledgerPatternSchema>;

const alertPatternSchema = z.union(
  [
    z.literal("none"),
    z.strictObject({
      camera: z.string().optional(),
      /** One of these is in its text. */
      any: z.array(z.string()).min(1).optional(),
      severity: severitySchema.optional(),
      count: numberPatternSchema.default({ from: 1 }),
      /** It may take so long to come. */
      wait_seconds: z.number().min(0).max(120).default(0),
    }),
  ],
  { error: "none, or what an alert is like" },
);
export type AlertPattern = z.infer<typeof alertPatternSchema>;

const cameraPatternSchema = z.strictObject({
  name: z.string(),
  /** Its address has this in it. */
  source: z.string().optional(),
  optional: z.boolean().default(false),
});
export type CameraPattern = z.infer<typeof cameraPatternSchema>;

/** How many crossed the upright line at `x` of a simulated camera, as the scene itself knows it. */
const countPatternSchema = z.strictObject({
  camera: z.string(),
  class: z.string(),
  x: z.number().min(0).max(1),
  /** `in` is from left to right. Default: both. */
  direction: z.enum(["in", "out"]).optional(),
});
export type CountPattern = z.infer<typeof countPatternSchema>;

const taskPatternSchema = z.strictObject({
  /** One of these is in what it is to do. */
  any: z.array(z.string()).min(1).optional(),
  /** One of these is in the words for when it runs. */
  schedule: z.array(z.string()).min(1).optional(),
  enabled: z.boolean().default(true),
  optional: z.boolean().default(false),
});
export type TaskPattern = z.infer<typeof taskPatternSchema>;

/** Everything that is named must hold; what is not named is not judged. */
export interface Expectation {
  /** The whole list: a pipeline that fits nowhere is wrong, unless a watch started it. */
  readonly pipelines?: readonly PipelinePattern[] | undefined;
  /** The whole list. A pipeline that was started with `alert_on` counts as a watch. */
  readonly watches?: readonly WatchPattern[] | undefined;
  readonly alerts?: AlertPattern | undefined;
  /** The whole list. */
  readonly cameras?: readonly CameraPattern[] | undefined;
  /** The whole list of scheduled work, without the heartbeat. */
  readonly tasks?: readonly TaskPattern[] | undefined;
  /** The mode it is in. */
  readonly mode?: string | undefined;
  readonly answer?: AnswerPattern | undefined;
  readonly ledger?: LedgerPattern | undefined;
  /** The answer and the result of a tool say how many crossed until then. */
  readonly count?: CountPattern | undefined;
  /** A note was written that has all of these words. */
  readonly memory?: readonly (string | readonly string[])[] | undefined;
  /** One of these holds, too. */
  readonly any_of?: readonly Expectation[] | undefined;
}

export const expectationSchema: z.ZodType<Expectation> = z
  .strictObject({
    pipelines: z.array(pipelinePatternSchema).optional(),
    watches: z.array(watchPatternSchema).optional(),
    alerts: alertPatternSchema.optional(),
    cameras: z.array(cameraPatternSchema).optional(),
    tasks: z.array(taskPatternSchema).optional(),
    mode: modeNameSchema.optional(),
    answer: answerPatternSchema.optional(),
    ledger: ledgerPatternSchema.optional(),
    count: countPatternSchema.optional(),
    memory: wordsSchema.min(1).optional(),
    any_of: z.lazy(() => z.array(expectationSchema).min(1)).optional(),
  })
  .refine(
    (expected) => Object.keys(expected).length > 0,
    "at least one of pipelines, watches, alerts, cameras, tasks, mode, answer, ledger, count, memory, any_of",
  );
