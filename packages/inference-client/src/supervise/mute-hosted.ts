import type { CallOptions, InferenceClient } from "../http/inference-client.ts";
import { isKind } from "./client-failure.ts";

/** The stream goes on, its frames are thrown away. Looks at the state first; what is gone needs no pause. */
export async function muteHosted(client: InferenceClient, serverId: string, call: CallOptions): Promise<void> {
  await unlessGone(async () => {
    const { sources } = await client.pipelines.status(serverId, call);
    if (!sources.every(({ state }) => state === "MUTED")) await client.pipelines.pause(serverId, call);
  });
}

export async function unmuteHosted(client: InferenceClient, serverId: string, call: CallOptions): Promise<void> {
  await unlessGone(async () => {
    const { sources } = await client.pipelines.status(serverId, call);
    if (sources.some(({ state }) => state === "MUTED" || state === "PAUSED")) {
      await client.pipelines.resume(serverId, call);
    }
  });
}

async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isKind(error, "not_found")) throw error;
  }
}
