import { z } from "zod";

/** What events are counted by. Hours and days are those of the local time. */
export const eventGroupingSchema = z.enum([
  "hour",
  "day",
  "class",
  "direction",
  "camera",
  "kind",
  "visit",
  "watch",
  "area",
]);
export type EventGrouping = z.infer<typeof eventGroupingSchema>;

/** How many events there are, all of them and in groups. */
export const eventCountSchema = z.object({
  total: z.int().nonnegative(),
  /** By time where they are counted by hour or day, else most first. A key that an event lacks is absent. */
  groups: z.array(
    z.object({
      /** e.g. `2026-01-31T14:00` */
      hour: z.string().optional(),
      /** e.g. `2026-01-31` */
      day: z.string().optional(),
      class: z.string().optional(),
      direction: z.string().optional(),
      camera: z.string().optional(),
      kind: z.string().optional(),
      visit: z.string().optional(),
      watch: z.string().optional(),
      area: z.string().optional(),
      count: z.int().positive(),
    }),
  ),
  /** Groups that are not listed, because there are too many. */
  groups_left_out: z.int().nonnegative(),
});
export type EventCount = z.infer<typeof eventCountSchema>;

/** One thing from appearing to leaving in front of one camera. */
export const visitSchema = z.object({
  id: z.string(),
  camera: z.string(),
  class_name: z.string().optional(),
  pipeline_id: z.string(),
  tracker_id: z.int().optional(),
  /** Of its first event. */
  begin: z.iso.datetime(),
  /** Null while it is there. */
  end: z.iso.datetime().nullable(),
  /** Artifact id of the best picture of it. */
  picture: z.string().optional(),
  /** How many events it has. */
  events: z.int().positive(),
});
export type Visit = z.infer<typeof visitSchema>;

/** Crossings of lines: how many, and by how many things. */
export interface CrossingCount {
  readonly in: number;
  readonly out: number;
  /** Different things that crossed. */
  readonly visits: number;
  /** Crossings that only a counter told of: nobody knows whose they are. */
  readonly untracked: number;
}
