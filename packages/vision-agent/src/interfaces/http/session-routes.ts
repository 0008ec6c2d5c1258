// person's message or answer → session → run, streamed or as one outcome; a run that goes on without us

import type { RunHandle } from "@vision-agent/agent-core";
import {
  pauseAnswerSchema,
  pauseSchema,
  postMessageSchema,
  runOutcomeSchema,
  sessionCreatedSchema,
  sessionDetailSchema,
  sessionSummarySchema,
  steerSchema,
} from "@vision-agent/protocol";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import { type Dialect, dialectSchema, finishRun, parseAfter, streamRun } from "./run-stream.ts";

const idParams = z.object({ id: z.string() });

interface RunRequest {
  readonly headers: { readonly accept?: string };
  readonly query: { readonly dialect: Dialect };
}

export function addSessionRoutes(server: HttpServer, parts: HttpParts): void {
  const { conversations, pauses, speaker, changes } = parts;
  const answerRun = async (request: RunRequest, reply: FastifyReply, run: RunHandle) => {
    if (!request.headers.accept?.includes("text/event-stream")) return await finishRun(run, { speaker, changes });
    await streamRun(reply, run, { speaker, changes, dialect: request.query.dialect });
    return reply;
  };

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
    async (request, reply) => answerRun(request, reply, await conversations.post(request.params.id, request.body)),
  );

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
        params: idParams,
        querystring: z.object({ dialect: dialectSchema }),
        body: pauseAnswerSchema,
        response: { 200: runOutcomeSchema },
      },
    },
    async (request, reply) => answerRun(request, reply, await pauses.answer(request.params.id, request.body)),
  );
}

export function addRunRoutes(server: HttpServer, { executor, speaker, changes }: HttpParts): void {
  const runOf = (id: string): RunHandle => {
    const run = executor.attach(id);
    if (run !== undefined) return run;
    throw notFound(`There is no run ${id}, or it ended long ago.`, "The session holds its messages.");
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
