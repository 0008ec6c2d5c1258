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
import { unknownCamera } from "../../tools/known-source.ts";
import type { WatchStatus } from "../../watches/watch-registry.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";

const idParams = z.object({ id: z.string() });

export function addWatchRoutes(server: HttpServer, parts: HttpParts): void {
  const { watches } = parts;

  server.get(
    "/api/watches",
    { schema: { summary: "Watches with how they are doing", response: { 200: z.array(watchStatusSchema) } } },
    async () => watches.list().map(toReport),
  );

  server.post(
    "/api/watches",
    {
      schema: {
        summary: "Watch from now on, also after a restart; places are fractions of the picture",
        body: watchRequestSchema,
        response: { 201: watchStatusSchema },
      },
    },
    async ({ body }, reply) => reply.code(201).send(toReport(await watches.create(body))),
  );

  server.get(
    "/api/watches/:id",
    { schema: { summary: "One watch", params: idParams, response: { 200: watchStatusSchema } } },
    async ({ params }) => toReport(watches.get(params.id)),
  );

  server.delete(
    "/api/watches/:id",
    { schema: { summary: "Watch no longer", params: idParams, response: { 200: watchStatusSchema } } },
    async ({ params }) => toReport(await watches.remove(params.id)),
  );

  for (const verb of ["pause", "resume"] as const) {
    server.post(
      `/api/watches/:id/${verb}`,
      { schema: { summary: `${verb} a watch`, params: idParams, response: { 200: watchStatusSchema } } },
      async ({ params }) => toReport(await watches.setEnabled(params.id, verb === "resume")),
    );
  }

  addWhyRoute(server, parts);
}

function addWhyRoute(server: HttpServer, { alerts, cameras, clock }: HttpParts): void {
  server.get(
    "/api/why",
    {
      schema: {
        summary: "Why somebody was told, or not, about a camera around a time (within a minute; default now)",
        querystring: z.object({ camera: z.string(), at: z.iso.datetime({ offset: true }).optional() }),
        response: { 200: whySchema },
      },
    },
    async ({ query }) => {
      const camera = cameras.find(query.camera)?.name;
      if (camera === undefined) throw notFound(unknownCamera(cameras, query.camera));
      const at = new Date(query.at ?? clock.now()).toISOString();
      const { decisions, suppressed } = alerts.why(camera, at);
      return {
        camera,
        at,
        decisions: decisions.map((one) => ({ ...one, failures: [...one.failures] })),
        suppressed,
      };
    },
  );
}

function toReport({ pipelines, ...watch }: WatchStatus): WatchReport {
  return { ...watch, pipelines: [...pipelines] };
}

const MOST_EVENTS = 1000;
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

export function addEventRoutes(server: HttpServer, { events, artifacts }: HttpParts): void {
  const eventOf = (id: string): SceneEvent => {
    const event = events.get(id);
    if (event === undefined) throw notFound(`There is no event ${id}.`);
    return event;
  };

  server.get(
    "/api/events",
    {
      schema: {
        summary: "Scene events, newest first; ?q= takes those that hold all of its words",
        querystring: z.object({
          camera: z.string().optional(),
          class: z.string().optional(),
          kind: sceneEventKindSchema.optional(),
          from: time.optional(),
          to: time.optional(),
          q: z.string().max(200).optional(),
          limit: z.coerce.number().int().min(1).max(MOST_EVENTS).default(100),
        }),
        response: { 200: z.array(sceneEventSchema) },
      },
    },
    async ({ query }) => {
      const { class: className, q, limit, ...filter } = query;
      const words = q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
      const found = events.list({ ...filter, className, limit: words.length > 0 ? MOST_EVENTS : limit });
      return found.filter((event) => words.every((word) => wordsOf(event).includes(word))).slice(0, limit);
    },
  );

  server.get(
    "/api/events/:id",
    { schema: { summary: "One scene event", params: idParams, response: { 200: sceneEventSchema } } },
    async ({ params }) => eventOf(params.id),
  );

  server.get(
    "/api/events/:id/picture.jpg",
    { schema: { summary: "The picture of a scene event", params: idParams } },
    async ({ params }, reply) => {
      const { picture } = eventOf(params.id);
      const bytes = picture === undefined ? undefined : await artifacts.get(picture);
      if (bytes === undefined) throw new HttpProblem(404, "no_picture", "No picture was kept of this event.");
      return reply
        .type("image/jpeg")
        .header("cache-control", "private, max-age=31536000, immutable")
        .send(Buffer.from(bytes));
    },
  );
}

function wordsOf({ text, camera, kind, class_name = "" }: SceneEvent): string {
  return [text, camera, kind, class_name].join(" ").toLowerCase();
}

export function addAlertRoutes(server: HttpServer, { alerts }: HttpParts): void {
  server.get(
    "/api/alerts",
    {
      schema: {
        summary: "Alerts, newest first",
        querystring: z.object({ limit: z.coerce.number().int().min(1).max(1000).default(100) }),
        response: { 200: z.array(alertSchema) },
      },
    },
    async ({ query }) => [...alerts.list(query.limit)],
  );
}
