// watches, and why somebody was told or not
import { type WatchReport, watchRequestSchema, watchStatusSchema, whySchema } from "@vision-agent/protocol";
import { z } from "zod";
import { unknownCamera } from "../../tools/known-source.ts";
import type { WatchStatus } from "../../watches/watch-registry.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem } from "./http-problem.ts";

const idParams = z.object({ id: z.string() });

export function addWatchRoutes(server: HttpServer, parts: HttpParts): void {
  const { watches } = parts;

  server.get(
    "/api/watches",
    { schema: { summary: "Watches with how they are doing", response: { 200: z.array(watchStatusSchema) } } },
    async () => watches.list().map(toReport),
  );

  server.post(
    "/api/watches",
    {
      schema: {
        summary: "Watch from now on, also after a restart; places are fractions of the picture",
        body: watchRequestSchema,
        response: { 201: watchStatusSchema },
      },
    },
    async ({ body }, reply) => reply.code(201).send(toReport(await watches.create(body))),
  );

  server.get(
    "/api/watches/:id",
    { schema: { summary: "One watch", params: idParams, response: { 200: watchStatusSchema } } },
    async ({ params }) => toReport(watches.get(params.id)),
  );

  server.delete(
    "/api/watches/:id",
    { schema: { summary: "Watch no longer", params: idParams, response: { 200: watchStatusSchema } } },
    async ({ params }) => toReport(await watches.remove(params.id)),
  );

  for (const verb of ["pause", "resume"] as const) {
    server.post(
      `/api/watches/:id/${verb}`,
      { schema: { summary: `${verb} a watch`, params: idParams, response: { 200: watchStatusSchema } } },
      async ({ params }) => toReport(await watches.setEnabled(params.id, verb === "resume")),
    );
  }

  addWhyRoute(server, parts);
}

function addWhyRoute(server: HttpServer, { alerts, cameras, clock }: HttpParts): void {
  server.get(
    "/api/why",
    {
      schema: {
        summary: "Why somebody was told, or not, about a camera around a time (within a minute; default now)",
        querystring: z.object({ camera: z.string(), at: z.iso.datetime({ offset: true }).optional() }),
        response: { 200: whySchema },
      },
    },
    async ({ query }) => {
      const camera = cameras.find(query.camera)?.name;
      if (camera === undefined) throw new HttpProblem(404, "not_found", unknownCamera(cameras, query.camera));
      const at = new Date(query.at ?? clock.now()).toISOString();
      const { decisions, suppressed } = alerts.why(camera, at);
      return {
        camera,
        at,
        decisions: decisions.map((one) => ({ ...one, failures: [...one.failures] })),
        suppressed,
      };
    },
  );
}

function toReport({ pipelines, ...watch }: WatchStatus): WatchReport {
  return { ...watch, pipelines: [...pipelines] };
}
