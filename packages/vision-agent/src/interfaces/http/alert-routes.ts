import { alertSchema } from "@vision-agent/protocol";
import { z } from "zod";
import type { HttpParts, HttpServer } from "./http-parts.ts";

export function addAlertRoutes(server: HttpServer, { alerts }: HttpParts): void {
  server.get(
    "/api/alerts",
    {
      schema: {
        summary: "Alerts, newest first",
        querystring: z.object({ limit: z.coerce.number().int().min(1).max(1000).default(100) }),
        response: { 200: z.array(alertSchema) },
      },
    },
    async ({ query }) => [...alerts.list(query.limit)],
  );
}
