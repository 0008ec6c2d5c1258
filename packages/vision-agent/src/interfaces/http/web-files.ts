// the built dashboard → static files, every page address the same page
import { existsSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpParts, HttpServer } from "./http-parts.ts";

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Vision Agent</title></head>
<body><main><h1>Vision Agent is running</h1>
<p>The dashboard is not built yet. Stop this process and run <code>npm start</code>, which builds it.</p>
<p>The API works: <a href="/api/openapi.json">/api/openapi.json</a></p></main></body></html>
`;

/** Answers a page request; false when the request is not for a page. */
export type PageFallback = (request: FastifyRequest, reply: FastifyReply) => boolean;

export async function addWebFiles(server: HttpServer, { webFolder }: HttpParts): Promise<PageFallback> {
  const built = existsSync(join(webFolder, "index.html"));
  if (built) {
    await server.register(fastifyStatic, {
      root: webFolder,
      wildcard: false,
      preCompressed: true, // the build leaves .br and .gz beside each larger file
      // Names under assets/ hold a hash of their content.
      setHeaders: (reply, path) => {
        const hashed = /[\\/]assets[\\/]/.test(path);
        void reply.header("cache-control", hashed ? "public, max-age=31536000, immutable" : "no-cache");
      },
    });
  }
  return (request, reply) => {
    const isPage =
      request.method === "GET" && !/^\/(?:api|assets|metrics|healthz)(?:\/|$)/.test(request.url.split("?")[0] ?? "");
    if (!isPage) return false;
    if (built) void reply.header("cache-control", "no-cache").sendFile("index.html");
    else void reply.type("text/html; charset=utf-8").header("cache-control", "no-store").send(NOT_BUILT);
    return true;
  };
}
