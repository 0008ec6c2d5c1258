// flags → a client of the app that runs on this workspace, or of one started for this command
import { join } from "node:path";
import { artifactPath } from "@vision-agent/agent-core/node";
import type { SessionDetail, SessionSummary } from "@vision-agent/protocol";
import { type ApiClient, ApiClientError, createApiClient } from "./api-client.ts";
import type { AppFlags, AppLauncher, ChatFlags } from "./app-flags.ts";
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

/** Throws `UsageError` when flags ask for cameras that the app which runs already does not have. */
export async function connectApp(
  launcher: Pick<AppLauncher, "start" | "findRunning">,
  flags: AppFlags,
  onNotice: (message: string) => void,
): Promise<AppConnection> {
  const running = await launcher.findRunning(flags);
  if (running !== undefined) {
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
  // Nobody else is meant to reach the server of one command, whatever the settings say.
  const own = { ...flags, host: flags.host ?? "127.0.0.1", port: flags.port ?? "0" };
  const app = await launcher.start(own, onNotice);
  return {
    client: createApiClient(app),
    pictureAt: (id) => artifactPath(join(app.folder, "artifacts"), id),
    greeting: `Cameras: ${app.cameras.join(", ") || "none"}; ${app.speaker} answers.`,
    close: app.stop,
  };
}

/** Undefined begins a new one. Throws `UsageError` when there is none to go on with. */
export async function pickSession(
  client: Pick<ApiClient, "get">,
  { session, continue: last }: Pick<ChatFlags, "session" | "continue">,
): Promise<string | undefined> {
  if (session !== undefined) return (await mustExist(client, session)).id;
  if (!last) return undefined;
  const [recent] = await client.get<SessionSummary[]>("/api/sessions");
  if (recent === undefined) throw new UsageError("There is no conversation to continue; leave out --continue.");
  return recent.id;
}

async function mustExist(client: Pick<ApiClient, "get">, id: string): Promise<SessionDetail> {
  try {
    return await client.get<SessionDetail>(`/api/sessions/${encodeURIComponent(id)}`);
  } catch (error) {
    if (!(error instanceof ApiClientError) || error.kind !== "refused") throw error;
    throw new UsageError(`There is no session ${id}. List them with: vision-agent sessions`, { cause: error });
  }
}
