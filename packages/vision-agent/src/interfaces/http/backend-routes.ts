// backends, and the block types of each
import { type BackendName, backendNameSchema, backendsSchema, blockSchema, blocksSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { HttpParts } from "./http-parts.ts";
import { notFound } from "./http-problem.ts";
import type { AddRoute } from "./route.ts";

const ABOUT: Readonly<Record<BackendName, string>> = {
  direct: "Runs on this machine.",
  http: "Runs on Inference servers, which read the cameras.",
  webrtc: "Runs on Inference servers, which are sent what they cannot read.",
};

export function addBackendRoutes(route: AddRoute, parts: HttpParts): void {
  const { backends } = parts;
  const about = "Backends and Inference servers as they are now";
  route("GET /api/backends", { about, answer: backendsSchema }, async () => {
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
  });
}

const backend = backendNameSchema.optional();
const search = z.string().min(1).max(100).optional();

export function addBlockRoutes(route: AddRoute, { backends, blocks }: HttpParts): void {
  route(
    "GET /api/blocks",
    {
      about: "Block types of a backend; ?family= and ?q= choose among them",
      query: { backend, family: search, q: search },
      answer: blocksSchema,
    },
    async ({ query }) => {
      const listing = await blocks.list(query.backend ?? backends.configured);
      const families = [...new Set(listing.blocks.map(({ family }) => family))].sort();
      const words = query.q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
      const found = listing.blocks.filter(({ type, aliases, name, family, description }) => {
        const text = [type, ...aliases, name, family, description].join(" ").toLowerCase();
        return (query.family === undefined || family === query.family) && words.every((word) => text.includes(word));
      });
      const { source, asOf = null, note = null } = listing;
      return { backend: listing.backend, source, as_of: asOf, note, families, blocks: found };
    },
  );

  const find = async (type: string, wanted: BackendName = backends.configured) => {
    const { blocks: all, ...listing } = await blocks.list(wanted);
    const block = all.find((one) => one.type === type || one.aliases.includes(type));
    if (block === undefined) throw notFound(`There is no block type ${type}.`, "GET /api/blocks lists them.");
    return { ...block, backend: listing.backend, source: listing.source };
  };
  const one = { query: { backend }, answer: blockSchema };
  const about = "One block type, by its name or an alias";
  route("GET /api/blocks/:type", { about, ...one }, ({ type, query }) => find(type, query.backend));
  // The same with the slash of the type as it is.
  route("GET /api/blocks/*", one, ({ "*": type, query }) => find(type, query.backend));
}
