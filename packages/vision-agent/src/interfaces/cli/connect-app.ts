// flags → a client of the app that runs on this workspace, or of one started for this command
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { artifactPath } from "@vision-agent/agent-core/node";
import type { SessionDetail, SessionSummary } from "@vision-agent/protocol";
import { WorkspaceError } from "../../workspace/workspace-error.ts";
import type { AppAddress } from "../http/server-note.ts";
import { type ApiClient, ApiClientError, createApiClient } from "./api-client.ts";
import type { AppFlags, AppLauncher, ChatFlags, RunningApp } from "./app-flags.ts";
import { UsageError } from "./exit-codes.ts";

export interface AppConnection {
  readonly client: ApiClient;
  /** Where a person finds a picture: an address while the app stays, else the file. */
  readonly pictureAt: (artifactId: string) => string;
  /** One line for people: to whom we talk. */
  readonly greeting: string;
  /** Stops what was started for this command. May be called twice. */
  close(): Promise<void>;
}

type Launcher = Pick<AppLauncher, "start" | "findRunning">;

/** An app that starts on the workspace is waited for that long. */
const PATIENCE_MS = 20_000;
const STEP_MS = 250;
const IS_STARTING = "Vision Agent is starting or stopping on this workspace; waiting for it.";

/** Throws `UsageError` when flags ask for cameras that the app which runs already does not have. */
export async function connectApp(
  launcher: Launcher,
  flags: AppFlags,
  onNotice: (message: string) => void,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<AppConnection> {
  // Nobody else is meant to reach the server of one command, whatever the settings say.
  const own = { ...flags, host: flags.host ?? "127.0.0.1", port: flags.port ?? "0" };
  for (let waitedMs = 0; ; waitedMs += STEP_MS) {
    const running = await launcher.findRunning(flags);
    if (running !== undefined) return toRunning(running, flags);
    try {
      return toOwn(await launcher.start(own, onNotice));
    } catch (thrown) {
      const isStarting = thrown instanceof WorkspaceError && thrown.kind === "in_use";
      if (!isStarting || waitedMs >= PATIENCE_MS) throw thrown;
      if (waitedMs === 0) onNotice(IS_STARTING);
      await wait(STEP_MS);
    }
  }
}

async function toRunning(running: AppAddress, flags: AppFlags): Promise<AppConnection> {
  const { address } = running;
  if (flags.cameras.length > 0) {
    throw new UsageError(
      `Vision Agent is already running on this workspace (${address}) with its own cameras. Leave out --camera, or use another --workspace DIR.`,
    );
  }
  const client = createApiClient(running);
  const { speaker } = await client.health();
  return {
    client,
    pictureAt: (id) => `${address}/api/artifacts/${id}`,
    greeting: `Connected to ${address}; ${speaker} answers.`,
    close: async () => undefined,
  };
}

function toOwn(app: RunningApp): AppConnection {
  return {
    client: createApiClient(app),
    pictureAt: (id) => artifactPath(join(app.folder, "artifacts"), id),
    greeting: `Cameras: ${app.cameras.join(", ") || "none"}; ${app.speaker} answers.`,
    close: app.stop,
  };
}

/** Undefined begins a new one, also where there is none to go on with. Throws `UsageError` when the one that is named does not exist. */
export async function pickSession(
  client: Pick<ApiClient, "get">,
  { session, continue: last }: Pick<ChatFlags, "session" | "continue">,
): Promise<string | undefined> {
  if (session !== undefined) return (await mustExist(client, session)).id;
  if (!last) return undefined;
  const [recent] = await client.get<SessionSummary[]>("/api/sessions");
  return recent?.id;
}

async function mustExist(client: Pick<ApiClient, "get">, id: string): Promise<SessionDetail> {
  try {
    return await client.get<SessionDetail>(`/api/sessions/${encodeURIComponent(id)}`);
  } catch (error) {
    if (!(error instanceof ApiClientError) || error.kind !== "refused") throw error;
    throw new UsageError(`There is no session ${id}. List them with: vision-agent sessions`, { cause: error });
  }
}
