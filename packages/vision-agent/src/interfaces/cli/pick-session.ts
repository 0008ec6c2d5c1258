// flags → the conversation to go on with
import type { SessionDetail, SessionSummary } from "@vision-agent/protocol";
import { type ApiClient, ApiClientError } from "./api-client.ts";
import type { ChatFlags } from "./app-flags.ts";
import { UsageError } from "./usage-error.ts";

/** Undefined begins a new one. Throws `UsageError` when there is none to go on with. */
export async function pickSession(
  client: Pick<ApiClient, "get">,
  { session, continueLast }: Pick<ChatFlags, "session" | "continueLast">,
): Promise<string | undefined> {
  if (session !== undefined) return (await mustExist(client, session)).id;
  if (!continueLast) return undefined;
  const [last] = await client.get<SessionSummary[]>("/api/sessions");
  if (last === undefined) throw new UsageError("There is no conversation to continue; leave out --continue.");
  return last.id;
}

async function mustExist(client: Pick<ApiClient, "get">, id: string): Promise<SessionDetail> {
  try {
    return await client.get<SessionDetail>(`/api/sessions/${encodeURIComponent(id)}`);
  } catch (error) {
    if (!(error instanceof ApiClientError) || error.kind !== "refused") throw error;
    throw new UsageError(`There is no session ${id}. List them with: vision-agent sessions`, { cause: error });
  }
}
