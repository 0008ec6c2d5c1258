// person's message or answer → session → run, streamed or as one outcome; a run that goes on without us

import type { RunHandle } from "@vision-agent/agent-core";
import {
  knownDestinationSchema,
  pauseAnswerSchema,
  pauseSchema,
  postMessageSchema,
  runOutcomeSchema,
  sessionCreatedSchema,
  sessionDetailSchema,
  sessionSummarySchema,
  steerSchema,
} from "@vision-agent/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { recordChange } from "./guard.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";
import { type Dialect, dialectSchema, finishRun, parseAfter, streamRun } from "./run-stream.ts";

interface RunRequest {
  readonly request: FastifyRequest;
  readonly query: { readonly dialect: Dialect };
}

export function addSessionRoutes(route: AddRoute, parts: HttpParts): void {
  const { conversations, pauses, speaker, changes, destinations } = parts;
  const answerRun = async ({ request, query }: RunRequest, reply: FastifyReply, run: RunHandle) => {
    recordChange(parts.access, request, { status: 200, runId: run.runId });
    if (!request.headers.accept?.includes("text/event-stream")) return await finishRun(run, { speaker, changes });
    await streamRun(reply, run, { speaker, changes, dialect: query.dialect });
    return reply;
  };
  const streamed = { query: { dialect: dialectSchema }, answer: runOutcomeSchema };

  const begun = { about: "Begin a session", answer: sessionCreatedSchema, status: 201 } as const;
  route("POST /api/sessions", begun, () => conversations.create());

  const listed = { about: "Sessions, most recently used first", answer: z.array(sessionSummarySchema) };
  route("GET /api/sessions", listed, () => conversations.list());

  const detailed = { about: "Messages of a session", answer: sessionDetailSchema };
  route("GET /api/sessions/:id", detailed, ({ id }) => conversations.detail(id));

  route(
    "POST /api/sessions/:id/messages",
    {
      about: "Say something: an SSE stream when it is accepted, else the outcome when the run has ended",
      body: postMessageSchema,
      ...streamed,
    },
    async (input, reply) => answerRun(input, reply, await conversations.post(input.id, input.body)),
  );

  route(
    "GET /api/pauses",
    {
      about: "What waits for a person, oldest first; ?session= takes one conversation",
      query: { session: z.string().optional() },
      answer: z.array(pauseSchema),
    },
    ({ query }) => pauses.list(query.session),
  );

  route(
    "POST /api/pauses/:id",
    {
      about: "Answer: the run goes on, as an SSE stream when it is accepted, else its outcome",
      body: pauseAnswerSchema,
      ...streamed,
    },
    async (input, reply) => answerRun(input, reply, await pauses.answer(input.id, input.body)),
  );

  const answer = knownDestinationSchema;
  const reached = { about: "Places that you let the agent reach; new ones are asked about", answer: z.array(answer) };
  route("GET /api/destinations", reached, () => destinations.list());
  route("DELETE /api/destinations/:id", { about: "Ask about this place again", answer }, ({ id }) =>
    destinations.forget(id),
  );
}

export function addRunRoutes(route: AddRoute, { executor, speaker, changes }: HttpParts): void {
  const runOf = async (id: string): Promise<RunHandle> => {
    const run = await executor.attach(id);
    if (run !== undefined) return run;
    throw notFound(`There is no run ${id}, or another program is at it.`, "The session holds its messages.");
  };

  route(
    "GET /api/runs/:id/events",
    {
      about: "Events of a run (SSE), after Last-Event-ID or ?after=",
      query: { after: z.string().optional(), dialect: dialectSchema },
      streams: true,
    },
    async ({ id, query, request }, reply) => {
      const run = await runOf(id);
      const last = request.headers["last-event-id"];
      const after = parseAfter((typeof last === "string" ? last : undefined) ?? query.after, run.runId);
      await streamRun(reply, run, { speaker, changes, dialect: query.dialect, after });
      return reply;
    },
  );

  route(
    "POST /api/runs/:id/cancel",
    {
      about: "Stop a run; the status says how it ended, which may have been before",
      answer: z.object({ status: runOutcomeSchema.shape.status }),
    },
    async ({ id }) => {
      const run = await runOf(id);
      await run.cancel("cancelled by a person");
      const { status } = await run.outcome;
      return { status };
    },
  );

  route(
    "POST /api/runs/:id/steer",
    {
      about: "Say something to a run that goes on; it is heard before the next step",
      body: steerSchema,
      answer: z.object({ status: z.literal("queued") }),
      status: 202,
    },
    async ({ id, body }) => {
      if ((await runOf(id)).steer(body.text) === "run_over") {
        throw new HttpProblem(409, "run_over", "The run has ended.", "Send it as a new message of the session.");
      }
      return { status: "queued" as const };
    },
  );
}
