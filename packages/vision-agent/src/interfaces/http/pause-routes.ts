// what waits for a person ⇄ the answer
import { pauseAnswerSchema, pauseSchema, runOutcomeSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { dialectSchema, finishRun, streamRun } from "./run-stream.ts";

export function addPauseRoutes(server: HttpServer, { pauses, speaker, changes }: HttpParts): void {
  server.get(
    "/api/pauses",
    {
      schema: {
        summary: "What waits for a person, oldest first; ?session= takes one conversation",
        querystring: z.object({ session: z.string().optional() }),
        response: { 200: z.array(pauseSchema) },
      },
    },
    async ({ query }) => [...(await pauses.list(query.session))],
  );

  server.post(
    "/api/pauses/:id",
    {
      schema: {
        summary: "Answer: the run goes on, as an SSE stream when it is accepted, else its outcome",
        params: z.object({ id: z.string() }),
        querystring: z.object({ dialect: dialectSchema }),
        body: pauseAnswerSchema,
        response: { 200: runOutcomeSchema },
      },
    },
    async (request, reply) => {
      const run = await pauses.answer(request.params.id, request.body);
      if (!request.headers.accept?.includes("text/event-stream")) return await finishRun(run, { speaker, changes });
      await streamRun(reply, run, { speaker, changes, dialect: request.query.dialect });
      return reply;
    },
  );
}
