// REST: which pictures may leave the machine, and which did
import { z } from "zod";

/** `never` send pictures there · `ask` a person once · `allow` it. */
export const imagesRuleSchema = z.enum(["never", "ask", "allow"]);
export type ImagesRule = z.infer<typeof imagesRuleSchema>;

/** `POST /api/egress/rules` */
export const newEgressRuleSchema = z.object({
  /** Name of a camera, or `*` for all. */
  camera: z.string().trim().min(1).max(200),
  /** Host name of who receives the pictures, with the port where it is not the usual one, or `*` for all. */
  destination: z.string().trim().toLowerCase().min(1).max(300),
  images: imagesRuleSchema,
});

/** One row of `GET /api/egress/rules`: what a person decided. */
export const egressRuleSchema = newEgressRuleSchema.extend({ at: z.iso.datetime() });
export type EgressRule = z.infer<typeof egressRuleSchema>;

export const egressRulesSchema = z.object({
  /** For pictures that leave the machine and that no rule is about. */
  usual: imagesRuleSchema,
  rules: z.array(egressRuleSchema),
});
export type EgressRuleList = z.infer<typeof egressRulesSchema>;

/** One row of `GET /api/egress`: pictures that left the machine. */
export const departureSchema = z.object({
  at: z.iso.datetime(),
  /** Null for a picture that a person gave, and once it was forgotten. */
  camera: z.string().nullable(),
  /** `picture` one, with its size and hash · `stream` those of a camera for as long as a pipeline ran. */
  what: z.enum(["picture", "stream"]),
  /** Id of the artifact that holds it. */
  artifact: z.string().optional(),
  /** Host that received it. */
  to: z.string(),
  kind: z.enum(["model", "server", "sink", "channel"]),
  why: z.string(),
  bytes: z.int().nonnegative().optional(),
  sha256: z.string().optional(),
  /** A person wanted it forgotten: camera, picture and hash are no longer known. */
  forgotten: z.literal(true).optional(),
});
export type Departure = z.infer<typeof departureSchema>;

export const departuresSchema = z.object({
  /** Newest first. */
  departures: z.array(departureSchema),
  /** `offset` of the next page; null when this is the last. */
  next: z.int().nullable(),
});
export type DeparturePage = z.infer<typeof departuresSchema>;
