// parts of the app → REST and SSE on loopback

import { existsSync } from "node:fs";
import { join } from "node:path";
import helmet from "@fastify/helmet";
import fastifyStatic from "@fastify/static";
import swagger from "@fastify/swagger";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import {
  createJsonSchemaTransform,
  createSerializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import { addAppRoutes } from "./app-routes.ts";
import { addArtifactRoutes, takeUploads } from "./artifact-routes.ts";
import { addBackendRoutes, addBlockRoutes } from "./backend-routes.ts";
import { addCameraRoutes } from "./camera-routes.ts";
import { addEgressRoutes } from "./egress-routes.ts";
import { addEventStream } from "./event-stream.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, LAST_RESORT, notFound, toErrorBody, toHttpProblem } from "./http-problem.ts";
import { addInferRoute } from "./infer-route.ts";
import { addHealthRoutes, addMetricsRoute } from "./metrics-route.ts";
import { addPipelineRoutes } from "./pipeline-routes.ts";
import { createAddRoute } from "./route.ts";
import { addRunRoutes, addSessionRoutes } from "./session-routes.ts";
import { addEventRoutes, addWatchRoutes } from "./watch-routes.ts";

/** Not listening yet: `inject` works at once. */
export async function createHttpServer(parts: HttpParts): Promise<HttpServer> {
  const server: HttpServer = Fastify({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 500 },
    // Addresses that the router itself refuses never reach the error handler.
    frameworkErrors: (error, _request, reply) => sendProblem(reply, toHttpProblem(error)),
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validatorCompiler);
  addGuards(server, parts);
  await addHeaders(server);
  await addOpenApi(server, parts.version);
  await takeUploads(server, parts);
  const route = createAddRoute(server);
  addHealthRoutes(route, parts);
  addSessionRoutes(route, parts);
  addRunRoutes(route, parts);
  addArtifactRoutes(route, parts);
  addCameraRoutes(route, parts);
  addPipelineRoutes(route, parts);
  addBackendRoutes(route, parts);
  addBlockRoutes(route, parts);
  addInferRoute(route, parts);
  addEventRoutes(route, parts);
  addWatchRoutes(route, parts);
  addAppRoutes(route, parts);
  addEgressRoutes(route, parts);
  addMetricsRoute(route, parts);
  addEventStream(route, parts);
  const showPage = await addWebFiles(server, parts);
  server.setNotFoundHandler((request, reply) => {
    if (showPage(request, reply)) return;
    const problem = notFound(`There is nothing at ${request.method} ${request.url.split("?")[0]}.`);
    sendProblem(reply, problem);
  });
  return server;
}

function sendProblem(reply: FastifyReply, problem: HttpProblem): void {
  const body = reply.server.withoutSecrets(toErrorBody(problem));
  const text = body === undefined ? LAST_RESORT : JSON.stringify(body);
  void reply.code(problem.status).type("application/json; charset=utf-8").send(text);
}

function addGuards(server: HttpServer, { credentials, onFault, redact = (text) => text }: HttpParts): void {
  server.addHook("onRequest", async (request) => guardRequest(request));
  server.addHook("preHandler", async (request) => {
    // CAMERAS.md keeps the passwords of its own.
    if (request.routeOptions.url?.startsWith("/api/cameras")) return;
    request.body = await credentials.take(request.body);
  });
  hideSecrets(server, redact);
  server.setErrorHandler((thrown, _request, reply) => {
    const problem = toHttpProblem(thrown);
    // A camera or a backend that does not answer (502, 503) is no fault of ours.
    if (problem.status === 500) onFault(thrown);
    sendProblem(reply, problem);
  });
}

/** Texts are looked through before they are written as JSON: its structure stays what it is, whatever a secret is. */
function hideSecrets(server: HttpServer, redact: <T>(value: T) => T): void {
  server.decorate("withoutSecrets", (value) => {
    try {
      return redact(value);
    } catch {
      return undefined;
    }
  });
  server.setSerializerCompiler(
    // The whole answer comes under an empty name.
    createSerializerCompiler({ replacer: (key, value) => (key === "" ? redact(value) : value) }),
  );
}

async function addHeaders(server: HttpServer): Promise<void> {
  await server.register(helmet, {
    // Plain HTTP on loopback: neither of these two can hold.
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // Components set sizes and colours as style attributes.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "blob:", "data:"],
        fontSrc: ["'self'", "data:"],
        connectSrc: ["'self'"],
        workerSrc: ["'self'", "blob:"],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
  });
}

async function addOpenApi(server: HttpServer, version: string): Promise<void> {
  await server.register(swagger, {
    openapi: { openapi: "3.1.0", info: { title: "Vision Agent", version } },
    transform: createJsonSchemaTransform({ skipList: ["/api/openapi.json"] }),
  });
  server.get("/api/openapi.json", { schema: { hide: true } }, async () => server.swagger());
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A page of another site must neither read this server under its own name (DNS rebinding) nor make it act
 * (cross-site requests). Throws `HttpProblem` 403.
 */
function guardRequest({ method, headers }: FastifyRequest): void {
  // Browsers set the last one, and pages cannot.
  const { host, origin, "sec-fetch-site": fetchSite } = headers;
  if (host === undefined || !LOOPBACK.test(host)) {
    throw new HttpProblem(403, "foreign_host", "This server answers only to localhost, 127.0.0.1 and [::1].");
  }
  if (SAFE_METHODS.has(method)) return;
  const foreign = origin === undefined ? fetchSite === "cross-site" : !isLoopbackOrigin(origin);
  if (foreign) throw new HttpProblem(403, "foreign_origin", "Requests from other sites may not change anything here.");
}

function isLoopbackOrigin(origin: string): boolean {
  return LOOPBACK.test(origin.replace(/^https?:\/\//i, ""));
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Vision Agent</title></head>
<body><main><h1>Vision Agent is running</h1>
<p>The dashboard is not built yet. Stop this process and run <code>npm start</code>, which builds it.</p>
<p>The API works: <a href="/api/openapi.json">/api/openapi.json</a></p></main></body></html>
`;

/** Answers a page request; false when the request is not for a page. */
type PageFallback = (request: FastifyRequest, reply: FastifyReply) => boolean;

async function addWebFiles(server: HttpServer, { webFolder }: HttpParts): Promise<PageFallback> {
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
