// parts of the app → REST and SSE on loopback
import helmet from "@fastify/helmet";
import swagger from "@fastify/swagger";
import Fastify, { type FastifyReply } from "fastify";
import {
  createJsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import { addAlertRoutes } from "./alert-routes.ts";
import { addAppRoutes } from "./app-routes.ts";
import { addArtifactRoutes } from "./artifact-routes.ts";
import { addBackendRoutes, addBlockRoutes } from "./backend-routes.ts";
import { addCameraRoutes } from "./camera-routes.ts";
import { addEventRoutes } from "./event-routes.ts";
import { addEventStream } from "./event-stream.ts";
import { addHealthRoutes } from "./health-routes.ts";
import type { HttpParts, HttpServer } from "./http-parts.ts";
import { HttpProblem, toErrorBody, toHttpProblem } from "./http-problem.ts";
import { addInferRoute } from "./infer-route.ts";
import { addMetricsRoute } from "./metrics-route.ts";
import { addPauseRoutes } from "./pause-routes.ts";
import { addPipelineRoutes } from "./pipeline-routes.ts";
import { guardRequest } from "./request-guard.ts";
import { addRunRoutes } from "./run-routes.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { addWatchRoutes } from "./watch-routes.ts";
import { addWebFiles } from "./web-files.ts";

/** Not listening yet: `inject` works at once. */
export async function createHttpServer(parts: HttpParts): Promise<HttpServer> {
  const server: HttpServer = Fastify({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
    // Addresses that the router itself refuses never reach the error handler.
    frameworkErrors: (error, _request, reply) => sendProblem(reply, toHttpProblem(error)),
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  addGuards(server, parts);
  await addHeaders(server);
  await addOpenApi(server, parts.version);
  addHealthRoutes(server, parts);
  addSessionRoutes(server, parts);
  addRunRoutes(server, parts);
  await addArtifactRoutes(server, parts);
  addCameraRoutes(server, parts);
  addPipelineRoutes(server, parts);
  addBackendRoutes(server, parts);
  addBlockRoutes(server, parts);
  addInferRoute(server, parts);
  addEventRoutes(server, parts);
  addAlertRoutes(server, parts);
  addWatchRoutes(server, parts);
  addPauseRoutes(server, parts);
  addAppRoutes(server, parts);
  addMetricsRoute(server, parts);
  addEventStream(server, parts);
  const showPage = await addWebFiles(server, parts);
  server.setNotFoundHandler((request, reply) => {
    if (showPage(request, reply)) return;
    const problem = new HttpProblem(
      404,
      "not_found",
      `There is nothing at ${request.method} ${request.url.split("?")[0]}.`,
    );
    sendProblem(reply, problem);
  });
  return server;
}

function sendProblem(reply: FastifyReply, problem: HttpProblem): void {
  void reply.code(problem.status).send(toErrorBody(problem));
}

function addGuards(server: HttpServer, { credentials, onFault, redact = (text) => text }: HttpParts): void {
  server.addHook("onRequest", async (request) => {
    const { host, origin, "sec-fetch-site": fetchSite } = request.headers;
    guardRequest({
      method: request.method,
      host,
      origin,
      fetchSite: typeof fetchSite === "string" ? fetchSite : undefined,
    });
  });
  server.addHook("preHandler", async (request) => {
    // CAMERAS.md keeps the passwords of its own.
    if (request.routeOptions.url?.startsWith("/api/cameras")) return;
    request.body = await credentials.take(request.body);
  });
  server.decorate("withoutSecrets", redact);
  server.addHook("onSend", async (_request, _reply, payload) =>
    typeof payload === "string" ? redact(payload) : payload,
  );
  server.setErrorHandler((thrown, _request, reply) => {
    const problem = toHttpProblem(thrown);
    // A camera or a backend that does not answer (502, 503) is no fault of ours.
    if (problem.status === 500) onFault(thrown);
    sendProblem(reply, problem);
  });
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
