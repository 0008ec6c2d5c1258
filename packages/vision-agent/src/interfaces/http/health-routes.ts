import { healthSchema } from "@vision-agent/protocol";
import type { HttpParts, HttpServer } from "./http-parts.ts";

export function addHealthRoutes(server: HttpServer, { version, mode, speaker, clock }: HttpParts): void {
  const startedAt = clock.monotonic();
  server.get(
    "/healthz",
    { schema: { summary: "Ready: cameras and sessions are served", response: { 200: healthSchema } } },
    async () => ({
      status: "ok" as const,
      version,
      mode,
      speaker,
      uptime_seconds: Math.round((clock.monotonic() - startedAt) / 100) / 10,
    }),
  );
}
