// method and path → the route that answers, as the real server's router would choose it
import type { Json } from "@vision-agent/protocol";
import { detail, type FakeAnswer, type FakeRoute, failure, ok, type Request } from "./answer.ts";
import { optional, takeBody, text } from "./check-body.ts";
import { foundationRoutes } from "./foundation.ts";
import { embeddingsRoute, inferRoutes, legacyRoute } from "./infer.ts";
import type { StreamManager } from "./pipelines.ts";
import { isBefore18 } from "./settings.ts";
import type { WebRtcWorkers } from "./webrtc.ts";
import { blocksRoute, interfaceRoute, runRoute, runSavedRoute, validateRoute, versionsRoute } from "./workflows.ts";
import type { World } from "./world.ts";

export interface FakeRouter {
  answer(request: Request): Promise<FakeAnswer>;
}

/** Routes a whitelisted server answers without a key. */
const OPEN = new Set(["/", "/docs", "/redoc", "/info", "/healthz", "/readiness", "/metrics", "/openapi.json"]);
const FOUNDATION = /^\/(clip|sam[23]?|gaze|doctr|easy_ocr|ocr|yolo_world|grounding_dino|owlv2|perception_encoder)\//;

export function createRouter(world: World, manager: StreamManager, workers: WebRtcWorkers): FakeRouter {
  const fixed = fixedRoutes(world, workers);
  const infer = inferRoutes(world);
  const legacy = legacyRoute(world);

  function choose(request: Request): FakeRoute | undefined {
    const { method, path } = request;
    const named = fixed[`${method} ${path}`] ?? (method === "POST" ? infer[path.replace(/^\/infer\//, "")] : undefined);
    if (named !== undefined) return named;
    const family =
      savedRoute(world, method, path) ?? (world.settings.streamApi ? pipelineRoute(manager, method, path) : undefined);
    if (family !== undefined) return family;
    const segments = path.split("/").filter((segment) => segment !== "");
    if (segments.length !== 2 || !["GET", "POST"].includes(method)) return undefined;
    return FOUNDATION.test(path) ? () => failure(500, "Service misconfiguration.") : legacy;
  }

  return {
    async answer(request) {
      if (world.settings.apiKey !== undefined && !OPEN.has(request.path) && request.key !== world.settings.apiKey) {
        return { status: 401, body: { status: 401, message: "Unauthorized api_key" } };
      }
      const isConsume = /^\/inference_pipelines\/[^/]+\/consume$/.test(request.path);
      if (request.method === "GET" && request.raw.length > 0 && !isConsume) {
        return detail(400, "There was an error parsing the body");
      }
      const route = choose(request);
      if (route !== undefined) return route(request);
      if (request.method === "GET" || request.method === "HEAD") return detail(404, "Not Found");
      return detail(405, "Method Not Allowed", { allow: "GET, HEAD" });
    },
  };
}

function fixedRoutes(world: World, workers: WebRtcWorkers): Readonly<Record<string, FakeRoute>> {
  const { settings, models } = world;
  const uuid = "fake00";
  const routes: Record<string, FakeRoute> = {
    "GET /info": () => ok({ name: "Roboflow Inference Server", version: settings.version, uuid }),
    "GET /healthz": () => ok({ status: "healthy" }),
    "GET /readiness": () => ok({ status: "ready" }),
    "GET /metrics": () =>
      ok(Buffer.from("# HELP fake\n"), { "content-type": "text/plain; version=1.0.0; charset=utf-8" }),
    "GET /logs": () => detail(404, "Logs endpoint not available"),
    "GET /model/registry": () => ok(models.registry()),
    "POST /model/add": (request) => ok(models.add(modelIdOf(request))),
    "POST /model/remove": (request) => ok(models.remove(modelIdOf(request))),
    "POST /model/clear": () => ok(models.clear()),
    "GET /clear_cache": () => {
      models.clear();
      return ok("Cache Cleared");
    },
    "POST /workflows/run": runRoute(world),
    "POST /infer/workflows": runRoute(world),
    "POST /workflows/validate": validateRoute(world),
    "POST /workflows/describe_interface": interfaceRoute(world, "interface"),
    "GET /workflows/execution_engine/versions": versionsRoute(world),
    "GET /workflows/blocks/describe": blocksRoute(world),
    "POST /workflows/blocks/describe": blocksRoute(world),
  };
  if (!isBefore18(settings)) {
    routes["POST /infer/embeddings"] = embeddingsRoute(world);
    routes["POST /workflows/describe_workload"] = interfaceRoute(world, "workload");
  }
  if (settings.webrtc) routes["POST /initialise_webrtc_worker"] = (request) => workers.initialise(request);
  if (settings.foundation) {
    for (const [path, route] of Object.entries(foundationRoutes(world))) routes[`POST /${path}`] = route;
  }
  const paths = describePaths(Object.keys(routes), settings.streamApi, !isBefore18(settings));
  routes["GET /openapi.json"] = () =>
    ok({ openapi: "3.1.0", info: { title: "Roboflow Inference Server", version: settings.version }, paths });
  return routes;
}

function modelIdOf(request: Request): string {
  return String(takeBody(request, { "model_id!": text, model_type: optional(text) }).model_id);
}

function savedRoute(world: World, method: string, path: string): FakeRoute | undefined {
  if (method !== "POST") return undefined;
  const run = /^\/infer\/workflows\/([^/]+)\/([^/]+)$/.exec(path) ?? /^\/([^/]+)\/workflows\/([^/]+)$/.exec(path);
  if (run !== null) return runSavedRoute(world, `${run[1]}/${run[2]}`);
  const described = /^\/([^/]+)\/workflows\/([^/]+)\/describe_(interface|workload)$/.exec(path);
  if (described === null) return undefined;
  const what = described[3] === "workload" ? "workload" : "interface";
  if (what === "workload" && isBefore18(world.settings)) return undefined;
  return interfaceRoute(world, what, `${described[1]}/${described[2]}`);
}

function pipelineRoute(manager: StreamManager, method: string, path: string): FakeRoute | undefined {
  if (method === "GET" && path === "/inference_pipelines/list") return () => manager.list();
  if (method === "POST" && path === "/inference_pipelines/initialise") return (request) => manager.initialise(request);
  const [, id = "", verb] = /^\/inference_pipelines\/([^/]+)\/(\w+)$/.exec(path) ?? [];
  switch (`${method} ${verb}`) {
    case "GET status":
      return () => manager.status(id);
    case "GET consume":
      return (request) => manager.consume(id, request);
    case "POST pause":
      return () => manager.pause(id);
    case "POST resume":
      return () => manager.resume(id);
    case "POST terminate":
      return () => manager.terminate(id);
  }
  return undefined;
}

function describePaths(named: readonly string[], pipelines: boolean, workload: boolean): Json {
  const infer = [
    "object_detection",
    "instance_segmentation",
    "semantic_segmentation",
    "classification",
    "keypoints_detection",
  ];
  const hosted = ["list", "initialise", "{pipeline_id}/status", "{pipeline_id}/pause", "{pipeline_id}/resume"];
  const saved = ["", "/describe_interface", ...(workload ? ["/describe_workload"] : [])];
  const paths = [
    ...named.map((name) => name.split(" ")[1]!),
    ...infer.map((name) => `/infer/${name}`),
    ...saved.map((end) => `/{workspace_name}/workflows/{workflow_id}${end}`),
    ...(pipelines
      ? [...hosted, "{pipeline_id}/terminate", "{pipeline_id}/consume"].map((name) => `/inference_pipelines/${name}`)
      : []),
    "/{dataset_id}/{version_id}",
  ];
  return Object.fromEntries(paths.map((path) => [path, {}]));
}
