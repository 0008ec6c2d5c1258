// watches, what happened, and why somebody was told of it or not
import {
  alertSchema,
  type SceneEvent,
  sceneEventKindSchema,
  sceneEventSchema,
  watchRequestSchema,
  watchStatusSchema,
  whySchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { unknownCamera } from "../../tools/known-source.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

export function addWatchRoutes(route: AddRoute, { watches, alerts, cameras, clock }: HttpParts): void {
  const answer = watchStatusSchema;
  const listed = { about: "Watches with how they are doing", answer: z.array(answer) };
  route("GET /api/watches", listed, () => watches.list());

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

  route("GET /api/watches/:id", { about: "One watch", answer }, ({ id }) => watches.get(id));
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
    },
    ({ query }) => {
      const camera = cameras.find(query.camera)?.name;
      if (camera === undefined) throw notFound(unknownCamera(cameras, query.camera));
      const at = new Date(query.at ?? clock.now()).toISOString();
      return { camera, at, ...alerts.why(camera, at) };
    },
  );
}

const MOST_EVENTS = 1000;
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

export function addEventRoutes(route: AddRoute, { events, artifacts, alerts }: HttpParts): void {
  const eventOf = (id: string): SceneEvent => {
    const event = events.get(id);
    if (event === undefined) throw notFound(`There is no event ${id}.`);
    return event;
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
    },
    ({ query }) => {
      const { class: className, q, limit: most, ...filter } = query;
      const words = q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
      const found = events.list({ ...filter, className, limit: words.length > 0 ? MOST_EVENTS : most });
      return found.filter((event) => words.every((word) => wordsOf(event).includes(word))).slice(0, most);
    },
  );

  route("GET /api/events/:id", { about: "One scene event", answer: sceneEventSchema }, ({ id }) => eventOf(id));

  const about = "The picture of a scene event";
  route("GET /api/events/:id/picture.jpg", { about }, async ({ id }, reply) => {
    const { picture } = eventOf(id);
    const bytes = picture === undefined ? undefined : await artifacts.get(picture);
    if (bytes === undefined) throw new HttpProblem(404, "no_picture", "No picture was kept of this event.");
    reply.type("image/jpeg").header("cache-control", "private, max-age=31536000, immutable");
    return reply.send(Buffer.from(bytes));
  });

  const told = { about: "Alerts, newest first", query: { limit }, answer: z.array(alertSchema) };
  route("GET /api/alerts", told, ({ query }) => alerts.list(query.limit));
}

function wordsOf({ text, camera, kind, class_name = "" }: SceneEvent): string {
  return [text, camera, kind, class_name].join(" ").toLowerCase();
}
