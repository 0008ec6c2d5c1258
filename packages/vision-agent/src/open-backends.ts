// the inference part of the configuration → engine, servers, and the three backends on them
import { resolve } from "node:path";
import { type EnvironmentVariables, systemClock } from "@vision-agent/agent-core";
import {
  createInferenceClient,
  createServerFleet,
  type PipelineLedger,
  type ServerFleet,
} from "@vision-agent/inference-client";
import type { ProbeResult, ServerStatus, WorkflowSpec } from "@vision-agent/protocol";
import * as engine from "@vision-agent/vision-engine";
import { withCredentials } from "./backends/backend.ts";
import { type BlockCatalog, createBlockCatalog } from "./backends/block-catalog.ts";
import { createDirectBackend, type LocalEngine, toBackendError } from "./backends/direct.ts";
import { createHttpBackend } from "./backends/http.ts";
import { createSavedWorkflows, type SavedWorkflows } from "./backends/saved-workflows.ts";
import { type Backends, createBackends } from "./backends/select-backend.ts";
import { isOnThisMachine } from "./backends/server-source.ts";
import { loadServerStatus } from "./backends/server-status.ts";
import { type Capture, createCapture, type OpenSource } from "./backends/still-picture.ts";
import { createWebRtcBackend } from "./backends/webrtc.ts";
import type { Config } from "./config/config-schema.ts";
import { expandHome, modelFolder } from "./config/environment.ts";
import type { Egress } from "./egress/open-egress.ts";
import { resizePicture } from "./tools/resize-picture.ts";
import type { CameraMasks, Masks } from "./workspace/camera-masks.ts";
import type { CredentialStore } from "./workspace/credential-store.ts";
import type { FilePort } from "./workspace/file-port.ts";

/** Simulated models, and those that come with this engine. */
const ONLY_HERE = /^(?:sim|vision-agent)\//;

export interface BackendsOptions {
  readonly config: Config["inference"];
  readonly sinks: Config["sinks"];
  readonly env: EnvironmentVariables;
  readonly files: FilePort;
  /** A path inside the workspace. */
  readonly path: (...names: readonly string[]) => string;
  /** Remembers which pipelines run on which server. */
  readonly ledger: PipelineLedger;
  /** Knows the passwords of the addresses that callers name. */
  readonly credentials: Pick<CredentialStore, "complete">;
  /** Asked whenever a camera is opened: what of its pictures nobody may see. */
  readonly masks: Pick<CameraMasks, "of">;
  /** Where the stream of a camera is copied to; undefined when it is not. Default: no stream is. */
  readonly recordTo?: (camera: string) => string | undefined;
  /** Says of which cameras pictures may go to which server. */
  readonly egress: Pick<Egress, "admit" | "admitStream" | "admitOutgoing">;
  /** Told in a sentence what goes wrong without stopping anything. Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** Everything that runs workflows. */
export interface OpenBackends {
  readonly backends: Backends;
  readonly blocks: BlockCatalog;
  readonly savedWorkflows: SavedWorkflows;
  readonly fleet: ServerFleet;
  /** Never rejects because of a server. */
  servers(): Promise<readonly ServerStatus[]>;
  readonly capture: Capture;
  /** Runs a recording through the engine of this machine. Rejects with `BackendError`. */
  readonly replay: engine.VisionEngine["replay"];
  /** Opens a source once. Never rejects because of the source. */
  probe(address: string, signal: AbortSignal): Promise<ProbeResult>;
  /** Pipelines are stopped by who opened them. May be called twice. */
  close(): Promise<void>;
}

/** Callers name addresses as they are shown. Nothing is sent to a server before it is asked for something. */
export async function openBackends(options: BackendsOptions): Promise<OpenBackends> {
  const { config, files, path, credentials, egress, onNotice } = options;
  const vision = await openEngine(options);
  const savedWorkflows = createSavedWorkflows({
    files,
    folder: path("workflows"),
    apiUrl: config.roboflowApiUrl,
    ...keyOf(config),
    now: systemClock.now,
    onProblem: onNotice,
  });
  const fleet = openFleet(config);
  const masksOf = (name: string, address: string) => options.masks.of({ name, address });
  const openSource: OpenSource = (address, wanted) =>
    engine.openSource(address, { ...wanted, masks: masksOf(wanted.sourceId, address) });
  const isMasked = ({ sourceId, address }: { readonly sourceId: string; readonly address: string }): boolean =>
    masksOf(sourceId, address).length > 0;
  const capture = createCapture({ openSource, clock: systemClock });
  const common = { isMasked, fleet, capture, resize: resizePicture, clock: systemClock, egress };
  const backends = createBackends({
    configured: config.backend,
    backends: {
      direct: withCredentials(
        createDirectBackend({ engine: withMasks(vision, masksOf, options.recordTo), savedWorkflows }),
        credentials,
      ),
      http: withCredentials(createHttpBackend({ ...common, ledger: options.ledger, probe }), credentials),
      webrtc: withCredentials(createWebRtcBackend({ ...common, openSource }), credentials),
    },
    serversNamed: config.serversNamed,
    serversLocal: config.servers.every(({ url }) => isOnThisMachine(url)),
    missingHere: createMissingHere(),
    modelsOnlyHere: (spec) => engine.modelsOf(spec).filter((id) => ONLY_HERE.test(id)),
  });
  const { ENGINE_VERSION: engineVersion, listKnownBlocks } = engine;
  return {
    backends,
    blocks: createBlockCatalog({
      listKnownBlocks,
      engineVersion,
      fleet,
      files,
      folder: path("cache"),
      now: systemClock.now,
      onProblem: onNotice,
    }),
    savedWorkflows,
    fleet,
    servers: () => loadServerStatus({ fleet, engineVersion }),
    capture: (address, sourceId, signal) => capture(credentials.complete(address), sourceId, signal),
    probe: (address, signal) => probe(credentials.complete(address), signal),
    replay: (wanted) =>
      vision.replay({ ...wanted, masks: masksOf(wanted.sourceId, wanted.source) }).catch((error: unknown) => {
        throw toBackendError(error, wanted.signal);
      }),
    async close() {
      for (const label of fleet.labels) fleet.client(label)?.close();
      fleet.close();
      await vision.close();
    },
  };
}

/** The same engine; nothing that it opens shows what nobody may see, and a copy is made where that is wanted. */
function withMasks(
  vision: engine.VisionEngine,
  masksOf: (name: string, address: string) => Masks,
  recordTo: BackendsOptions["recordTo"] = () => undefined,
): LocalEngine {
  const cameraOf = (name: string, address: string) => {
    const folder = recordTo(name);
    return { masks: masksOf(name, address), ...(folder !== undefined && { recordTo: folder }) };
  };
  return {
    startPipeline: (wanted) => vision.startPipeline({ ...wanted, ...cameraOf(wanted.sourceId, wanted.source) }),
    runOnce: (wanted) =>
      vision.runOnce(wanted.source === undefined ? wanted : { ...wanted, ...cameraOf(wanted.sourceId, wanted.source) }),
    validateWorkflow: engine.validateWorkflow,
  };
}

async function openEngine({
  config,
  sinks,
  env,
  files,
  path,
  egress,
  onNotice,
}: BackendsOptions): Promise<engine.VisionEngine> {
  const { localModels, apiKey, roboflowApiUrl } = config;
  const { mailCaFile, s3Endpoint } = sinks;
  const mailCa = mailCaFile && (await files.readText(resolve(path(), expandHome(mailCaFile))));
  if (mailCaFile !== undefined && mailCa === undefined) {
    onNotice(`sinks.mail_ca_file: there is no file ${mailCaFile}; only well-known mail servers are trusted.`);
  }
  return engine.createEngine({
    modelFolder: modelFolder(env),
    sinkFolder: path("sinks"),
    publicSinksOnly: !sinks.allowPrivateAddresses,
    allowPicture: egress.admitOutgoing,
    onSinkFailure: (camera, message) => onNotice(`A workflow on ${camera} could not send: ${message}`),
    ...(mailCa !== undefined && { mailCa }),
    ...(s3Endpoint !== undefined && { s3Endpoint }),
    ...(localModels !== undefined && { localModelFolder: resolve(path(), expandHome(localModels)) }),
    ...(apiKey !== undefined && { roboflowKey: apiKey.reveal(), roboflowUrl: roboflowApiUrl }),
  });
}

function openFleet({ servers }: Config["inference"]): ServerFleet {
  return createServerFleet({
    servers: servers.map(({ label, url, apiKey }) => ({
      label,
      client: createInferenceClient({ url, clock: systemClock, ...keyOf({ apiKey }) }),
    })),
    clock: systemClock,
  });
}

function keyOf({ apiKey }: Pick<Config["inference"], "apiKey">): { readonly apiKey?: string } {
  return apiKey === undefined ? {} : { apiKey: apiKey.reveal() };
}

function probe(address: string, signal: AbortSignal): Promise<ProbeResult> {
  return engine.probeSource(address, { sourceId: "probe", clock: systemClock, signal });
}

/** Types that are known and do not run here; unknown ones are nobody's. */
function createMissingHere(): (spec: WorkflowSpec) => readonly string[] {
  const runs = new Map(
    engine
      .listKnownBlocks()
      .flatMap(({ type, aliases, runsHere }) => [type, ...aliases].map((name) => [name, runsHere])),
  );
  return ({ steps }) => [...new Set(steps.map(({ type }) => type).filter((type) => runs.get(type) === false))];
}
