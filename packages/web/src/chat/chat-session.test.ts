import type { RunEvent, SessionDetail } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { ApiFailure } from "../api/dashboard-api.ts";
import { ChatSession, type ConversationOptions, canSayAgain } from "./chat-session.ts";
import { textOf, toParts } from "./run-view.ts";

const STARTED: RunEvent = { type: "run_started", run_id: "r1", session_id: "s1", speaker: "Claude" };
const ENDED: RunEvent = { type: "run_ended", outcome: { status: "finished", text: "", images: [], reason: "done" } };
const CALL: RunEvent = { type: "tool_call", call_id: "c1", tool: "stop_pipeline", arguments: {} };
const RESULT: RunEvent = {
  type: "tool_result",
  call_id: "c1",
  tool: "stop_pipeline",
  outcome: "ok",
  text: "Stopped.",
  images: [],
  duration_ms: 5,
};
const PAUSED: RunEvent = {
  type: "run_ended",
  outcome: { status: "paused", text: "", images: [], reason: "Stop everything?", pause_id: "p1" },
};
const SENTENCE = { text: "What do you see?", images: [] };

describe("ChatSession", () => {
  it("makes a session with the first sentence and shows the answer", async () => {
    const created: string[] = [];
    const chat = session({ postMessage: async () => events([STARTED, text("A street."), ENDED]) }, { created });
    await chat.say(SENTENCE);
    expect(created).toEqual(["s1"]);
    expect(spoken(chat)).toEqual(["user: What do you see?", "run: A street."]);
    expect(chat.view().busy).toBe(false);
  });

  it("joins a run again after the last event it saw, and shows nothing twice", async () => {
    const asked: (string | undefined)[] = [];
    const chat = session({
      postMessage: async () => events([STARTED, text("A ")]),
      runEvents: async (_runId, lastEventId) => {
        asked.push(lastEventId);
        return events([text("A "), text("street."), ENDED], 2);
      },
    });
    await chat.say(SENTENCE);
    expect(asked).toEqual(["r1:2"]);
    expect(spoken(chat).at(-1)).toBe("run: A street.");
  });

  it("goes on trying while the server does not answer", async () => {
    let attempts = 0;
    const chat = session({
      postMessage: async () => events([STARTED]),
      runEvents: async () => {
        attempts += 1;
        if (attempts < 3) throw new ApiFailure("The server does not answer.", { kind: "unreachable" });
        return events([text("Back."), ENDED], 2);
      },
    });
    await chat.say(SENTENCE);
    expect(spoken(chat).at(-1)).toBe("run: Back.");
    expect(chat.view().problem).toBeUndefined();
  });

  it("offers to say it again when the sentence did not arrive", async () => {
    let attempts = 0;
    const chat = session({
      postMessage: async () => {
        attempts += 1;
        if (attempts === 1) throw new ApiFailure("The server does not answer.", { kind: "unreachable" });
        return events([STARTED, text("Yes."), ENDED]);
      },
    });
    await chat.say(SENTENCE);
    expect(chat.view()).toMatchObject({ busy: false, problem: { message: "The server does not answer." } });
    chat.view().problem?.again();
    await quiet(chat);
    expect(spoken(chat)).toEqual(["user: What do you see?", "run: Yes."]);
    expect(chat.view().problem).toBeUndefined();
  });

  it("says the sentence again after a turn that failed, and only then", async () => {
    const failed: RunEvent = {
      type: "run_ended",
      outcome: { status: "failed", text: "", images: [], reason: "The provider answered 401." },
    };
    const turns = [events([STARTED, failed]), events([STARTED, text("Yes."), ENDED])];
    const posted: string[] = [];
    const chat = session({
      postMessage: async (_session, { text: words }) => {
        posted.push(words);
        return turns[posted.length - 1]!;
      },
    });
    await chat.say(SENTENCE);
    expect(canSayAgain(chat.view())).toBe(true);
    await chat.sayAgain();
    expect(posted).toEqual(["What do you see?", "What do you see?"]);
    expect(canSayAgain(chat.view())).toBe(false);
    await chat.sayAgain();
    expect(posted).toHaveLength(2);
  });

  it("ends a turn of which a restarted server knows nothing, and can ask for it again", async () => {
    const gone = new ApiFailure("There is no run r1.", { kind: "refused", status: 404 });
    const chat = session({
      postMessage: async () => events([STARTED, text("A ")]),
      runEvents: () => Promise.reject(gone),
    });
    await chat.say(SENTENCE);
    expect(chat.view()).toMatchObject({ busy: false, problem: undefined });
    expect(spoken(chat).at(-1)).toContain("The server restarted before this reply finished.");
    expect(canSayAgain(chat.view())).toBe(true);
  });

  it("reads the conversation back and joins the turn that goes on", async () => {
    const chat = session(
      {
        session: async () => ({ ...detail("r1"), before_run: 1 }),
        runEvents: async () => events([STARTED, text("Still "), text("here."), ENDED]),
      },
      { sessionId: "s1" },
    );
    expect(chat.view().loading).toBe(true);
    await chat.open();
    expect(spoken(chat)).toEqual(["user: What do you see?", "run: Still here."]);
  });

  it("tells nothing twice of a turn that was steered before the reload", async () => {
    const step = { call_id: "c1", tool: "recall", arguments: {}, outcome: "ok", text: "", images: [], duration_ms: 1 };
    const { messages, ...rest } = detail("r1");
    const [said, answer] = messages;
    const steered = [said!, { ...answer!, steps: [step] }, { ...said!, id: "m3", text: "only the door" }];
    const chat = session(
      {
        session: async () => ({ ...rest, messages: steered }),
        runEvents: async () =>
          events([
            STARTED,
            { type: "tool_call", call_id: "c1", tool: "recall", arguments: {} },
            text("The door."),
            ENDED,
          ]),
      },
      { sessionId: "s1" },
    );
    await chat.open();
    expect(spoken(chat)).toEqual([
      "user: What do you see?",
      "assistant: Still ",
      "user: only the door",
      "run: The door.",
    ]);
    expect(chat.view().entries.at(-1)).toMatchObject({ run: { parts: [{ kind: "text" }] } });
  });

  it("begins anew when the conversation is gone", async () => {
    const gone = new ApiFailure("No such session.", { kind: "refused", status: 404 });
    const chat = session({ session: () => Promise.reject(gone) }, { sessionId: "old" });
    await chat.open();
    expect(chat.view()).toMatchObject({ loading: false, sessionId: undefined, problem: undefined });
  });

  it("sends a sentence into the turn that goes on", async () => {
    const steered: string[] = [];
    const stream = openStream();
    const chat = session({
      postMessage: async () => stream.response,
      steerRun: async (runId, words) => void steered.push(`${runId} ${words}`),
    });
    const said = chat.say(SENTENCE);
    await stream.send(STARTED, 1);
    await chat.say({ text: "only the door", images: [] });
    await stream.send(ENDED, 2);
    await said;
    expect(steered).toEqual(["r1 only the door"]);
    expect(chat.view().entries).toHaveLength(2);
  });

  it("stops the turn, even when asked before the run has a name", async () => {
    const cancelled: string[] = [];
    const stream = openStream();
    const chat = session({
      postMessage: async () => stream.response,
      cancelRun: async (runId) => void cancelled.push(runId),
    });
    const said = chat.say(SENTENCE);
    await chat.stop();
    expect(cancelled).toEqual([]);
    await stream.send(STARTED, 1);
    await stream.send(ENDED, 2);
    await said;
    expect(cancelled).toEqual(["r1"]);
    await chat.stop();
    expect(cancelled).toHaveLength(1);
  });

  it("goes on with a turn that waited, and tells the call it waited for once", async () => {
    const answers: string[] = [];
    const chat = session({
      postMessage: async () => events([STARTED, CALL, PAUSED]),
      answerPause: async (pauseId, { decision }) => {
        answers.push(`${pauseId} ${decision}`);
        return events([{ ...STARTED, run_id: "r2" }, CALL, RESULT, text("Stopped all."), ENDED]);
      },
    });
    await chat.say(SENTENCE);
    expect(stepsOf(chat)).toEqual(["c1 not_executed"]);
    await chat.answer("p1", { decision: "approve" });
    expect(answers).toEqual(["p1 approve"]);
    expect(stepsOf(chat)).toEqual(["c1 ok"]);
    expect(spoken(chat).at(-1)).toBe("run: Stopped all.");
    expect([...chat.view().answered]).toEqual(["p1"]);
  });

  it("goes on with a turn that waited before a reload", async () => {
    const { messages, ...rest } = detail(null);
    const step = { call_id: "c1", tool: "stop_pipeline", arguments: {}, text: "", images: [], duration_ms: null };
    const waiting = { ...messages[1]!, text: "", steps: [{ ...step, outcome: "not_executed" }] };
    const chat = session(
      {
        session: async () => ({ ...rest, messages: [messages[0]!, waiting] }),
        answerPause: async () => events([STARTED, CALL, RESULT, text("Stopped all."), ENDED]),
      },
      { sessionId: "s1" },
    );
    await chat.open();
    expect(stepsOf(chat)).toEqual(["c1 not_executed"]);
    await chat.answer("p1", { decision: "approve" });
    expect(stepsOf(chat)).toEqual(["c1 ok"]);
  });

  it("keeps the steps before an approval when it is reloaded while the turn goes on", async () => {
    const { messages, ...rest } = detail("r2");
    const step = { tool: "stop_pipeline", arguments: {}, text: "", images: [], duration_ms: null };
    const before = [
      { ...step, call_id: "c0", outcome: "ok" },
      { ...step, call_id: "c1", outcome: "not_executed" },
    ];
    const asked = { ...messages[1]!, text: "First I look.", steps: before };
    const told = { ...asked, id: "m9", text: "Stopped all.", steps: [] };
    const chat = session(
      {
        session: async () => ({ ...rest, messages: [messages[0]!, asked, told], before_run: 2 }),
        runEvents: async () => events([{ ...STARTED, run_id: "r2" }, CALL, RESULT, text("Stopped all."), ENDED]),
      },
      { sessionId: "s1" },
    );
    await chat.open();
    expect(stepsOf(chat)).toEqual(["c0 ok", "c1 ok"]);
    expect(spoken(chat).slice(1)).toEqual(["assistant: First I look.", "run: Stopped all."]);
  });

  it("waits again when an answer did not arrive, and reads what came of one that was given elsewhere", async () => {
    const failures = [
      new ApiFailure("The server does not answer.", { kind: "unreachable" }),
      new ApiFailure("Nothing waits under p1.", { kind: "refused", status: 404 }),
    ];
    const chat = session(
      { session: async () => detail(null), answerPause: () => Promise.reject(failures.shift()) },
      { sessionId: "s1" },
    );
    await chat.answer("p1", { decision: "deny" });
    expect([...chat.view().answered]).toEqual([]);
    expect(chat.view()).toMatchObject({ busy: false, problem: { message: "The server does not answer." } });
    await chat.answer("p1", { decision: "deny" });
    await quiet(chat);
    expect(chat.view()).toMatchObject({ busy: false, problem: undefined });
    expect(spoken(chat)).toEqual(["user: What do you see?", "assistant: Still "]);
  });

  it("says nothing more once it is closed", async () => {
    const stream = openStream();
    const chat = session({ postMessage: async () => stream.response });
    let told = 0;
    chat.subscribe(() => {
      told += 1;
    });
    const said = chat.say(SENTENCE);
    await stream.send(STARTED, 1);
    chat.close();
    const before = told;
    stream.end();
    await said;
    expect(told).toBe(before);
  });
});

interface SessionSetting {
  readonly sessionId?: string;
  readonly created?: string[];
}

function session(api: Partial<ConversationOptions["api"]>, setting: SessionSetting = {}): ChatSession {
  const never = (): Promise<never> => Promise.reject(new Error("not part of this test"));
  return new ChatSession({
    api: {
      session: never,
      createSession: async () => ({ id: "s1" }),
      postMessage: never,
      runEvents: never,
      cancelRun: never,
      steerRun: never,
      answerPause: never,
      ...api,
    },
    time: { now: () => 0, random: () => 0, wait: async () => undefined },
    sessionId: setting.sessionId,
    onCreated: (id) => void setting.created?.push(id),
  });
}

function spoken(chat: ChatSession): readonly string[] {
  return chat
    .view()
    .entries.map((entry) =>
      entry.kind === "message" ? `${entry.message.role}: ${entry.message.text}` : `run: ${textOf(entry.run.parts)}`,
    );
}

function stepsOf(chat: ChatSession): readonly string[] {
  return chat
    .view()
    .entries.flatMap((entry) => (entry.kind === "message" ? toParts(entry.message) : entry.run.parts))
    .flatMap((part) => (part.kind === "step" ? [`${part.step.call_id} ${part.step.result?.outcome}`] : []));
}

async function quiet(chat: ChatSession): Promise<void> {
  while (chat.view().busy) await new Promise((done) => setTimeout(done));
}

function text(words: string): RunEvent {
  return { type: "text_delta", message_id: "m9", text: words };
}

function events(list: readonly RunEvent[], firstSeq = 1): Response {
  return new Response(list.map((event, index) => toSse(event, firstSeq + index)).join(""));
}

function toSse(event: RunEvent, seq: number): string {
  return `event: ${event.type}\nid: r1:${seq}\ndata: ${JSON.stringify(event)}\n\n`;
}

function openStream(): { response: Response; send: (event: RunEvent, seq: number) => Promise<void>; end: () => void } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const settle = (): Promise<void> => new Promise((done) => setTimeout(done));
  return {
    response: new Response(readable),
    send: async (event, seq) => {
      await writer.write(new TextEncoder().encode(toSse(event, seq)));
      await settle();
      if (event.type === "run_ended") await writer.close();
    },
    end: () => void writer.close(),
  };
}

function detail(activeRun: string | null): SessionDetail {
  const timestamp = "2026-01-01T00:00:00.000Z";
  return {
    id: "s1",
    active_run: activeRun,
    messages: [
      { id: "m1", role: "user", timestamp, text: "What do you see?", images: [], steps: [] },
      { id: "m2", role: "assistant", timestamp, text: "Still ", images: [], steps: [] },
    ],
  };
}
