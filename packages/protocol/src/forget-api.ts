// REST: what is to be forgotten, and what was
import { z } from "zod";

/** `POST /api/forget`: at least one of camera, from, to, event and visit. */
export const forgetSchema = z
  .object({
    camera: z.string().trim().min(1).max(200).optional(),
    /** ISO 8601, inclusive. */
    from: z.iso.datetime({ offset: true }).optional(),
    /** ISO 8601, exclusive. */
    to: z.iso.datetime({ offset: true }).optional(),
    /** Id of one event: it alone goes, with its picture. */
    event: z.string().min(1).max(200).optional(),
    /** Id of a visit, or of an event of it: everything of its camera goes, from when it appeared until it left. */
    visit: z.string().min(1).max(200).optional(),
    /** True only counts and shows examples; false removes. */
    preview: z.boolean(),
  })
  .strict();
export type ForgetRequest = z.infer<typeof forgetSchema>;

/** What would be removed, or was. */
export const forgetReceiptSchema = z.object({
  preview: z.boolean(),
  at: z.iso.datetime(),
  /** What was asked for, in a sentence. */
  scope: z.string(),
  removed: z.array(
    z.object({
      /** Which store, such as `events` or `notes`. */
      what: z.string(),
      count: z.int().nonnegative(),
      /** Some of it, in a preview only. */
      examples: z.array(z.string()),
    }),
  ),
  /** Where it may still be, in a sentence each. */
  not_covered: z.array(z.string()),
});
export type ForgetReceipt = z.infer<typeof forgetReceiptSchema>;
