// watches, what happened, and why somebody was told of it or not
import {
  alertSchema,
  type SceneEvent,
  sceneEventKindSchema,
  sceneEventSchema,
  type WatchReport,
  watchRequestSchema,
  watchStatusSchema,
  whySchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { type Identity, seesAll, seesCamera } from "../../access/identity.ts";
import { unknownCamera } from "../../tools/known-source.ts";
import { camerasOf } from "./camera-routes.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

export function addWatchRoutes(route: AddRoute, { watches, alerts, cameras, clock }: HttpParts): void {
  const answer = watchStatusSchema;
  const listed = { about: "Watches with how they are doing", answer: z.array(answer) };
  /** One that also looks at other cameras would tell of them. */
  const sees = (who: Identity, watch: WatchReport): boolean => watch.cameras.every((name) => seesCamera(who, name));
  route("GET /api/watches", { ...listed, role: "viewer" }, ({ who }) => watches.list().filter((one) => sees(who, one)));

  route(
    "POST /api/watches",
    {
      about: "Watch from now on, also after a restart; places are fractions of the picture",
      body: watchRequestSchema,
      answer,
      status: 201,
    },
    ({ body }) => watches.create(body),
  );

  route("GET /api/watches/:id", { about: "One watch", answer, role: "viewer" }, ({ id, who }) => {
    const watch = watches.get(id);
    if (!sees(who, watch)) throw notFound(`There is no watch ${id}.`);
    return watch;
  });
  route("DELETE /api/watches/:id", { about: "Watch no longer", answer }, ({ id }) => watches.remove(id));
  for (const verb of ["pause", "resume"] as const) {
    route(`POST /api/watches/:id/${verb}`, { about: `${verb} a watch`, answer }, ({ id }) =>
      watches.setEnabled(id, verb === "resume"),
    );
  }

  route(
    "GET /api/why",
    {
      about: "Why somebody was told, or not, about a camera around a time (within a minute; default now)",
      query: { camera: z.string(), at: z.iso.datetime({ offset: true }).optional() },
      answer: whySchema,
      role: "viewer",
    },
    ({ query, who }) => {
      const camera = cameras.find(query.camera)?.name;
      if (camera === undefined || !seesCamera(who, camera)) {
        throw notFound(unknownCamera(camerasOf(cameras, who), query.camera));
      }
      const at = new Date(query.at ?? clock.now()).toISOString();
      return { camera, at, ...alerts.why(camera, at) };
    },
  );
}

const MOST_EVENTS = 1000;
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

export function addEventRoutes(route: AddRoute, { events, artifacts, alerts, cameras }: HttpParts): void {
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
  const limit = z.coerce.number().int().min(1).max(MOST_EVENTS).default(100);

  route(
    "GET /api/events",
    {
      about: "Scene events, newest first; ?q= takes those that hold all of its words",
      query: {
        camera: z.string().optional(),
        class: z.string().optional(),
        kind: sceneEventKindSchema.optional(),
        from: time.optional(),
        to: time.optional(),
        q: z.string().max(200).optional(),
        limit,
      },
      answer: z.array(sceneEventSchema),
      role: "viewer",
    },
    ({ query, who }) => {
      const { class: className, q, limit: most, ...filter } = query;
      const words = q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
      if (query.camera !== undefined) mustBeKnown(query.camera, who);
      const isFiltered = words.length > 0 || !seesAll(who);
      const found = events.list({ ...filter, className, limit: isFiltered ? MOST_EVENTS : most });
      return found
        .filter(({ camera }) => seesCamera(who, camera))
        .filter((event) => words.every((word) => wordsOf(event).includes(word)))
        .slice(0, most);
    },
  );

  const one = { about: "One scene event", answer: sceneEventSchema, role: "viewer" } as const;
  route("GET /api/events/:id", one, ({ id, who }) => eventOf(id, who));

  const about = "The picture of a scene event";
  route("GET /api/events/:id/picture.jpg", { about, role: "viewer" }, async ({ id, who }, reply) => {
    const { picture } = eventOf(id, who);
    const bytes = picture === undefined ? undefined : await artifacts.get(picture);
    if (bytes === undefined) throw new HttpProblem(404, "no_picture", "No picture was kept of this event.");
    reply.type("image/jpeg").header("cache-control", "private, max-age=31536000, immutable");
    return reply.send(Buffer.from(bytes));
  });

  const told = { about: "Alerts, newest first", query: { limit }, answer: z.array(alertSchema) };
  route("GET /api/alerts", { ...told, role: "viewer" }, ({ query: { limit: most }, who }) =>
    alerts
      .list(seesAll(who) ? most : MOST_EVENTS)
      .filter(({ camera }) => seesCamera(who, camera))
      .slice(0, most),
  );
}

function wordsOf({ text, camera, kind, class_name = "" }: SceneEvent): string {
  return [text, camera, kind, class_name].join(" ").toLowerCase();
}
