// person's message → session → run, streamed or as one outcome
import {
  postMessageSchema,
  runOutcomeSchema,
  sessionCreatedSchema,
  sessionDetailSchema,
  sessionSummarySchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { dialectSchema, finishRun, streamRun } from "./run-stream.ts";

const idParams = z.object({ id: z.string() });

export function addSessionRoutes(server: HttpServer, parts: HttpParts): void {
  const { conversations, speaker, changes } = parts;

  server.post(
    "/api/sessions",
    { schema: { summary: "Begin a session", response: { 201: sessionCreatedSchema } } },
    async (_request, reply) => reply.code(201).send({ ...(await conversations.create()) }),
  );

  server.get(
    "/api/sessions",
    { schema: { summary: "Sessions, most recently used first", response: { 200: z.array(sessionSummarySchema) } } },
    async () => [...(await conversations.list())],
  );

  server.get(
    "/api/sessions/:id",
    { schema: { summary: "Messages of a session", params: idParams, response: { 200: sessionDetailSchema } } },
    async ({ params }) => conversations.detail(params.id),
  );

  server.post(
    "/api/sessions/:id/messages",
    {
      schema: {
        summary: "Say something: an SSE stream when it is accepted, else the outcome when the run has ended",
        params: idParams,
        querystring: z.object({ dialect: dialectSchema }),
        body: postMessageSchema,
        response: { 200: runOutcomeSchema },
      },
    },
    async (request, reply) => {
      const run = await conversations.post(request.params.id, request.body);
      if (!request.headers.accept?.includes("text/event-stream")) return await finishRun(run, { speaker, changes });
      await streamRun(reply, run, { speaker, changes, dialect: request.query.dialect });
      return reply;
    },
  );
}
