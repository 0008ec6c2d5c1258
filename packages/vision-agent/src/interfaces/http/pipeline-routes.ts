// pipelines: start, look, pause, stop
import {
  type Effect,
  type PipelineStatus,
  pipelineResultsSchema,
  pipelineStatusSchema,
  startPipelineSchema,
  validationSchema,
  workflowSpecSchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { type Identity, seesCamera } from "../../access/identity.ts";
import { pipelineEffect } from "../../tools/effects.ts";
import { findVideoReference, unknownCamera } from "../../tools/known-source.ts";
import type { HttpParts } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

export function addPipelineRoutes(route: AddRoute, { pipelines, cameras, validate, undo }: HttpParts): void {
  const change = (who: Identity, kind: Effect["kind"], work: () => Promise<PipelineStatus>) =>
    undo.during(who.name, work, (pipeline) => [pipelineEffect(kind, pipeline)]);
  const answer = pipelineStatusSchema;

  route(
    "POST /api/pipelines",
    { about: "Start a workflow on a camera", body: startPipelineSchema, answer, status: 201 },
    ({ body: { sources, workflow: spec, name, backend, max_fps: maxFps }, who }) => {
      const [source, another] = sources;
      if (source === undefined || another !== undefined) {
        throw new HttpProblem(400, "one_source", "A pipeline runs on one source.", "Start one for each camera.");
      }
      const videoReference = findVideoReference(cameras, source);
      if (videoReference === undefined) throw notFound(unknownCamera(cameras, source));
      return change(who, "started", () => pipelines.start({ videoReference, spec, name, backend, maxFps }));
    },
  );

  const listed = { about: "Everything that was started and not stopped", answer: z.array(answer) };
  route("GET /api/pipelines", { ...listed, role: "viewer" }, ({ who }) =>
    pipelines.list().filter(({ video_reference }) => seesCamera(who, video_reference)),
  );
  const pipelineOf = async (id: string, who: Identity): Promise<PipelineStatus> => {
    const pipeline = await pipelines.get(id);
    if (seesCamera(who, pipeline.video_reference)) return pipeline;
    throw notFound(`There is no pipeline ${id}.`);
  };
  route("GET /api/pipelines/:id", { about: "One pipeline", answer, role: "viewer" }, ({ id, who }) =>
    pipelineOf(id, who),
  );
  route("DELETE /api/pipelines/:id", { about: "Stop a pipeline for good", answer }, ({ id, who }) =>
    change(who, "stopped", () => pipelines.stop(id)),
  );
  for (const verb of ["pause", "resume"] as const) {
    route(`POST /api/pipelines/:id/${verb}`, { about: `${verb} a pipeline`, answer }, ({ id, who }) =>
      change(who, `${verb}d`, () => pipelines[verb](id)),
    );
  }

  route(
    "GET /api/pipelines/:id/results",
    {
      about: "The last results, oldest first",
      query: { last: z.coerce.number().int().min(1).max(256).default(10) },
      answer: pipelineResultsSchema,
      role: "viewer",
    },
    async ({ id, query, who }) => {
      const { pipeline_id } = await pipelineOf(id, who);
      return { results: [...(await pipelines.results(pipeline_id, query.last))] };
    },
  );

  route(
    "POST /api/workflows/validate",
    {
      about: "Everything wrong with a workflow",
      body: z.object({ workflow: workflowSpecSchema }),
      answer: validationSchema,
    },
    async ({ body }) => {
      const problems = await validate(body.workflow);
      return { valid: problems.length === 0, problems: [...problems] };
    },
  );
}
