// a run that goes on without us: attach, steer, cancel
import type { RunHandle } from "@vision-agent/agent-core";
import { runOutcomeSchema, steerSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem } from "./http-problem.ts";
import { dialectSchema, parseAfter, streamRun } from "./run-stream.ts";

const idParams = z.object({ id: z.string() });

export function addRunRoutes(server: HttpServer, { executor, speaker, changes }: HttpParts): void {
  const runOf = (id: string): RunHandle => {
    const run = executor.attach(id);
    if (run !== undefined) return run;
    throw new HttpProblem(
      404,
      "not_found",
      `There is no run ${id}, or it ended long ago.`,
      "The session holds its messages.",
    );
  };

  server.get(
    "/api/runs/:id/events",
    {
      exposeHeadRoute: false,
      schema: {
        summary: "Events of a run (SSE), after Last-Event-ID or ?after=",
        params: idParams,
        querystring: z.object({ after: z.string().optional(), dialect: dialectSchema }),
      },
    },
    async (request, reply) => {
      const run = runOf(request.params.id);
      const last = request.headers["last-event-id"];
      const after = parseAfter((typeof last === "string" ? last : undefined) ?? request.query.after);
      await streamRun(reply, run, { speaker, changes, dialect: request.query.dialect, after });
      return reply;
    },
  );

  server.post(
    "/api/runs/:id/cancel",
    {
      schema: {
        summary: "Stop a run; the status says how it ended, which may have been before",
        params: idParams,
        response: { 200: z.object({ status: runOutcomeSchema.shape.status }) },
      },
    },
    async ({ params }) => {
      const run = runOf(params.id);
      await run.cancel("cancelled by a person");
      const { status } = await run.outcome;
      return { status };
    },
  );

  server.post(
    "/api/runs/:id/steer",
    {
      schema: {
        summary: "Say something to a run that goes on; it is heard before the next step",
        params: idParams,
        body: steerSchema,
        response: { 202: z.object({ status: z.literal("queued") }) },
      },
    },
    async ({ params, body }, reply) => {
      if (runOf(params.id).steer(body.text) === "run_over") {
        throw new HttpProblem(409, "run_over", "The run has ended.", "Send it as a new message of the session.");
      }
      return reply.code(202).send({ status: "queued" as const });
    },
  );
}
