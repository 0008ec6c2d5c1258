// what happened, with its picture
import { type SceneEvent, sceneEventKindSchema, sceneEventSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem } from "./http-problem.ts";

const idParams = z.object({ id: z.string() });
const MOST_EVENTS = 1000;
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

export function addEventRoutes(server: HttpServer, { events, artifacts }: HttpParts): void {
  const eventOf = (id: string): SceneEvent => {
    const event = events.get(id);
    if (event === undefined) throw new HttpProblem(404, "not_found", `There is no event ${id}.`);
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
      const found = events.list({
        ...filter,
        limit: words.length > 0 ? MOST_EVENTS : limit,
        ...(className !== undefined && { className }),
      });
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
