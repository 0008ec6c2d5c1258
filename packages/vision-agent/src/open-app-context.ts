// flags and environment → workspace, settings, cameras, stores: what everything stands on

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import {
  type ArtifactStore,
  type EnvironmentVariables,
  type SessionStore,
  systemClock,
} from "@vision-agent/agent-core";
import { createFileArtifactStore, createFileSessionStore } from "@vision-agent/agent-core/node";
import { openSource } from "@vision-agent/vision-engine";
import { type Admission, createAdmission } from "./access/admission.ts";
import { measureMachine } from "./access/measure-machine.ts";
import type { Config } from "./config/config-schema.ts";
import { DEFAULT_CONFIG_TEXT } from "./config/config-text.data.ts";
import { findWorkspace, readSettings } from "./config/find-workspace.ts";
import { loadConfig } from "./config/load-config.ts";
import { createEgressLedger, EGRESS_LEDGER_FOLDER } from "./egress/egress-ledger.ts";
import { EGRESS_RULES_FILE, openEgressRules } from "./egress/egress-rules.ts";
import { createEgress, type Egress } from "./egress/open-egress.ts";
import type { AppFlags } from "./interfaces/cli/app-flags.ts";
import { UsageError } from "./interfaces/cli/exit-codes.ts";
import { keysAmong } from "./known-secrets.ts";
import { DEFAULT_SKILLS } from "./skills/default-skills.data.ts";
import type { StopList } from "./stop-list.ts";
import { withCameraNames } from "./store/picture-origin.ts";
import { type CameraMasks, MASKS_FILE, openCameraMasks } from "./workspace/camera-masks.ts";
import { CAMERA_NAMES_FILE, type CameraRenames, openCameraRenames } from "./workspace/camera-names.ts";
import { camerasAt, createCameraRegistry, type RegisteredCamera } from "./workspace/camera-registry.ts";
import { type CameraStore, type CameraText, createPassingCameras, openCameraStore } from "./workspace/camera-store.ts";
import { CREDENTIALS_FILE, type CredentialStore, openCredentialStore } from "./workspace/credential-store.ts";
import { reasonOf } from "./workspace/kinded-error.ts";
import { makePrivate } from "./workspace/make-private.ts";
import { nodeFiles } from "./workspace/node-files.ts";
import { openWorkspace, type Workspace } from "./workspace/open-workspace.ts";
import { openPlaceStore, PLACES_FILE, type PlaceStore } from "./workspace/place-store.ts";
import { nodeProcesses } from "./workspace/process-table.ts";

export interface AppContextOptions {
  readonly flags: AppFlags;
  readonly env: EnvironmentVariables;
  /** Process id of this process. */
  readonly pid: number;
  /** Told in a sentence what goes wrong without stopping anything. Must not throw. */
  readonly onNotice: (message: string) => void;
}

/** Config and stores, and what the program was started with. */
export interface AppContext extends AppContextOptions {
  /** IANA name of the zone that people here live in. */
  readonly timeZone: string;
  readonly workspace: Workspace;
  readonly config: Config;
  /** Keys of the environment and of `.env`, whether the settings use them or not. */
  readonly keys: readonly string[];
  readonly cameras: CameraStore;
  /** Their zones and lines that have names. */
  readonly places: PlaceStore;
  /** What of their pictures nobody may see. */
  readonly masks: CameraMasks;
  /** What cameras were called before. */
  readonly names: CameraRenames;
  /** Passwords that a person gave with an address. */
  readonly credentials: CredentialStore;
  /** Absolute path of config.yaml. */
  readonly configPath: string;
  /** Decides which pictures leave this machine. */
  readonly egress: Egress;
  readonly artifacts: ArtifactStore;
  readonly sessions: SessionStore;
  /** Whether the machine has room for one more of something. */
  readonly admission: Admission;
}

/** Throws `ConfigError`, `WorkspaceError` or `UsageError`. */
export async function openAppContext(options: AppContextOptions, stops: StopList): Promise<AppContext> {
  const { flags, env, pid, onNotice } = options;
  const { readText } = nodeFiles;
  const given = flags.cameras.length > 0 ? await readCameraFlags(flags.cameras) : undefined;
  const { folder, configFolder } = await findWorkspace({ env, readText, flag: flags.workspace });
  const workspace = await openWorkspace({
    folder,
    files: nodeFiles,
    processes: nodeProcesses,
    pid,
    skills: DEFAULT_SKILLS,
    ...(configFolder === folder && { configText: DEFAULT_CONFIG_TEXT }),
  });
  stops.add(() => workspace.close());
  await makePrivate({ folder, settings: configFolder, onNotice });
  const written = await readSettings({ env, readText }, configFolder);
  // Read alone first: a mistake in the file is told even while a flag stands in for it.
  loadConfig(written);
  const config = loadConfig({ ...written, flags });
  const masks = await openCameraMasks({ files: nodeFiles, path: workspace.path(MASKS_FILE), onNotice });
  const names = await openCameraRenames({
    files: nodeFiles,
    path: workspace.path(CAMERA_NAMES_FILE),
    now: systemClock.now,
    onNotice,
  });
  const cameras = given ? createPassingCameras(given, masks) : await followCameras(workspace, masks, onNotice);
  stops.add(() => cameras.close());
  await names.settle((name) => cameras.find(name)?.name === name);
  const places = await openPlaceStore({ text: textFile(workspace.path(PLACES_FILE)), clock: systemClock, onNotice });
  stops.add(() => places.close());
  return {
    ...options,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    workspace,
    config,
    configPath: join(configFolder, "config.yaml"),
    keys: [...keysAmong(env), ...keysAmong(parseEnv(written.envText ?? ""))],
    cameras,
    places,
    masks,
    names,
    credentials: await openCredentialStore({ files: nodeFiles, path: workspace.path(CREDENTIALS_FILE), onNotice }),
    egress: await openEgress({ path: workspace.path, config: config.egress, cameras, onNotice }),
    artifacts: withCameraNames(createFileArtifactStore({ folder: workspace.path("artifacts") }), names),
    admission: openAdmission(stops),
    sessions: createFileSessionStore({ folder: workspace.path("sessions"), owner: `process ${pid}` }),
  };
}

function openAdmission(stops: StopList): Admission {
  const { measure, stop } = measureMachine();
  stops.add(stop);
  return createAdmission({ measure, cores: availableParallelism(), now: systemClock.monotonic });
}

/** Also for commands that run beside an app: rules are written by one, lines by all. */
export async function openEgress(options: {
  readonly path: (...names: readonly string[]) => string;
  readonly config: Config["egress"];
  readonly cameras: Pick<CameraStore, "find" | "list">;
  readonly onNotice: (message: string) => void;
}): Promise<Egress> {
  const { path, config, cameras, onNotice } = options;
  const { now } = systemClock;
  const rules = await openEgressRules({ files: nodeFiles, path: path(EGRESS_RULES_FILE), now, onNotice });
  const ledger = createEgressLedger({ files: nodeFiles, folder: path(EGRESS_LEDGER_FOLDER) });
  const { images: usual, remoteHosts } = config;
  const sameView = (name: string): readonly string[] => {
    const camera = cameras.find(name);
    return camera ? camerasAt(cameras.list(), camera.address).map((one) => one.name) : [];
  };
  return createEgress({ rules, ledger, usual, sameView, remoteHosts, now, onProblem: onNotice });
}

function followCameras(
  workspace: Workspace,
  masks: CameraMasks,
  onNotice: (message: string) => void,
): Promise<CameraStore> {
  return openCameraStore({ text: textFile(workspace.path("CAMERAS.md")), clock: systemClock, masks, onNotice });
}

function textFile(path: string): CameraText {
  return {
    read: async () => (await nodeFiles.readText(path)) ?? "",
    write: (text) => nodeFiles.writeAtomic(path, text),
  };
}

/** Cameras of the command line are checked before anything starts. Throws `UsageError`. */
async function readCameraFlags(extra: readonly string[]): Promise<readonly RegisteredCamera[]> {
  const { warnings, list } = createCameraRegistry({ markdown: "", extra });
  const [warning] = warnings;
  if (warning !== undefined) throw new UsageError(`--camera: ${warning.message}`);
  for (const { name, address } of list()) {
    if (!/^sim:/i.test(address)) continue;
    try {
      const source = await openSource(address, { sourceId: name, clock: systemClock });
      await source.close();
    } catch (cause) {
      throw new UsageError(`--camera ${name}: ${reasonOf(cause)}`, { cause });
    }
  }
  return list();
}
