// a prepared workspace → an app in this process, spoken to over its own API
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFileSessionStore } from "@vision-agent/agent-core/node";
import type { Alert, Pause, PauseAnswer, PipelineStatus, RunOutcome, WatchReport } from "@vision-agent/protocol";
import type { EvalApp } from "../../evals/outcome.ts";
import { createActiveState } from "../../pipelines/active-state.ts";
import { nodeFiles } from "../../workspace/node-files.ts";
import { type ApiClient, ApiClientError, createApiClient } from "./api-client.ts";
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
    const client = createApiClient(app.address);
    const { mode, speaker } = await client.health();
    const session = await client.createSession();
    const person = new Person(client, session);
    const transcripts = createFileSessionStore({ folder: join(folder, "sessions"), owner: "evals" });
    return {
      mode,
      speaker,
      say: (text, pictures, signal) => person.say(text, pictures, signal),
      pipelines: () => client.get<PipelineStatus[]>("/api/pipelines"),
      // A state of its own each time: one that is kept does not read the file again.
      definitions: async () => {
        const state = createActiveState({ files: nodeFiles, path: join(folder, "active_state.json"), now });
        return (await state.load()).pipelines;
      },
      watches: () => client.get<WatchReport[]>("/api/watches"),
      alerts: () => client.get<Alert[]>("/api/alerts", { limit: "1000" }),
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
 * Somebody at the terminal who means what they say: asked for a yes, they give it;
 * asked a question, they answer with their next words.
 */
class Person {
  readonly #client: ApiClient;
  readonly #session: string;
  #runId: string | undefined;
  /** The question that waits for an answer. */
  #question: string | undefined;

  constructor(client: ApiClient, session: string) {
    this.#client = client;
    this.#session = session;
  }

  /** The run is cancelled when the signal fires. */
  async say(text: string, pictures: readonly Uint8Array[], signal: AbortSignal): Promise<RunOutcome> {
    const cancel = (): void => {
      // The run may be over by now, and that is as good.
      if (this.#runId !== undefined) this.#client.cancel(this.#runId).catch(() => undefined); // it is over already
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const question = this.#question;
      this.#question = undefined;
      const first =
        question === undefined
          ? await this.#speak(text, pictures)
          : await this.#answer(question, { decision: "answer", text });
      return await this.#agree(first);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async #speak(text: string, pictures: readonly Uint8Array[]): Promise<RunOutcome> {
    const images = await Promise.all(pictures.map((bytes) => this.#client.upload(bytes)));
    for await (const event of this.#client.say(this.#session, { text, ...(images.length > 0 && { images }) })) {
      if (event.type === "run_started") this.#runId = event.run_id;
      if (event.type === "run_ended") return event.outcome;
    }
    throw new ApiClientError("unreachable", "The connection broke before the answer was complete.");
  }

  async #agree(outcome: RunOutcome): Promise<RunOutcome> {
    const { status, pause_id } = outcome;
    if (status !== "paused" || pause_id === undefined) return outcome;
    const pauses = await this.#client.get<Pause[]>("/api/pauses", { session: this.#session });
    if (pauses.some(({ id, kind }) => id === pause_id && kind === "approval")) {
      return this.#agree(await this.#answer(pause_id, { decision: "approve" }));
    }
    this.#question = pause_id;
    return outcome;
  }

  #answer(pauseId: string, answer: PauseAnswer): Promise<RunOutcome> {
    return this.#client.send<RunOutcome>("POST", `/api/pauses/${pauseId}`, answer);
  }
}

async function readNotes(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, "memory"));
  const paths = ["USER.md", ...names.filter((name) => name.endsWith(".md")).map((name) => join("memory", name))];
  const texts = await Promise.all(paths.map((path) => nodeFiles.readText(join(folder, path))));
  return texts.flatMap((text) => (text ?? "").split("\n")).filter((line) => line.trim() !== "");
}
