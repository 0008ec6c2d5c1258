// a person's answers, or flags → a workspace with proven keys and cameras
import { join } from "node:path";
import { Secret } from "@vision-agent/agent-core";
import type { Config } from "../../config/config-schema.ts";
import { withSetting } from "../../config/with-setting.ts";
import { withoutCredentials } from "../../workspace/camera-address.ts";
import { type CameraEntry, CameraStoreError, openCameraStore } from "../../workspace/camera-store.ts";
import type { InitFlags, SetupTools } from "./app-flags.ts";
import { EXIT_FAILED, UsageError } from "./exit-codes.ts";
import { toJsonText } from "./list-text.ts";
import { type KeyProof, proveModelKey, proveRoboflowKey } from "./prove-key.ts";

export interface InitOptions {
  readonly setup: SetupTools;
  readonly write: (text: string) => void;
  /** Asks the person; absent where nobody can be asked. `hidden` shows no letters. */
  readonly ask?: (question: string, options?: { readonly hidden?: boolean }) => Promise<string>;
}

/** What was done and found, for people and programs. */
interface Step {
  readonly step: "workspace" | "model" | "roboflow" | "server" | "camera";
  readonly state: "ok" | "missing" | "failed";
  readonly message: string;
}

const PROBE_MS = 15_000;
const VARIABLES = { anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" } as const;

/** Exit code 1 when a key or camera that was given does not work. Throws `UsageError`, `ConfigError` or `WorkspaceError`. */
export async function setUp(options: InitOptions, flags: InitFlags): Promise<number> {
  const steps: Step[] = [];
  const tell = (step: Step): void => {
    steps.push(step);
    if (!flags.json) options.write(`${step.state === "ok" ? "✓" : "-"} ${step.message}\n`);
  };
  const cameras = flags.cameras.map(readCamera);
  const made = await options.setup.makeWorkspace();
  const { folder } = options.setup;
  const news = made.length === 0 ? "is there already" : `is made: ${made.join(", ")}`;
  tell({ step: "workspace", state: "ok", message: `The workspace ${folder} ${news}.` });
  await writeSettings(options, flags, tell);
  tell(await proveModel(options, flags));
  tell(await proveRoboflow(await options.setup.loadConfig(), options.setup));
  for (const step of await addCameras(options, [...cameras, ...(await askForCamera(options, flags))])) tell(step);
  const ready = steps.every(({ state }) => state !== "failed");
  if (flags.json) options.write(toJsonText({ ready, folder, steps }));
  else options.write(`\n${ready ? "Ready: vision-agent" : "Not everything works: vision-agent doctor says more."}\n`);
  return ready ? 0 : EXIT_FAILED;
}

/** Only what the file does not say yet: its other lines are the person's. */
async function writeSettings({ setup }: InitOptions, flags: InitFlags, tell: (step: Step) => void): Promise<void> {
  const path = join(setup.configFolder, "config.yaml");
  const wanted = [
    { step: "model", group: "llm", key: "provider", value: flags.provider },
    { step: "server", group: "inference", key: "server_url", value: flags.serverUrl },
  ] as const;
  for (const { step, group, key, value } of wanted) {
    if (value === undefined) continue;
    const changed = withSetting((await setup.files.readText(path)) ?? "", { group, key, value });
    if (changed === undefined) {
      const message = `${path} has a group ${group} already: write ${key}: ${value} there yourself.`;
      tell({ step, state: "failed", message });
      continue;
    }
    await setup.files.writeAtomic(path, changed);
    tell({ step, state: "ok", message: `${group}.${key} is ${value} now.` });
  }
}

async function proveModel(options: InitOptions, flags: InitFlags): Promise<Step> {
  const { llm } = await options.setup.loadConfig();
  if (llm.provider === "offline") {
    return { step: "model", state: "ok", message: "The offline interpreter answers; no key is needed." };
  }
  const { provider } = llm;
  if (llm.apiKey !== undefined) return toStep("model", `The key of ${provider}`, await proveKey(llm, options.setup));
  const typed = await askForKey(options, flags, VARIABLES[provider]);
  if (typed === undefined) {
    const message = `There is no key for ${provider} (${VARIABLES[provider]}): the offline interpreter answers.`;
    return { step: "model", state: "missing", message };
  }
  const proof = await proveKey({ ...llm, apiKey: typed }, options.setup);
  if (proof.state === "works") await keepKey(options.setup, VARIABLES[provider], typed);
  return toStep("model", "The key", proof);
}

async function proveKey({ provider, model, apiKey, baseUrl }: Config["llm"], { fetch }: SetupTools): Promise<KeyProof> {
  if (provider === "offline" || apiKey === undefined) return { state: "unproven", message: "There is no key." };
  return proveModelKey({ provider, model, apiKey, baseUrl, fetch });
}

async function proveRoboflow({ inference }: Config, { fetch }: SetupTools): Promise<Step> {
  const { apiKey, roboflowApiUrl: apiUrl } = inference;
  if (apiKey === undefined) {
    const message = "There is no Roboflow key (ROBOFLOW_API_KEY): models without a key are used.";
    return { step: "roboflow", state: "missing", message };
  }
  return toStep("roboflow", "The Roboflow key", await proveRoboflowKey({ apiUrl, apiKey, fetch }));
}

function toStep(step: Step["step"], what: string, { state, message }: KeyProof): Step {
  return { step, state: state === "works" ? "ok" : "failed", message: `${what}: ${message}` };
}

async function askForKey({ ask }: InitOptions, { yes }: InitFlags, variable: string): Promise<Secret | undefined> {
  if (ask === undefined || yes) return undefined;
  const question = `Paste a key for ${variable} (kept in .env of the workspace), or Enter to go on without: `;
  const typed = (await ask(question, { hidden: true })).trim();
  return typed === "" ? undefined : new Secret(typed);
}

/** Beside the settings, readable by its owner alone; a line of that name is never replaced. */
async function keepKey({ configFolder, files }: SetupTools, variable: string, key: Secret): Promise<void> {
  const path = join(configFolder, ".env");
  const text = (await files.readText(path)) ?? "";
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  await files.writeAtomic(path, `${text}${gap}${variable}=${key.reveal()}\n`);
}

async function askForCamera({ ask }: InitOptions, { yes, cameras }: InitFlags): Promise<readonly CameraEntry[]> {
  if (ask === undefined || yes || cameras.length > 0) return [];
  const address = (await ask("Address of a camera (rtsp://…), or Enter for the simulated scenes: ")).trim();
  if (address === "") return [];
  const name = (await ask("What is it called? ")).trim();
  return [{ name: name || "camera", address }];
}

async function addCameras({ setup }: InitOptions, entries: readonly CameraEntry[]): Promise<readonly Step[]> {
  if (entries.length === 0) return [];
  const path = join(setup.folder, "CAMERAS.md");
  const store = await openCameraStore({
    text: {
      read: async () => (await setup.files.readText(path)) ?? "",
      write: (text) => setup.files.writeAtomic(path, text),
    },
    clock: { sleep: (_ms, signal) => new Promise((_, leave) => signal?.addEventListener("abort", leave)) },
    onNotice: () => undefined,
  });
  const steps: Step[] = [];
  for (const entry of entries) {
    try {
      await store.add(entry);
      steps.push(await lookThrough(entry, setup));
    } catch (error) {
      if (!(error instanceof CameraStoreError)) throw error;
      steps.push({ step: "camera", state: "failed", message: error.message });
    }
  }
  await store.close();
  return steps;
}

async function lookThrough({ name, address }: CameraEntry, setup: SetupTools): Promise<Step> {
  const result = await setup.probe(address, AbortSignal.timeout(PROBE_MS));
  if (result.ok) {
    return { step: "camera", state: "ok", message: `${name} is added: ${result.width} × ${result.height}.` };
  }
  const message = `${name} (${withoutCredentials(address)}) is added, and does not open: ${result.message}`;
  return { step: "camera", state: "failed", message };
}

function readCamera(text: string): CameraEntry {
  const [, name, address] = /^([^=/\\]+)=(.+)$/.exec(text.trim()) ?? [];
  if (!name || !address) throw new UsageError("--camera takes NAME=SOURCE, such as yard=rtsp://192.168.1.20/stream.");
  return { name: name.trim(), address: address.trim() };
}
