// memory, skills, jobs, usage, settings
import type { JobRun, JobSpec } from "@vision-agent/agent-core/jobs";
import {
  changesSchema,
  configViewSchema,
  type Job,
  jobSchema,
  memoryAnswerSchema,
  memoryDaySchema,
  skillSchema,
  skillSummarySchema,
  usageSchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { toReceipt } from "../../tools/change-ledger.ts";
import { describeTrigger } from "../../tools/task-tools.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { notFound } from "./http-problem.ts";

const day = z.iso.date();
const idParams = z.object({ id: z.string() });
const RUNS_SHOWN = 20;

export function addAppRoutes(server: HttpServer, parts: HttpParts): void {
  addMemoryRoute(server, parts);
  addSkillRoutes(server, parts);
  addJobRoutes(server, parts);

  server.get(
    "/api/changes",
    {
      schema: {
        summary: "What the agent changed, oldest first; ?since= and ?until= (ISO 8601), ?session=",
        querystring: z.object({
          since: z.iso.datetime().optional(),
          until: z.iso.datetime().optional(),
          session: z.string().optional(),
        }),
        response: { 200: changesSchema },
      },
    },
    async ({ query }) => ({ changes: [...parts.changes.list(query)] }),
  );

  server.get(
    "/api/usage",
    {
      schema: {
        summary: "Tokens and dollars: today, by day, conversation, watch and turn",
        response: { 200: usageSchema },
      },
    },
    async () => parts.usage(),
  );

  server.get(
    "/api/config",
    { schema: { summary: "The settings in force; keys are masked", response: { 200: configViewSchema } } },
    async () => parts.settings,
  );
}

function addMemoryRoute(server: HttpServer, { memory }: HttpParts): void {
  server.get(
    "/api/memory",
    {
      schema: {
        summary: "Search what is remembered with ?q=, or read one day's observations",
        querystring: z.object({
          q: z.string().trim().min(1).max(1000).optional(),
          camera: z.string().optional(),
          from: day.optional(),
          to: day.optional(),
          day: day.optional(),
          limit: z.coerce.number().int().min(1).max(100).default(10),
        }),
        response: { 200: z.union([memoryAnswerSchema, memoryDaySchema]) },
      },
    },
    async ({ query: { q, camera, from, to, day: wanted, limit } }) => {
      if (q === undefined) {
        return { day: wanted ?? null, markdown: await memory.observations({ camera, day: wanted }) };
      }
      const { passages, notice } = await memory.search(q, { maxResults: limit, camera, from, to });
      return { passages: [...passages], notice: notice ?? null };
    },
  );
}

function addSkillRoutes(server: HttpServer, { skills }: HttpParts): void {
  server.get(
    "/api/skills",
    { schema: { summary: "Skills that can be loaded", response: { 200: z.array(skillSummarySchema) } } },
    async () => [...(await skills.list())],
  );

  server.get(
    "/api/skills/:name",
    { schema: { summary: "A skill's text", params: z.object({ name: z.string() }), response: { 200: skillSchema } } },
    async ({ params }) => {
      const skill = await skills.load(params.name);
      if (skill === undefined) throw notFound(`There is no skill ${params.name}.`);
      const { name, description, body } = skill;
      return { name, description, text: body };
    },
  );
}

function addJobRoutes(server: HttpServer, { jobs, changes }: HttpParts): void {
  const mustExist = async (id: string): Promise<JobSpec> => {
    const spec = (await jobs.list()).find((one) => one.id === id);
    if (spec === undefined) throw notFound(`There is no job ${id}.`);
    return spec;
  };
  const toJob = async (spec: JobSpec): Promise<Job> => {
    const runs = await jobs.history(spec.id, RUNS_SHOWN);
    const { id, kind, enabled } = spec;
    const { instructions } = spec.taskConfig;
    const schedule = describeTrigger(spec.trigger);
    return { id, kind, schedule, instructions, enabled, runs: runs.map((run) => toRun(run, changes)) };
  };

  server.get(
    "/api/jobs",
    {
      schema: { summary: "Heartbeats, tasks and actions with their last runs", response: { 200: z.array(jobSchema) } },
    },
    async () => Promise.all((await jobs.list()).map(toJob)),
  );

  server.get(
    "/api/jobs/:id",
    { schema: { summary: "One job", params: idParams, response: { 200: jobSchema } } },
    async ({ params }) => toJob(await mustExist(params.id)),
  );

  server.delete(
    "/api/jobs/:id",
    { schema: { summary: "Remove a job with its history", params: idParams, response: { 200: jobSchema } } },
    async ({ params }) => {
      const job = await toJob(await mustExist(params.id));
      await jobs.remove(params.id);
      return job;
    },
  );

  server.post(
    "/api/jobs/:id/run",
    { schema: { summary: "Run a job now", params: idParams, response: { 202: jobSchema } } },
    async ({ params }, reply) => {
      const spec = await mustExist(params.id);
      await jobs.runNow(spec.id);
      return reply.code(202).send(await toJob(spec));
    },
  );
}

function toRun(run: JobRun, changes: HttpParts["changes"]): Job["runs"][number] {
  const { id, state, dueAt, startedAt, endedAt, output, reason, error, runId } = run;
  return {
    id,
    state,
    due_at: dueAt,
    started_at: startedAt ?? null,
    ended_at: endedAt ?? null,
    text: output?.text ?? null,
    reason: reason ?? error?.message ?? null,
    receipt: runId === undefined ? undefined : toReceipt([], changes.list({ run: runId })),
  };
}
