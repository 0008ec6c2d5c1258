// parts of the app → REST, SSE and the pages

import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import helmet from "@fastify/helmet";
import fastifyStatic from "@fastify/static";
import swagger from "@fastify/swagger";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import {
  createJsonSchemaTransform,
  createSerializerCompiler,
  jsonSchemaTransformObject,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import { seesAll } from "../../access/identity.ts";
import { addAccountRoutes, addLoginRoutes, type SendPage } from "./access-routes.ts";
import { addAppRoutes } from "./app-routes.ts";
import { addArtifactRoutes, takeUploads } from "./artifact-routes.ts";
import { addBackendRoutes, addBlockRoutes } from "./backend-routes.ts";
import { addCameraRoutes } from "./camera-routes.ts";
import { addEgressRoutes, addForgetRoute } from "./egress-routes.ts";
import { addEventRoutes } from "./event-routes.ts";
import { addEventStream } from "./event-stream.ts";
import { addGuard } from "./guard.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, LAST_RESORT, notFound, toErrorBody, toHttpProblem } from "./http-problem.ts";
import { addInferRoute } from "./infer-route.ts";
import { checkRequestPart, takeJson } from "./json-body.ts";
import { addHealthRoutes, addMetricsRoute } from "./metrics-route.ts";
import { addPipelineRoutes } from "./pipeline-routes.ts";
import { addPlaceRoutes } from "./place-routes.ts";
import { createAddRoute } from "./route.ts";
import { addRunRoutes, addSessionRoutes } from "./session-routes.ts";
import { addAlertRoutes, addWatchRoutes } from "./watch-routes.ts";

/** Not listening yet: `inject` works at once. */
export async function createHttpServer(parts: HttpParts): Promise<HttpServer> {
  const server = openFastify(parts);
  server.setValidatorCompiler(checkRequestPart);
  addGuard(server, parts);
  addFilters(server, parts);
  takeJson(server);
  await addHeaders(server, parts);
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
  addAlertRoutes(route, parts);
  addWatchRoutes(route, parts);
  addPlaceRoutes(route, parts);
  addAppRoutes(route, parts);
  addEgressRoutes(route, parts);
  addForgetRoute(route, parts);
  addMetricsRoute(route, parts);
  addEventStream(route, parts);
  addAccountRoutes(route, parts);
  const sendPage = createSendPage(parts.webFolder);
  addLoginRoutes(route, parts, sendPage);
  await addWebFiles(server, parts.webFolder);
  server.setNotFoundHandler((request, reply) => {
    if (isPage(request)) return void sendPage(reply);
    const problem = notFound(`There is nothing at ${request.method} ${request.url.split("?")[0]}.`);
    sendProblem(reply, problem);
  });
  return server;
}

/** Bodies, forms and pictures come within a time; answers may take as long as a conversation does. */
function openFastify({ reach, limits }: HttpParts): HttpServer {
  const waits = {
    headersTimeout: limits?.headersMs ?? 15_000,
    requestTimeout: limits?.requestMs ?? 120_000,
    keepAliveTimeout: 10_000,
    // How often the two above are looked at.
    connectionsCheckingInterval: 1000,
  };
  const options = {
    forceCloseConnections: true,
    requestTimeout: waits.requestTimeout,
    keepAliveTimeout: waits.keepAliveTimeout,
    routerOptions: { maxParamLength: 500 },
    ...(reach?.proxies && { trustProxy: [...reach.proxies] }),
    // Addresses that the router itself refuses never reach the error handler.
    clientErrorHandler: refuseSocket,
    frameworkErrors: (error: Error, _request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(reply, toHttpProblem(error)),
  };
  if (reach?.tls === undefined) return Fastify({ ...options, http: waits }).withTypeProvider<ZodTypeProvider>();
  // The same server to everything behind it; only the type of its socket differs.
  return Fastify({ ...options, https: { ...waits, ...reach.tls } }) as unknown as HttpServer;
}

/** What is no HTTP gets the same body as every other refusal. */
function refuseSocket({ code }: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy();
  const isLarge = code === "HPE_HEADER_OVERFLOW";
  const [status, reason] = isLarge ? [431, "Request Header Fields Too Large"] : [400, "Bad Request"];
  const message = isLarge ? "The headers are too large." : "This is no valid HTTP request.";
  const body = JSON.stringify(toErrorBody(new HttpProblem(status as number, "invalid_request", message)));
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
}

function sendProblem(reply: FastifyReply, problem: HttpProblem): void {
  const body = reply.server.withoutSecrets(toErrorBody(problem));
  const text = body === undefined ? LAST_RESORT : JSON.stringify(body);
  if (problem.status === 429) void reply.header("retry-after", String(problem.retryAfterSeconds));
  void reply.code(problem.status).type("application/json; charset=utf-8").send(text);
}

const NOT_SEEN = "There is no such thing, or this account may not see it.";

/** CAMERAS.md keeps the passwords of its own; those of accounts are no addresses. */
const AS_IT_IS = /^\/api\/(?:cameras|accounts|login)/;

function addFilters(server: HttpServer, { credentials, onFault, redact = (value) => value }: HttpParts): void {
  server.addHook("preHandler", async (request) => {
    if (AS_IT_IS.test(request.routeOptions.url ?? "")) return;
    request.body = await credentials.take(request.body);
  });
  hideSecrets(server, redact);
  server.setErrorHandler((thrown, { identity }, reply) => {
    const told = toHttpProblem(thrown);
    // What is not there and what may not be seen read alike, and no list tells of the rest.
    const problem = told.status === 404 && identity && !seesAll(identity) ? notFound(NOT_SEEN) : told;
    // A camera or a backend that does not answer (424) is no fault of ours.
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
  // An answer of no known shape does not pass there.
  server.addHook("preSerialization", async (_request, reply, payload) =>
    reply.getSerializationFunction(String(reply.statusCode)) === undefined ? redact(payload) : payload,
  );
}

async function addHeaders(server: HttpServer, { reach }: HttpParts): Promise<void> {
  await server.register(helmet, {
    // Over plain HTTP on loopback it cannot hold; a browser ignores it for a certificate that it does not trust.
    strictTransportSecurity: reach?.tls !== undefined || reach?.publicUrl?.startsWith("https:") === true,
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
    openapi: {
      openapi: "3.1.0",
      info: { title: "Vision Agent", version },
      components: {
        securitySchemes: {
          token: { type: "http", scheme: "bearer", description: "The token of server.json in the workspace." },
          browser: {
            type: "apiKey",
            in: "cookie",
            name: "vision_agent",
            description: "Set by /login; the port is part of its name.",
          },
        },
      },
      security: [{ token: [] }, { browser: [] }],
    },
    transform: createJsonSchemaTransform({ skipList: ["/api/openapi.json"] }),
    // Schemas that have an id are written once.
    transformObject: jsonSchemaTransformObject,
  });
  server.get("/api/openapi.json", { schema: { hide: true }, config: { role: "owner" } }, async () => server.swagger());
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Vision Agent</title></head>
<body><main><h1>Vision Agent is running</h1>
<p>The dashboard is not built yet. Stop this process and run <code>npm start</code>, which builds it.</p>
<p>The API works: <a href="/api/openapi.json">/api/openapi.json</a></p></main></body></html>
`;

function isPage({ method, url }: FastifyRequest): boolean {
  return method === "GET" && !/^\/(?:api|assets|metrics|healthz)(?:\/|$)/.test(url.split("?")[0] ?? "");
}

/** Pages hold nothing private: what they show comes from the API, which asks who is there. */
function createSendPage(webFolder: string): SendPage {
  const built = isBuilt(webFolder);
  return (reply) =>
    built
      ? reply.header("cache-control", "no-cache").sendFile("index.html")
      : reply.type("text/html; charset=utf-8").header("cache-control", "no-store").send(NOT_BUILT);
}

function isBuilt(webFolder: string): boolean {
  return existsSync(join(webFolder, "index.html"));
}

/** The last routes of all: each file is one, and open. */
async function addWebFiles(server: HttpServer, webFolder: string): Promise<void> {
  if (!isBuilt(webFolder)) return;
  server.addHook("onRoute", (route) => {
    route.config = { ...route.config, role: "open" };
  });
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
