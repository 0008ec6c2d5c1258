// cameras + settings → a real app on a workspace of its own, spoken to over HTTP as the command line does
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  Alert,
  ChatMessage,
  FrameResult,
  Pause,
  PipelineResults,
  PipelineStatus,
  RunOutcome,
  SceneEvent,
  SessionDetail,
  WatchReport,
} from "@vision-agent/protocol";
import { createApiClient } from "../interfaces/cli/api-client.ts";
import type { ActivePipeline } from "../pipelines/active-state.ts";
import { startApp } from "../start-app.ts";

export interface ScenarioAppOptions {
  /** Address by name. */
  readonly cameras: Readonly<Record<string, string>>;
  /** Groups of `config.yaml` beside those that every scenario has. */
  readonly config?: Readonly<Record<string, object>>;
  /** `own`: a folder of models that is empty. `cached`: that of this machine, with its detector. Default `own`. */
  readonly models?: "own" | "cached";
  /** Puts files into the workspace before the app starts. */
  readonly prepare?: (workspace: string) => Promise<void>;
}

export interface ScenarioApp {
  /** The one conversation: a message with pictures, or the answer to what was asked. */
  say(text: string, pictures?: readonly Uint8Array[]): Promise<RunOutcome>;
  /** Says yes to what the app asks before it goes on. Rejects when it asks nothing. */
  agree(): Promise<RunOutcome>;
  pauses(): Promise<readonly Pause[]>;
  /** Every call of the conversation with its result, oldest first. */
  steps(): Promise<readonly ChatMessage["steps"][number][]>;
  pipelines(): Promise<readonly PipelineStatus[]>;
  /** What is kept for a restart. */
  definitions(): Promise<readonly ActivePipeline[]>;
  results(pipelineId: string, last?: number): Promise<readonly FrameResult[]>;
  watches(): Promise<readonly WatchReport[]>;
  alerts(): Promise<readonly Alert[]>;
  events(query?: Readonly<Record<string, string>>): Promise<readonly SceneEvent[]>;
  /** The id of the picture. */
  upload(bytes: Uint8Array): Promise<string>;
  get<T>(path: string): Promise<T>;
  send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<T>;
  /** For requests that nothing here makes. */
  readonly reach: { readonly address: string; readonly token: string };
  /** Folder of the workspace. */
  readonly folder: string;
  /** What went wrong without stopping anything. */
  readonly notices: readonly string[];
  stop(): Promise<void>;
}

export async function openScenarioApp(options: ScenarioAppOptions): Promise<ScenarioApp> {
  const root = await mkdtemp(join(tmpdir(), "vision-agent-scenario-"));
  const workspace = join(root, "workspace");
  await mkdir(workspace);
  const usual = { llm: { provider: "offline" }, heartbeat: { enabled: false }, demo: false };
  await writeFile(join(workspace, "config.yaml"), JSON.stringify({ ...usual, ...options.config }));
  await writeFile(join(workspace, "CAMERAS.md"), toCamerasText(options.cameras));
  await options.prepare?.(workspace);
  const notices: string[] = [];
  const app = await startApp({
    flags: { port: "0", workspace, cameras: [], demo: false },
    env: options.models === "cached" ? {} : { VISION_AGENT_MODELS: join(root, "models") },
    pid: process.pid,
    version: "0.0.0-test",
    onNotice: (message) => notices.push(message),
  });
  const client = createApiClient(app);
  const session = await client.createSession();
  const pauses = (): Promise<readonly Pause[]> => client.get("/api/pauses", { session });
  return {
    async say(text, pictures = []) {
      const images = await Promise.all(pictures.map((bytes) => client.upload(bytes)));
      for await (const event of client.say(session, { text, ...(images.length > 0 && { images }) })) {
        if (event.type === "run_ended") return event.outcome;
      }
      throw new Error("The run did not end.");
    },
    async agree() {
      const [pause] = await pauses();
      if (pause?.kind !== "approval") throw new Error("Nothing waits for a yes.");
      return client.send("POST", `/api/pauses/${pause.id}`, { decision: "approve" });
    },
    pauses,
    steps: async () =>
      (await client.get<SessionDetail>(`/api/sessions/${session}`)).messages.flatMap(({ steps }) => steps),
    pipelines: () => client.pipelines(),
    definitions: async () => JSON.parse(await readFile(join(workspace, "active_state.json"), "utf8")).pipelines,
    results: async (id, last = 10) =>
      (await client.get<PipelineResults>(`/api/pipelines/${id}/results`, { last: String(last) })).results,
    watches: () => client.get("/api/watches"),
    alerts: () => client.get("/api/alerts", { limit: "1000" }),
    events: (query = {}) => client.get("/api/events", { limit: "1000", ...query }),
    upload: (bytes) => client.upload(bytes),
    get: (path) => client.get(path),
    send: (method, path, body) => client.send(method, path, body),
    reach: app,
    folder: workspace,
    notices,
    async stop() {
      await app.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

function toCamerasText(cameras: Readonly<Record<string, string>>): string {
  const rows = Object.entries(cameras).map(([name, address]) => `| ${name} | ${address} | | |\n`);
  return `# Cameras\n\n| Name | URL | Location | Notes |\n|------|-----|----------|-------|\n${rows.join("")}`;
}

/** What the look gives once it gives anything. Rejects after a minute with what was waited for. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 600; tries += 1) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`There was no ${what} within a minute.`);
}
