// pipelines: start, look, pause, stop
import {
  pipelineResultsSchema,
  pipelineStatusSchema,
  startPipelineSchema,
  validationSchema,
  workflowSpecSchema,
} from "@vision-agent/protocol";
import { z } from "zod";
import { findVideoReference, unknownCamera } from "../../tools/known-source.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, notFound } from "./http-problem.ts";

const idParams = z.object({ id: z.string() });

export function addPipelineRoutes(server: HttpServer, parts: HttpParts): void {
  const { pipelines } = parts;
  addStartRoute(server, parts);

  server.get(
    "/api/pipelines",
    {
      schema: {
        summary: "Everything that was started and not stopped",
        response: { 200: z.array(pipelineStatusSchema) },
      },
    },
    async () => [...pipelines.list()],
  );

  server.get(
    "/api/pipelines/:id",
    { schema: { summary: "One pipeline", params: idParams, response: { 200: pipelineStatusSchema } } },
    async ({ params }) => pipelines.get(params.id),
  );

  server.delete(
    "/api/pipelines/:id",
    { schema: { summary: "Stop a pipeline for good", params: idParams, response: { 200: pipelineStatusSchema } } },
    async ({ params }) => pipelines.stop(params.id),
  );

  for (const verb of ["pause", "resume"] as const) {
    server.post(
      `/api/pipelines/:id/${verb}`,
      { schema: { summary: `${verb} a pipeline`, params: idParams, response: { 200: pipelineStatusSchema } } },
      async ({ params }) => pipelines[verb](params.id),
    );
  }

  server.get(
    "/api/pipelines/:id/results",
    {
      schema: {
        summary: "The last results, oldest first",
        params: idParams,
        querystring: z.object({ last: z.coerce.number().int().min(1).max(256).default(10) }),
        response: { 200: pipelineResultsSchema },
      },
    },
    async ({ params, query }) => ({ results: [...(await pipelines.results(params.id, query.last))] }),
  );

  server.post(
    "/api/workflows/validate",
    {
      schema: {
        summary: "Everything wrong with a workflow",
        body: z.object({ workflow: workflowSpecSchema }),
        response: { 200: validationSchema },
      },
    },
    async ({ body }) => {
      const problems = await parts.validate(body.workflow);
      return { valid: problems.length === 0, problems: [...problems] };
    },
  );
}

function addStartRoute(server: HttpServer, { pipelines, cameras }: HttpParts): void {
  server.post(
    "/api/pipelines",
    {
      schema: {
        summary: "Start a workflow on a camera",
        body: startPipelineSchema,
        response: { 201: pipelineStatusSchema },
      },
    },
    async ({ body }, reply) => {
      const [source, another] = body.sources;
      if (source === undefined || another !== undefined) {
        throw new HttpProblem(400, "one_source", "A pipeline runs on one source.", "Start one for each camera.");
      }
      const videoReference = findVideoReference(cameras, source);
      if (videoReference === undefined) throw notFound(unknownCamera(cameras, source));
      const status = await pipelines.start({
        videoReference,
        spec: body.workflow,
        name: body.name,
        backend: body.backend,
        maxFps: body.max_fps,
      });
      return reply.code(201).send(status);
    },
  );
}
