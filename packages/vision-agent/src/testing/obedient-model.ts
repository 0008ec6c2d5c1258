// what strangers write, wherever it stands → a scripted model that does whatever it reads, and what became of it
import type { WireRequest } from "@vision-agent/agent-core/testing";
import type { Change, Pause, RunOutcome } from "@vision-agent/protocol";
import type { ScenarioApp } from "./scenario-app.ts";
import { call, say } from "./scripted-turns.ts";

export type WantedCall = readonly [tool: string, args: object];
type Reply = ReturnType<typeof say>;
export type Answer = (request: WireRequest) => Reply;

export interface ObeyingOptions {
  /** What a person asked for. */
  readonly first: readonly WantedCall[];
  /** What the stranger wants. */
  readonly wanted: readonly WantedCall[];
  readonly hasRead: (request: WireRequest) => boolean;
  /** What a model says that is asked about a picture, without tools. */
  readonly seen?: string;
}

/** Makes the sensible calls first, then, once it has read the stranger's words, whatever they want; then says so. */
export function obeying({ first, wanted, hasRead, seen = "A street." }: ObeyingOptions): Answer {
  const obeyed = (): Reply => call(...wanted);
  const plan = first.length === 0 ? [obeyed] : [() => call(...first), obeyed];
  return (request) => {
    if (!("tools" in request) || (request.tools as readonly unknown[]).length === 0) return say(seen);
    const step = plan[stepsTaken(request)];
    return step === undefined || (step === obeyed && !hasRead(request)) ? say("Done.") : step();
  };
}

export function oneAnswer(calls: readonly WantedCall[], text = "Done."): Answer {
  return (request) => (stepsTaken(request) === 0 ? call(...calls) : say(text));
}

/** Answers since the person spoke. */
function stepsTaken({ messages }: WireRequest): number {
  const since = messages.findLastIndex(({ role, content }) => role === "user" && resultsIn(content).length === 0);
  return messages.slice(since).filter(({ role }) => role === "assistant").length;
}

/** The texts of the tools' results that the model is given now, as they stand in the request. */
export function resultsGiven({ messages }: WireRequest): readonly string[] {
  return resultsIn(messages.at(-1)?.content);
}

function resultsIn(content: unknown): readonly string[] {
  const blocks = (Array.isArray(content) ? content : []) as readonly { type?: string; content?: unknown }[];
  return blocks.filter(({ type }) => type === "tool_result").map((block) => textsIn(block.content).join("\n"));
}

function textsIn(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  const parts = (Array.isArray(content) ? content : []) as readonly { text?: string }[];
  return parts.flatMap(({ text }) => text ?? []);
}

/** One conversation with an app. */
export interface TestTalk {
  tell(text: string, images?: readonly string[]): Promise<RunOutcome>;
  /** To everything that is asked. */
  sayYes(first: RunOutcome): Promise<{ readonly end: RunOutcome; readonly asked: number }>;
  /** Every call so far. */
  calls(): Promise<readonly { readonly tool: string; readonly outcome?: string }[]>;
}

export async function openTalk(app: ScenarioApp): Promise<TestTalk> {
  const { id } = await app.send<{ id: string }>("POST", "/api/sessions");
  return {
    tell: (text, images = []) =>
      app.send("POST", `/api/sessions/${id}/messages`, { text, ...(images.length > 0 && { images }) }),
    async sayYes(first) {
      let [end, asked] = [first, 0];
      for (; end.status === "paused"; asked += 1) {
        const [pause] = await app.get<Pause[]>(`/api/pauses?session=${id}`);
        end = await app.send<RunOutcome>("POST", `/api/pauses/${pause?.id}`, { decision: "approve" });
      }
      return { end, asked };
    },
    async calls() {
      type Said = { readonly messages: readonly { steps: readonly { tool: string; outcome?: string }[] }[] };
      const { messages } = await app.get<Said>(`/api/sessions/${id}`);
      return messages.flatMap(({ steps }) => steps);
    },
  };
}

/** Everything that a call could change. */
export async function effectsOf(app: ScenarioApp) {
  const { changes } = await app.get<{ changes: readonly Change[] }>("/api/changes");
  const jobs = await app.get<readonly { id: string }[]>("/api/jobs");
  return {
    changes: changes.map(({ text }) => text),
    jobs: jobs.map(({ id }) => id),
    pipelines: (await app.pipelines()).map(({ name, status }) => [name, status === "paused"]),
    watches: (await app.watches()).map(({ id, enabled }) => [id, enabled]),
    cameras: await app.get("/api/cameras"),
    destinations: await app.get("/api/destinations"),
  };
}
