// what happened in front of the cameras: lists, counts, visits and pictures
import {
  eventCountSchema,
  eventGroupingSchema,
  type SceneEvent,
  sceneEventKindSchema,
  sceneEventSchema,
  visitSchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { type Identity, seesAll, seesCamera } from "../../access/identity.ts";
import { unknownCamera } from "../../tools/known-source.ts";
import { camerasOf } from "./camera-routes.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

const MOST_LISTED = 1000;
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

const page = {
  camera: z.string().optional(),
  class: z.string().optional(),
  from: time.optional(),
  to: time.optional(),
  limit: z.coerce.number().int().min(1).max(MOST_LISTED).default(100),
  order: z.enum(["newest", "oldest"]).default("newest"),
  /** Id of the last one of the page before. */
  cursor: z.string().max(200).optional(),
};

/** `day` or `day,class`. */
const groupBy = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(eventGroupingSchema).min(1).max(2));

export function addEventRoutes(route: AddRoute, { events, artifacts, cameras, recordings }: HttpParts): void {
  const eventOf = (id: string, who: Identity): SceneEvent => {
    const event = events.get(id);
    if (event === undefined || !seesCamera(who, event.camera)) throw notFound(`There is no event ${id}.`);
    return event;
  };
  /** A camera that was removed may still have events; one that nobody ever had is a mistake. */
  const mustBeKnown = (camera: string, who: Identity): void => {
    const isKnown = cameras.find(camera) !== undefined || events.list({ camera, limit: 1 }).length > 0;
    if (!isKnown || !seesCamera(who, camera)) throw notFound(unknownCamera(camerasOf(cameras, who), camera));
  };
  const seen = (who: Identity) => (seesAll(who) ? {} : { cameras: who.cameras ?? [] });

  route(
    "GET /api/events",
    {
      about:
        "Scene events, newest first; ?q= takes those that hold all of its words, ?cursor= the id of the last one goes on " +
        "after it; ?group_by= one or two of hour, day, class, direction, camera, kind, visit, watch, area counts them",
      query: {
        ...page,
        kind: sceneEventKindSchema.optional(),
        direction: z.enum(["in", "out"]).optional(),
        watch: z.string().optional(),
        visit: z.string().optional(),
        area: z.string().optional(),
        q: z.string().max(200).optional(),
        group_by: groupBy.optional(),
      },
      answer: z.union([z.array(sceneEventSchema), eventCountSchema]),
      role: "viewer",
    },
    ({ query: { class: className, group_by, limit, order, cursor, ...filter }, who }) => {
      if (filter.camera !== undefined) mustBeKnown(filter.camera, who);
      const query = { ...filter, className, ...seen(who) };
      if (group_by !== undefined) return events.count(query, group_by);
      if (cursor !== undefined) eventOf(cursor, who);
      return [...events.list({ ...query, limit, order, cursor })];
    },
  );

  route(
    "GET /api/visits",
    {
      about: "Visits (one thing from appearing to leaving) by when they began, newest first; ?cursor= as for events",
      query: page,
      answer: z.array(visitSchema),
      role: "viewer",
    },
    ({ query: { class: className, ...filter }, who }) => {
      if (filter.camera !== undefined) mustBeKnown(filter.camera, who);
      return events.visits({ ...filter, className, ...seen(who) });
    },
  );

  const whole = { about: "One visit; its events are at /api/events?visit=ID", answer: visitSchema } as const;
  route("GET /api/visits/:id", { ...whole, role: "viewer" }, ({ id, who }) => {
    const visit = events.visit(id);
    if (visit === undefined || !seesCamera(who, visit.camera)) throw notFound(`There is no visit ${id}.`);
    return visit;
  });

  const one = { about: "One scene event", answer: sceneEventSchema, role: "viewer" } as const;
  route("GET /api/events/:id", one, ({ id, who }) => eventOf(id, who));

  const about = "The picture of a scene event";
  route("GET /api/events/:id/picture.jpg", { about, role: "viewer" }, async ({ id, who }, reply) => {
    const { picture } = eventOf(id, who);
    const bytes = picture === undefined ? undefined : await artifacts.get(picture);
    if (bytes === undefined) throw new HttpProblem(404, "no_picture", "No picture was kept of this event.");
    // While a visit lasts, a better picture of it may come.
    reply.type("image/jpeg").header("cache-control", "private, max-age=60");
    return reply.send(Buffer.from(bytes));
  });

  const filmed =
    "The clip of a scene event: what was recorded from ten seconds before until twenty seconds after it (MP4)";
  route("GET /api/events/:id/clip.mp4", { about: filmed, role: "viewer" }, async ({ id, who }, reply) => {
    const event = eventOf(id, who);
    const left = new AbortController();
    reply.raw.once("close", () => left.abort());
    const bytes = await recordings.clipOf(event, left.signal);
    if (bytes === undefined) {
      const hint = `Record the camera (vision-agent camera record ${event.camera} on); a clip is there half a minute after the event.`;
      throw new HttpProblem(404, "no_clip", "Nothing was recorded of this event.", hint);
    }
    return reply.type("video/mp4").header("cache-control", "private, max-age=60").send(Buffer.from(bytes));
  });
}
