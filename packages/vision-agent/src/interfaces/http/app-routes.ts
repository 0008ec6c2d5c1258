// memory, skills, jobs, usage, settings
import type { JobRun, JobSpec } from "@vision-agent/agent-core/jobs";
import {
  changesSchema,
  configViewSchema,
  type Job,
  jobSchema,
  limitChangeSchema,
  memoryAnswerSchema,
  memoryDaySchema,
  skillSchema,
  skillSummarySchema,
  spendingLimitSchema,
  undoneSchema,
  undoRequestSchema,
  undoStepsSchema,
  usageSchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { toReceipt } from "../../tools/change-ledger.ts";
import { limitEffect, taskEffect } from "../../tools/effects.ts";
import { limitInWords } from "../../tools/money-tools.ts";
import { describeTrigger } from "../../tools/task-tools.ts";
import type { HttpParts } from "./http-parts.ts";
import { notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

const day = z.iso.date();
const RUNS_SHOWN = 20;

export function addAppRoutes(route: AddRoute, parts: HttpParts): void {
  addMemoryRoute(route, parts);
  addSkillRoutes(route, parts);
  addJobRoutes(route, parts);

  route(
    "GET /api/changes",
    {
      about: "What the agent changed, oldest first; ?since= and ?until= (ISO 8601), ?session=",
      query: {
        since: z.iso.datetime().optional(),
        until: z.iso.datetime().optional(),
        session: z.string().optional(),
      },
      answer: changesSchema,
    },
    ({ query }) => ({ changes: [...parts.changes.list(query)] }),
  );

  const { undo } = parts;
  const steps = "Changes of the last 24 hours that can be undone, newest first";
  route("GET /api/undo", { about: steps, answer: undoStepsSchema }, () => ({ steps: [...undo.list()] }));
  const back =
    "Undo the last change, whoever made it, or the one that is named; with redo what was undone last is done again";
  route("POST /api/undo", { about: back, body: undoRequestSchema, answer: undoneSchema }, ({ body }) =>
    undo.undo(body),
  );

  const spending = "Tokens and dollars: today, by day, conversation, watch and turn";
  route("GET /api/usage", { about: spending, answer: usageSchema }, () => parts.usage());

  const limit = "What models may cost, in dollars a day and a month (null: no limit); config.yaml is changed";
  const changing = { about: limit, body: limitChangeSchema, answer: spendingLimitSchema };
  route("PUT /api/usage/limit", changing, ({ body, who }) =>
    undo.during(
      who.name,
      () => parts.spendingLimits.change(body),
      (now) => [limitEffect(limitInWords(now))],
    ),
  );

  const settings = "The settings in force; keys are masked";
  route("GET /api/config", { about: settings, answer: configViewSchema }, () => parts.settings());
}

function addMemoryRoute(route: AddRoute, { memory }: HttpParts): void {
  route(
    "GET /api/memory",
    {
      about: "Search what is remembered with ?q=, or read one day's observations",
      query: {
        q: z.string().trim().min(1).max(1000).optional(),
        camera: z.string().optional(),
        from: day.optional(),
        to: day.optional(),
        day: day.optional(),
        limit: z.coerce.number().int().min(1).max(100).default(10),
      },
      answer: z.union([memoryAnswerSchema, memoryDaySchema]),
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

function addSkillRoutes(route: AddRoute, { skills }: HttpParts): void {
  const all = z.array(skillSummarySchema);
  route("GET /api/skills", { about: "Skills that can be loaded", answer: all }, () => skills.list());

  route("GET /api/skills/:name", { about: "A skill's text", answer: skillSchema }, async ({ name: wanted }) => {
    const skill = await skills.load(wanted);
    if (skill === undefined) throw notFound(`There is no skill ${wanted}.`);
    const { name, description, body } = skill;
    return { name, description, text: body };
  });
}

function addJobRoutes(route: AddRoute, { jobs, changes, undo }: HttpParts): void {
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

  const about = "Heartbeats, tasks and actions with their last runs";
  route("GET /api/jobs", { about, answer: z.array(jobSchema) }, async () =>
    Promise.all((await jobs.list()).map(toJob)),
  );

  route("GET /api/jobs/:id", { about: "One job", answer: jobSchema }, async ({ id }) => toJob(await mustExist(id)));

  route("DELETE /api/jobs/:id", { about: "Remove a job with its history", answer: jobSchema }, async ({ id, who }) => {
    const job = await toJob(await mustExist(id));
    await undo.during(
      who.name,
      () => jobs.remove(id),
      () => [taskEffect("cancelled", job)],
    );
    return job;
  });

  route("POST /api/jobs/:id/run", { about: "Run a job now", answer: jobSchema, status: 202 }, async ({ id }) => {
    const spec = await mustExist(id);
    await jobs.runNow(spec.id);
    return toJob(spec);
  });
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
