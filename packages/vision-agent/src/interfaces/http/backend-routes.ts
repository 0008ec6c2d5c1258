// backends, and the block types of each
import { type BackendName, backendNameSchema, backendsSchema, blockSchema, blocksSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { notFound } from "./http-problem.ts";

const ABOUT: Readonly<Record<BackendName, string>> = {
  direct: "Runs on this machine.",
  http: "Runs on Inference servers, which read the cameras.",
  webrtc: "Runs on Inference servers, which are sent what they cannot read.",
};

export function addBackendRoutes(server: HttpServer, parts: HttpParts): void {
  const { backends } = parts;

  server.get(
    "/api/backends",
    { schema: { summary: "Backends and Inference servers as they are now", response: { 200: backendsSchema } } },
    async () => {
      const servers = [...(await parts.servers())];
      const reached = servers.some(({ reachable }) => reachable);
      const running = parts.pipelines.list();
      return {
        configured: backends.configured,
        backends: backends.list.map(({ name }) => ({
          name,
          available: name === "direct" || reached,
          about: name === "direct" || reached ? ABOUT[name] : "No Inference server answers.",
          pipelines: running.filter(({ backend }) => backend === name).map(({ pipeline_id }) => pipeline_id),
        })),
        servers,
      };
    },
  );
}

export function addBlockRoutes(server: HttpServer, { backends, blocks }: HttpParts): void {
  server.get(
    "/api/blocks",
    {
      schema: {
        summary: "Block types of a backend; ?family= and ?q= choose among them",
        querystring: z.object({
          backend: backendNameSchema.optional(),
          family: z.string().min(1).max(100).optional(),
          q: z.string().min(1).max(100).optional(),
        }),
        response: { 200: blocksSchema },
      },
    },
    async ({ query }) => {
      const listing = await blocks.list(query.backend ?? backends.configured);
      const families = [...new Set(listing.blocks.map(({ family }) => family))].sort();
      const words = query.q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
      const found = listing.blocks.filter(({ type, aliases, name, family, description }) => {
        const text = [type, ...aliases, name, family, description].join(" ").toLowerCase();
        return (query.family === undefined || family === query.family) && words.every((word) => text.includes(word));
      });
      const { backend, source, asOf = null, note = null } = listing;
      return { backend, source, as_of: asOf, note, families, blocks: found };
    },
  );

  const querystring = z.object({ backend: backendNameSchema.optional() });
  const find = async (type: string, wanted: BackendName = backends.configured) => {
    const { backend, source, blocks: all } = await blocks.list(wanted);
    const block = all.find((one) => one.type === type || one.aliases.includes(type));
    if (block === undefined) {
      throw notFound(`There is no block type ${type}.`, "GET /api/blocks lists them.");
    }
    return { ...block, backend, source };
  };

  server.get(
    "/api/blocks/:type",
    {
      schema: {
        summary: "One block type, by its name or an alias",
        params: z.object({ type: z.string() }),
        querystring,
        response: { 200: blockSchema },
      },
    },
    async ({ params, query }) => find(params.type, query.backend),
  );

  // The same with the slash of the type as it is.
  server.get(
    "/api/blocks/*",
    { schema: { hide: true, params: z.object({ "*": z.string() }), querystring, response: { 200: blockSchema } } },
    async ({ params, query }) => find(params["*"], query.backend),
  );
}
