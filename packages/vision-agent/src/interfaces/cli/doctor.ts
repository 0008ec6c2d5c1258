// everything an app needs → checks → what is wrong and how to mend it

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ServerStatus } from "@vision-agent/protocol";
import { ConfigError } from "../../config/config-error.ts";
import type { Config } from "../../config/config-schema.ts";
import { createCameraRegistry } from "../../workspace/camera-registry.ts";
import { reasonOf } from "../../workspace/kinded-error.ts";
import type { SetupTools } from "./app-flags.ts";
import { EXIT_FAILED } from "./exit-codes.ts";
import { toJsonText } from "./list-text.ts";
import type { Colours } from "./print-run.ts";
import { proveModelKey, proveRoboflowKey } from "./prove-key.ts";

/** `warn` something is missing that can be done without · `fail` it does not work. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  /** What was found, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly mend?: string;
}

/** Looks at one thing. May find several things, or nothing worth a line. */
export type Check = () => Promise<readonly Finding[]>;

export interface DoctorOptions {
  /** By what they look at, in the order in which they are told. */
  readonly checks: Readonly<Record<string, Check>>;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly colours: Colours;
}

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

/** Exit code 1 when something does not work. A check that breaks is told as one that failed. */
export async function examine({ checks, json, write, colours }: DoctorOptions): Promise<number> {
  const all = await Promise.all(Object.entries(checks).map(([name, check]) => runCheck(name, check)));
  const findings = all.flat();
  const healthy = findings.every(({ state }) => state !== "fail");
  if (json) write(toJsonText({ healthy, findings }));
  else write(findings.map((finding) => describe(finding, colours)).join("") + verdictOf(findings));
  return healthy ? 0 : EXIT_FAILED;
}

async function runCheck(name: string, check: Check): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    const reason = reasonOf(error);
    return [{ name, state: "fail", message: `Could not be checked: ${reason.split("\n")[0]}` }];
  }
}

function describe({ name, state, message, mend }: Finding, colours: Colours): string {
  const paint = { ok: colours.dim, warn: colours.yellow, fail: colours.red }[state];
  const line = `${paint(MARKS[state])} ${name}: ${message}\n`;
  return mend === undefined ? line : `${line}       → ${mend}\n`;
}

function verdictOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding["state"]): number => findings.filter(({ state }) => state === wanted).length;
  const [broken, missing] = [count("fail"), count("warn")];
  if (broken > 0) return `\n${broken} of ${findings.length} do not work.\n`;
  return missing > 0
    ? `\nIt works; ${missing} ${missing === 1 ? "thing" : "things"} could be better.\n`
    : "\nEverything is fine.\n";
}

interface DoctorParts {
  readonly setup: SetupTools;
  /** Version of Node, such as `24.15.0`. */
  readonly nodeVersion: string;
  /** Address of the app that runs on this workspace. */
  readonly running: string | undefined;
  /** Inference servers as they are now; rejects with `ConfigError`. */
  readonly servers: () => Promise<readonly ServerStatus[]>;
}

const PROBE_MS = 15_000;
const LITTLE_SPACE = 1e9;
const NO_SPACE = 1e8;
/** Of the first Node that runs this program. */
const NODE = [24, 15] as const;

export function createChecks(parts: DoctorParts): Readonly<Record<string, Check>> {
  const { setup } = parts;
  const config = setup.loadConfig().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  /** Without settings there is nothing to look at; the check of the settings says so. */
  const withConfig = (look: (config: Config) => Promise<readonly Finding[]>): Check => {
    return async () => {
      const loaded = await config;
      return "value" in loaded ? look(loaded.value) : [];
    };
  };
  return {
    node: async () => [checkNode(parts.nodeVersion)],
    workspace: () => checkWorkspace(parts),
    disk: () => checkDisk(setup),
    config: async () => checkConfig(await config, setup),
    model: withConfig((value) => checkModel(value, setup)),
    roboflow: withConfig((value) => checkRoboflow(value, setup)),
    cameras: () => checkCameras(setup),
    models: () => checkModels(setup),
    servers: withConfig((value) => checkServers(value, parts)),
    ffmpeg: () => checkFfmpeg(setup),
  };
}

function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const fits = major > NODE[0] || (major === NODE[0] && minor >= NODE[1]);
  const wanted = NODE.join(".");
  if (fits) return { name: "Node", state: "ok", message: `${version} is new enough.` };
  return { name: "Node", state: "fail", message: `${version} is older than ${wanted}.`, mend: "Install Node 24." };
}

async function checkWorkspace({ setup, running }: DoctorParts): Promise<readonly Finding[]> {
  const name = "Workspace";
  const { folder, files } = setup;
  const probe = join(folder, `.doctor-${randomUUID()}`);
  try {
    await files.makeFolder(folder);
    await files.createNew(probe, "");
    await files.remove(probe);
  } catch (error) {
    const message = reasonOf(error);
    return [{ name, state: "fail", message, mend: "Make it writable, or name another one with --workspace DIR." }];
  }
  const use = running === undefined ? "nothing runs on it now" : `Vision Agent runs on it at ${running}`;
  return [{ name, state: "ok", message: `${folder} can be written; ${use}.` }];
}

async function checkDisk(setup: SetupTools): Promise<readonly Finding[]> {
  const name = "Disk";
  const bytes = await setup.freeBytes();
  const message = `${(bytes / 1e9).toFixed(1)} GB are free.`;
  if (bytes >= LITTLE_SPACE) return [{ name, state: "ok", message }];
  const mend = "Free some space, or lower events.keep_days and events.max_megabytes.";
  return [{ name, state: bytes < NO_SPACE ? "fail" : "warn", message, mend }];
}

function checkConfig(loaded: { value: Config } | { error: unknown }, setup: SetupTools): readonly Finding[] {
  const name = "Settings";
  const place = join(setup.configFolder, "config.yaml");
  if ("value" in loaded) return [{ name, state: "ok", message: `${place} can be used.` }];
  const { error } = loaded;
  if (!(error instanceof ConfigError)) throw error;
  return error.problems.map(({ message }) => ({ name, state: "fail", message, mend: `Correct it in ${place}.` }));
}

async function checkModel({ llm }: Config, setup: SetupTools): Promise<readonly Finding[]> {
  const name = "Model";
  const { provider, apiKey, model, baseUrl } = llm;
  if (provider === "offline") {
    return [{ name, state: "ok", message: "llm.provider is offline: plain instructions are read by rules." }];
  }
  if (apiKey === undefined) {
    const variable = provider === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
    const mend = `Put ${variable} into the environment or ${join(setup.configFolder, ".env")}, or run: vision-agent init`;
    return [
      { name, state: "warn", message: `There is no key for ${provider}: the offline interpreter answers.`, mend },
    ];
  }
  const { state, message } = await proveModelKey({ provider, model, apiKey, baseUrl, fetch: setup.fetch });
  if (state === "works") return [{ name, state: "ok", message }];
  const mend =
    state === "wrong"
      ? "Check the key, its credit and llm.model."
      : "Check the network and llm.base_url, then try again.";
  return [{ name, state: "fail", message, mend }];
}

async function checkRoboflow({ inference }: Config, setup: SetupTools): Promise<readonly Finding[]> {
  const name = "Roboflow key";
  const { apiKey, roboflowApiUrl: apiUrl } = inference;
  if (apiKey === undefined) {
    const mend = "Put ROBOFLOW_API_KEY into the environment for models and workflows of your own.";
    return [{ name, state: "warn", message: "There is none: only models without a key can be used.", mend }];
  }
  const { state, message } = await proveRoboflowKey({ apiUrl, apiKey, fetch: setup.fetch });
  if (state === "works") return [{ name, state: "ok", message }];
  const mend = state === "wrong" ? "Copy the key again from the settings of your workspace." : "Check the network.";
  return [{ name, state: state === "wrong" ? "fail" : "warn", message, mend }];
}

async function checkCameras(setup: SetupTools): Promise<readonly Finding[]> {
  const place = join(setup.folder, "CAMERAS.md");
  const markdown = await setup.files.readText(place);
  if (markdown === undefined) {
    return [{ name: "Cameras", state: "warn", message: "There is no CAMERAS.md yet.", mend: "Run: vision-agent init" }];
  }
  const { list, warnings } = createCameraRegistry({ markdown });
  const left = warnings.map(({ line, message }): Finding => {
    return {
      name: "Cameras",
      state: "fail",
      message: `CAMERAS.md line ${line}: ${message}`,
      mend: `Correct it in ${place}.`,
    };
  });
  if (list().length === 0) {
    const mend = "Add a row to CAMERAS.md, or run: vision-agent init --camera NAME=URL";
    return [...left, { name: "Cameras", state: "warn", message: "There is no camera.", mend }];
  }
  return [...left, ...(await Promise.all(list().map((camera) => checkCamera(camera, setup))))];
}

async function checkCamera(
  camera: { readonly name: string; readonly address: string; readonly source: string },
  setup: SetupTools,
): Promise<Finding> {
  const name = `Camera ${camera.name}`;
  const result = await setup.probe(camera.address, AbortSignal.timeout(PROBE_MS));
  if (!result.ok)
    return { name, state: "fail", message: result.message, mend: `Check ${camera.source} in CAMERAS.md.` };
  const { width, height, fps } = result;
  return { name, state: "ok", message: `${width} × ${height}, ${Math.round(fps)} fps.` };
}

async function checkModels(setup: SetupTools): Promise<readonly Finding[]> {
  const name = "Models";
  const models = await setup.models();
  const here = models.filter(({ cached }) => cached).map(({ id }) => id);
  if (here.includes(USUAL_DETECTOR)) return [{ name, state: "ok", message: `On this machine: ${here.join(", ")}.` }];
  const message = `${USUAL_DETECTOR} is not on this machine yet.`;
  const mend = "It is fetched at its first use, which needs the network once; sim:// scenes need no model.";
  return [{ name, state: "warn", message, mend }];
}

const USUAL_DETECTOR = "vision-agent/default";

async function checkServers({ inference }: Config, { servers }: DoctorParts): Promise<readonly Finding[]> {
  if (!inference.serversNamed) return [];
  const needed = inference.backend !== "direct";
  return (await servers()).map(({ label, url, reachable, version, note }): Finding => {
    const name = `Server ${label}`;
    if (reachable) return { name, state: "ok", message: `${url} answers${version ? `, version ${version}` : ""}.` };
    const mend = needed
      ? "Start it, correct inference.server_url, or set inference.backend to direct."
      : "Start it, or remove it from config.yaml; workflows run on this machine meanwhile.";
    return { name, state: needed ? "fail" : "warn", message: note ?? `${url} does not answer.`, mend };
  });
}

async function checkFfmpeg(setup: SetupTools): Promise<readonly Finding[]> {
  const name = "ffmpeg";
  const version = await setup.ffmpeg();
  if (version !== undefined) return [{ name, state: "ok", message: `${version}.` }];
  const message = "It is not installed: videos and network cameras cannot be read; pictures and scenes can.";
  return [{ name, state: "warn", message, mend: "apt install ffmpeg, or: brew install ffmpeg" }];
}
