// configuration of a workspace → its backends for one command, beside an app that may run there
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EnvironmentVariables, systemClock } from "@vision-agent/agent-core";
import type { LedgerEntry, PipelineLedger } from "@vision-agent/inference-client";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { type ParityReport, runParity } from "./backends/parity.ts";
import { toPicture } from "./backends/still-picture.ts";
import { findWorkspace, readSettings } from "./config/find-workspace.ts";
import { loadConfig } from "./config/load-config.ts";
import type { BackendTools, JsonFlags } from "./interfaces/cli/app-flags.ts";
import { UsageError } from "./interfaces/cli/exit-codes.ts";
import { openEgress } from "./open-app-context.ts";
import { type OpenBackends, openBackends } from "./open-backends.ts";
import { GIVEN, ofCamera, type PictureOrigin } from "./store/picture-origin.ts";
import { findVideoReference, unknownCamera } from "./tools/known-source.ts";
import { MASKS_FILE, openCameraMasks } from "./workspace/camera-masks.ts";
import { createCameraRegistry } from "./workspace/camera-registry.ts";
import { CREDENTIALS_FILE, openCredentialStore } from "./workspace/credential-store.ts";
import { nodeFiles } from "./workspace/node-files.ts";

export interface BackendToolsOptions {
  readonly flags: Pick<JsonFlags, "workspace">;
  readonly env: EnvironmentVariables;
  readonly onNotice: (message: string) => void;
}

/** Takes no lock and changes nothing but caches. Throws `ConfigError`. */
export async function openBackendTools({ flags, env, onNotice }: BackendToolsOptions): Promise<BackendTools> {
  const { readText } = nodeFiles;
  const { folder, configFolder } = await findWorkspace({ env, readText, flag: flags.workspace });
  const { inference, sinks, egress } = loadConfig(await readSettings({ env, readText }, configFolder));
  const credentials = await openCredentialStore({ files: nodeFiles, path: join(folder, CREDENTIALS_FILE), onNotice });
  const cameras = createCameraRegistry({ markdown: (await readText(join(folder, "CAMERAS.md"))) ?? "" });
  const path = (...names: readonly string[]): string => join(folder, ...names);
  const opened = await openBackends({
    config: inference,
    sinks,
    env,
    files: nodeFiles,
    path,
    // Its own: an app that runs keeps the one of the workspace.
    ledger: createPassingLedger(),
    credentials,
    masks: await openCameraMasks({ files: nodeFiles, path: join(folder, MASKS_FILE), onNotice }),
    egress: await openEgress({ path, config: egress, cameras, onNotice }),
    onNotice,
  });
  /** Which camera took the pictures that were captured here. */
  const origins = new WeakMap<Uint8Array, PictureOrigin>();
  return {
    configured: inference.backend,
    servers: opened.servers,
    async capture(camera) {
      const reference = findVideoReference(cameras, camera);
      if (reference === undefined) throw new UsageError(unknownCamera(cameras, camera));
      const known = cameras.find(reference);
      const { jpeg } = await opened.capture(known?.address ?? reference, known?.name ?? "picture");
      origins.set(jpeg, ofCamera(reference));
      return jpeg;
    },
    compare: (spec, picture) => compare(opened, spec, { bytes: picture, origin: origins.get(picture) ?? GIVEN }),
    close: opened.close,
  };
}

async function compare(
  { backends }: OpenBackends,
  spec: WorkflowSpec,
  { bytes, origin }: { readonly bytes: Uint8Array; readonly origin: PictureOrigin },
): Promise<ParityReport> {
  const timestamp = new Date(systemClock.now()).toISOString();
  const { jpeg } = await toPicture(bytes, { source_id: "picture", timestamp });
  const folder = await mkdtemp(join(tmpdir(), "vision-agent-parity-"));
  try {
    const path = join(folder, "picture.jpg");
    await writeFile(path, jpeg);
    return await runParity({ backends: backends.list, spec, jpeg, origin, path, clock: systemClock });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function createPassingLedger(): PipelineLedger {
  let entries: readonly LedgerEntry[] = [];
  return {
    load: async () => entries,
    save: async (next) => {
      entries = next;
    },
  };
}
