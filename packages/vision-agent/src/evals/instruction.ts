import {
  modeNameSchema,
  sceneEventKindSchema,
  severitySchema,
  watchRequestSchema,
  workflowSpecSchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { type Expectation, expectationSchema } from "./expectation.ts";

const cameraSchema = z.union(
  [
    z.string().min(1),
    z.strictObject({
      source: z.string().min(1),
      location: z.string().default(""),
      notes: z.string().default(""),
      /** Pixels of its pictures, to read lines and zones of pipelines as fractions. */
      size: z.tuple([z.int().positive(), z.int().positive()]).optional(),
    }),
  ],
  { error: "an address, or source, location, notes and size" },
);

const pointSchema = z.tuple([z.number(), z.number()]);

/** What a pipeline does, in short or in full. */
const workSchema = z.strictObject({
  /** Finds and follows these classes; empty: all. */
  follows: z.array(z.string()).optional(),
  /** Counts what crosses the line, whose ends are in pixels. */
  counts: z.strictObject({ classes: z.array(z.string()), line: z.tuple([pointSchema, pointSchema]) }).optional(),
  workflow: workflowSpecSchema.optional(),
});
/** One of the three is there. */
export type Work = z.infer<typeof workSchema>;

const pipelineBeforeSchema = workSchema
  .extend({
    name: z.string().min(1),
    camera: z.string().min(1),
    max_fps: z.number().positive().optional(),
    paused: z.boolean().default(false),
  })
  .refine(
    ({ follows, counts, workflow }) => [follows, counts, workflow].filter((part) => part !== undefined).length === 1,
    "exactly one of follows, counts, workflow",
  );

const watchBeforeSchema = z.strictObject({ ...watchRequestSchema.shape, enabled: z.boolean().default(true) });
export type WatchBefore = z.infer<typeof watchBeforeSchema>;

const momentSchema = z
  .string()
  .refine(isMoment, 'a moment such as "-3h", "-20m", "yesterday 14:10" or an ISO 8601 time');

const eventBeforeSchema = z.strictObject({
  at: momentSchema,
  kind: sceneEventKindSchema,
  camera: z.string().min(1),
  class: z.string().optional(),
  direction: z.enum(["in", "out"]).optional(),
  /** One sentence; absent: made from the rest. */
  text: z.string().optional(),
  /** So many of them, from `at` on. */
  times: z.int().min(1).max(1000).default(1),
  every_minutes: z.number().positive().default(1),
});
export type EventBefore = z.infer<typeof eventBeforeSchema>;

const alertBeforeSchema = z.strictObject({
  at: momentSchema,
  camera: z.string().default(""),
  text: z.string().min(1),
  severity: severitySchema.default("info"),
  /** Which of `watches` asked for it, from 1. */
  watch: z.int().positive().optional(),
});

const noteBeforeSchema = z.strictObject({
  text: z.string().min(1),
  category: z.enum(["observation", "knowledge", "preference"]).default("knowledge"),
  camera: z.string().optional(),
  at: momentSchema.default("-1d"),
});

const appBeforeSchema = z.strictObject({
  cameras: z.record(z.string().min(1), cameraSchema),
  pipelines: z.array(pipelineBeforeSchema).default([]),
  watches: z.array(watchBeforeSchema).default([]),
  events: z.array(eventBeforeSchema).default([]),
  /** The mode that it is in. */
  mode: modeNameSchema.optional(),
  /** It runs for so long before anything is said. */
  runs_seconds: z.number().min(0).max(120).default(0),
  /** Sent before anything is said. */
  alerts: z.array(alertBeforeSchema).default([]),
  memory: z.array(noteBeforeSchema).default([]),
  /** Workflows saved at Roboflow, by `workspace/id`. */
  saved_workflows: z
    .record(z.string().regex(/^[\w-]+\/[\w-]+$/, "a key such as workspace/workflow-id"), workflowSpecSchema)
    .default({}),
  /** Groups of `config.yaml` over those of the run; who answers is not for the instruction to say. */
  config: z
    .record(z.string(), z.json())
    .refine((groups) => !Object.hasOwn(groups, "llm"), "any group of config.yaml but llm, which the run decides")
    .default({}),
  /** Files of the workspace, such as USER.md or AGENTS.md, by name. */
  files: z.record(z.string().regex(/^[\w.-]+\.md$/, "the name of a .md file of the workspace"), z.string()).default({}),
});
/** What is there before anything is said. */
export type AppBefore = z.infer<typeof appBeforeSchema>;

/** The document of one file. */
export const instructionSchema = z
  .strictObject({
    /** What the person says, turn by turn; judged after the last, unless `expect_each` says more. */
    say: z.union([z.string().trim().min(1), z.array(z.string().trim().min(1)).min(1)], {
      error: "what the person says: a text, or a list of turns",
    }),
    /** Said only when the outcome was wrong; then it is judged again. */
    correct: z.string().trim().min(1).optional(),
    /** Files of pictures that go with the first turn, relative to this file. */
    images: z.array(z.string().min(1)).default([]),
    house: appBeforeSchema,
    /** False: asked for a yes, the person says no. */
    agrees: z.boolean().default(true),
    expect: expectationSchema,
    /** What must hold after each turn but the last, in their order; null where nothing is judged. */
    expect_each: z.array(expectationSchema.nullable()).default([]),
  })
  .refine(({ say, expect_each }) => expect_each.length < [say].flat().length || expect_each.length === 0, {
    path: ["expect_each"],
    error: "one for each turn but the last, which `expect` judges",
  });

/** One instruction with what should come of it. */
export interface Instruction {
  /** Name of the file without its ending. */
  readonly name: string;
  /** Name of the folder that it lies in. */
  readonly family: string;
  readonly turns: readonly string[];
  readonly correction?: string;
  /** Absolute paths. */
  readonly images: readonly string[];
  readonly house: AppBefore;
  /** Whether the person says yes when asked for one. */
  readonly agrees: boolean;
  readonly expected: Expectation;
  /** After the turns before the last. */
  readonly expectedEach: readonly (Expectation | null)[];
}

const RELATIVE = /^-(\d+(?:\.\d+)?)([smhd])$/;
const NAMED = /^(today|yesterday|-\d+d) (\d{2}):(\d{2})$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Whether `toMoment` reads it. */
export function isMoment(text: string): boolean {
  return RELATIVE.test(text) || NAMED.test(text) || !Number.isNaN(Date.parse(text));
}

/** `-3h`, `yesterday 14:10`, `-2d 09:00` (local time) or ISO 8601 → milliseconds since 1970. */
export function toMoment(text: string, nowMs: number): number {
  const [, amount, unit = ""] = RELATIVE.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * UNIT_MS[unit]!;
  const [, day, hours, minutes] = NAMED.exec(text) ?? [];
  if (day === undefined) return Date.parse(text);
  const moment = new Date(nowMs);
  moment.setDate(moment.getDate() - daysBack(day));
  return moment.setHours(Number(hours), Number(minutes), 0, 0);
}

function daysBack(day: string): number {
  if (day === "today") return 0;
  return day === "yesterday" ? 1 : Number(day.slice(1, -1));
}
