// a stand-in for Roboflow's API on 127.0.0.1: model packages and saved workflows
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { WorkflowSpec } from "@vision-agent/protocol";

/** A model as Roboflow hands it out. */
export interface LoopbackModel {
  readonly architecture: string;
  readonly task: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

export interface RoboflowLoopbackOptions {
  /** By id. */
  readonly models: Readonly<Record<string, LoopbackModel>>;
  /** By `workspace/id`. */
  readonly workflows: Readonly<Record<string, WorkflowSpec>>;
}

/** A server that runs until it is closed. */
export interface RoboflowLoopback {
  readonly url: string;
  /** Everything else is refused. */
  readonly key: string;
  /** What was asked for with the right key, oldest first: `model <id>`, `workflow <workspace>/<id>`. */
  readonly served: readonly string[];
  close(): Promise<void>;
}

const KEY = "rf_loopback_key";
const WEIGHTS = "/models/v1/external/weights";

/** Listens on a free port of the loopback interface. */
export async function startRoboflowLoopback(options: RoboflowLoopbackOptions): Promise<RoboflowLoopback> {
  const served: string[] = [];
  const server = createServer((request, response) => {
    const answer = answerTo(request, options, `http://${request.headers.host}`);
    if (answer.served !== undefined) served.push(answer.served);
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: KEY,
    served,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly served?: string;
}

const NOT_FOUND: Answer = { status: 404, body: "{}" };
const REFUSED: Answer = { status: 401, body: "{}" };

function answerTo(request: IncomingMessage, { models, workflows }: RoboflowLoopbackOptions, origin: string): Answer {
  const { pathname, searchParams } = new URL(request.url ?? "/", origin);
  if (pathname === WEIGHTS) {
    if (request.headers.authorization !== `Bearer ${KEY}`) return REFUSED;
    const id = searchParams.get("modelId") ?? "";
    const model = models[id];
    return model === undefined ? NOT_FOUND : { ...toJson(toPackage(id, model, origin)), served: `model ${id}` };
  }
  const [, modelId = "", file = ""] = /^\/files\/(.+)\/([^/]+)$/.exec(pathname) ?? [];
  const bytes = models[modelId]?.files[file];
  if (bytes !== undefined) return { status: 200, body: bytes };
  const [, workspace, workflowId] = /^\/([^/]+)\/workflows\/([^/]+)$/.exec(pathname) ?? [];
  const name = `${workspace}/${workflowId}`;
  const specification = workflows[name];
  if (specification === undefined) return NOT_FOUND;
  if (searchParams.get("api_key") !== KEY) return REFUSED;
  const workflow = { id: workflowId, config: JSON.stringify({ specification }) };
  return { ...toJson({ workflow }), served: `workflow ${name}` };
}

function toPackage(id: string, { architecture, task, files }: LoopbackModel, origin: string): object {
  const packageFiles = Object.entries(files).map(([name, bytes]) => ({
    fileHandle: name,
    downloadUrl: `${origin}/files/${id}/${name}`,
    md5Hash: createHash("md5").update(bytes).digest("hex"),
  }));
  const onnx = { packageManifest: { type: "onnx-model-package-v1", quantization: "fp32" }, packageFiles };
  const modelMetadata = { modelArchitecture: architecture, taskType: task, modelPackages: [onnx], nextPage: null };
  return { modelMetadata };
}

function toJson(body: object): Answer {
  return { status: 200, body: JSON.stringify(body) };
}
