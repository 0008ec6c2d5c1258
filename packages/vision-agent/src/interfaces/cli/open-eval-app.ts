// a prepared workspace → an app in this process, spoken to over its own API
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFileSessionStore } from "@vision-agent/agent-core/node";
import type {
  Alert,
  Camera,
  CurrentMode,
  Job,
  Pause,
  PauseAnswer,
  PipelineResults,
  PipelineStatus,
  RunOutcome,
  SessionDetail,
  WatchReport,
} from "@vision-agent/protocol";
import type { EvalApp } from "../../evals/outcome.ts";
import { createActiveState } from "../../pipelines/active-state.ts";
import { nodeFiles } from "../../workspace/node-files.ts";
import { type ApiClient, createApiClient } from "./api-client.ts";
import type { AppLauncher } from "./app-flags.ts";

export interface OpenEvalApp extends EvalApp {
  readonly mode: "model" | "offline";
  /** Who answers, for people. */
  readonly speaker: string;
}

/** `now` gives milliseconds since 1970. Rejects with what the door rejects with. */
export async function openEvalApp(
  launcher: Pick<AppLauncher, "start">,
  folder: string,
  now: () => number,
): Promise<OpenEvalApp> {
  // What an app notices is in its answers and states, which are judged.
  const app = await launcher.start({ port: "0", workspace: folder, cameras: [], demo: false }, () => undefined);
  try {
    const client = createApiClient(app);
    const { mode, speaker } = await client.health();
    const session = await client.createSession();
    const transcripts = createFileSessionStore({ folder: join(folder, "sessions"), owner: "evals" });
    return {
      mode,
      speaker,
      say: createPerson(client, session),
      pipelines: () => client.get<PipelineStatus[]>("/api/pipelines"),
      // A state of its own each time: one that is kept does not read the file again.
      definitions: async () => {
        const state = createActiveState({ files: nodeFiles, path: join(folder, "active_state.json"), now });
        return (await state.load()).pipelines;
      },
      watches: () => client.get<WatchReport[]>("/api/watches"),
      alerts: () => client.get<Alert[]>("/api/alerts", { limit: "1000" }),
      cameras: () => client.get<Camera[]>("/api/cameras"),
      footageSeconds: async (camera) => {
        const pipelines = await client.get<PipelineStatus[]>("/api/pipelines");
        const looking = pipelines.find(({ video_reference }) => video_reference === camera);
        if (looking === undefined) return undefined;
        const path = `/api/pipelines/${looking.pipeline_id}/results`;
        const { frame } = (await client.get<PipelineResults>(path, { last: "1" })).results[0] ?? {};
        return frame && (frame.frame_number - 1) / frame.fps;
      },
      currentMode: async () => (await client.get<CurrentMode>("/api/mode")).mode,
      jobs: () => client.get<Job[]>("/api/jobs"),
      transcript: () => transcripts.read(session),
      notes: () => readNotes(folder),
      stop: app.stop,
    };
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/**
 * Somebody at the terminal who means what they say: asked for a yes, they give it, or say no where they do not agree;
 * asked a question, they answer with their next words. The run is cancelled when the signal fires.
 */
function createPerson(client: ApiClient, session: string): EvalApp["say"] {
  /** The question that waits for an answer. */
  let question: string | undefined;
  const answer = (pauseId: string, given: PauseAnswer): Promise<RunOutcome> =>
    client.send<RunOutcome>("POST", `/api/pauses/${pauseId}`, given);
  const speak = async (text: string, pictures: readonly Uint8Array[]): Promise<RunOutcome> => {
    const images = await Promise.all(pictures.map((bytes) => client.upload(bytes)));
    const message = { text, ...(images.length > 0 && { images }) };
    return client.send<RunOutcome>("POST", `/api/sessions/${session}/messages`, message);
  };
  const decide = async (outcome: RunOutcome, agrees: boolean): Promise<RunOutcome> => {
    const { status, pause_id } = outcome;
    if (status !== "paused" || pause_id === undefined) return outcome;
    const pauses = await client.get<Pause[]>("/api/pauses", { session });
    const wantsYes = pauses.some(({ id, kind }) => id === pause_id && kind === "approval");
    if (wantsYes) return decide(await answer(pause_id, { decision: agrees ? "approve" : "deny" }), agrees);
    question = pause_id;
    return outcome;
  };
  return async (text, { pictures, agrees, signal }) => {
    const cancel = async (): Promise<void> => {
      const { active_run } = await client.get<SessionDetail>(`/api/sessions/${session}`);
      if (active_run !== null) await client.cancel(active_run);
    };
    const onAbort = (): void => void cancel().catch(() => undefined); // the run may be over by now, and that is as good
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const asked = question;
      question = undefined;
      const outcome =
        asked === undefined ? await speak(text, pictures) : await answer(asked, { decision: "answer", text });
      return await decide(outcome, agrees);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  };
}

async function readNotes(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, "memory"));
  const paths = ["USER.md", ...names.filter((name) => name.endsWith(".md")).map((name) => join("memory", name))];
  const texts = await Promise.all(paths.map((path) => nodeFiles.readText(join(folder, path))));
  return texts.flatMap((text) => (text ?? "").split("\n")).filter((line) => line.trim() !== "");
}
