import type { RunEvent } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { type FakeClient, fakeClient, PLAIN, runEnded } from "../../testing/fake-api-client.ts";
import { ask } from "./ask.ts";
import { printAlerts } from "./chat.ts";
import { type ChatOptions, TerminalChat } from "./chat-loop.ts";

const STARTED: RunEvent = { type: "run_started", run_id: "run_1", session_id: "session_1", speaker: "x" };
const TURN: readonly RunEvent[] = [
  STARTED,
  { type: "tool_call", call_id: "c1", tool: "capture_frame", arguments: { camera: "street" } },
  {
    type: "tool_result",
    call_id: "c1",
    tool: "capture_frame",
    outcome: "ok",
    text: "street: 3 person.\nmore",
    images: ["art_1"],
    data: { camera: "street" },
    duration_ms: 420,
  },
  { type: "text_delta", message_id: "m", text: "On street " },
  { type: "text_delta", message_id: "m", text: "I see 3 people." },
  runEnded("finished", "On street I see 3 people."),
];

describe("the chat", () => {
  it("S000-3.5.1 S000-9.11 streams the answer, with what was done and where the picture is", async () => {
    const { chat, screen } = open(fakeClient(TURN));
    expect(await chat.line("what do you see?")).toBe("go_on");
    expect(screen.text).toBe(
      ["· looked at street, 0.4 s", "  picture: at/art_1", "On street I see 3 people.", ""].join("\n"),
    );
  });

  it("begins a line of its own for what is done after some words", async () => {
    const words: RunEvent = { type: "text_delta", message_id: "m", text: "Let me look." };
    const { chat, screen } = open(fakeClient([STARTED, words, ...TURN.slice(1)]));
    await chat.line("what do you see?");
    expect(screen.text).toContain("Let me look.\n· looked at street, 0.4 s\n");
  });

  it("VA-22 shows what a person should know of the money", async () => {
    const message = "50 % of the limit of today is used: 5 USD of 10 USD.";
    const { chat, screen } = open(fakeClient([...TURN.slice(0, -1), { type: "warning", code: "budget", message }]));
    await chat.line("what do you see?");
    expect(screen.text).toContain(`I see 3 people.\n${message}\n`);
  });

  it("stays in one session and sends a picture once", async () => {
    const client = fakeClient(TURN);
    const { chat } = open(client);
    await chat.line("/image my photo.jpg");
    await chat.line("what is this?");
    await chat.line("and now?");
    expect(client.said).toEqual([
      ["session_1", { text: "what is this?", images: ["art_12"] }],
      ["session_1", { text: "and now?" }],
    ]);
  });

  it.each([
    ["/image my photo.jpg", "my photo.jpg"],
    ['/image "my photo.jpg"', "my photo.jpg"],
    ["/image my\\ photo\\ (1).jpg", "my photo (1).jpg"],
  ])("takes a path with blanks: %s", async (line, path) => {
    const client = fakeClient(TURN);
    const read: string[] = [];
    const { chat } = open(client, { readFile: async (name) => new TextEncoder().encode(read.push(name).toString()) });
    await chat.line(line);
    expect(read).toEqual([path]);
  });

  it("draws pictures where the terminal can, after where they are", async () => {
    const { chat, screen } = open(fakeClient(TURN), { drawPicture: async (id) => `<${id}>\n` });
    await chat.line("what do you see?");
    expect(screen.text).toContain("  picture: at/art_1\n<art_1>\nOn street");
    const broken = open(fakeClient(TURN), { drawPicture: () => Promise.reject(new Error("no")) });
    await broken.chat.line("what do you see?");
    expect(broken.screen.text).toContain("  picture: at/art_1\nOn street");
  });

  it("goes on with a conversation that is named", async () => {
    const client = fakeClient(TURN);
    const { chat } = open(client, { session: "session_9" });
    await chat.line("and now?");
    expect(client.said).toEqual([["session_9", { text: "and now?" }]]);
    expect(chat.session).toBe("session_9");
  });

  it("shows what it is asked before it goes on", async () => {
    const paused: RunEvent = {
      type: "run_ended",
      outcome: { status: "paused", text: "", images: [], reason: "May I stop it?", pause_id: "p1" },
    };
    const { chat, screen } = open(fakeClient([STARTED, paused]));
    await chat.line("stop it");
    expect(screen.text).toContain("May I stop it?");
  });

  it("knows its commands", async () => {
    const day = { turns: 0, calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };
    const usage = {
      today: { ...day, day: "2026-05-20", limit_usd: 10 },
      days: [],
      sessions: [],
      watches: [],
      turns: [],
    };
    const answers = { "GET /api/usage": [usage], "GET /api/watches": [[]] };
    const { chat, screen } = open(fakeClient(TURN, answers));
    for (const words of ["/quit", "exit", "Quit"]) expect(await chat.line(words)).toBe("quit");
    await chat.line("/status");
    await chat.line("/watches");
    await chat.line("/usage");
    await chat.line("/dance");
    await chat.line("   ");
    expect(screen.text).toContain("- street-count on street: running, 9.8 fps");
    expect(screen.text).toContain("Today $0.00 of $10.00, 0 calls.");
    expect(screen.text).toContain("No watches yet.");
    expect(screen.text).toContain("There is no command /dance.");
  });

  it("says what went wrong and goes on", async () => {
    const { chat, screen } = open({
      ...fakeClient([]),
      createSession: () => Promise.reject(new Error("Nobody answers.")),
    });
    expect(await chat.line("hello")).toBe("go_on");
    expect(screen.text).toContain("Nobody answers.");
  });

  it("stops the turn at Ctrl-C, and has nothing to stop at the second", async () => {
    const end = Promise.withResolvers<RunEvent>();
    const client = fakeClient([STARTED, end.promise]);
    const { chat, screen } = open(client);
    expect(chat.interrupt()).toBe(false);
    const turn = chat.line("count everything");
    await new Promise((soon) => setImmediate(soon));
    expect(chat.interrupt()).toBe(true);
    expect(chat.interrupt()).toBe(false);
    expect(client.cancelled).toEqual(["run_1"]);
    end.resolve(runEnded("cancelled", "", "cancelled by a person"));
    await turn;
    expect(screen.text).toContain("Stopped.");
  });
});

describe("alerts in the chat", () => {
  it("S000-3.5.2 are told as they come, with the picture", async () => {
    const told: string[] = [];
    await printAlerts({
      client: fakeClient([]),
      tell: (text) => told.push(text),
      timeOf: (timestamp) => `<${timestamp}>`,
      colours: PLAIN,
      pictureAt: (id) => `at/${id}`,
      signal: new AbortController().signal,
    });
    expect(told).toEqual(["! info <2026-01-01T10:00:00.000Z> A person appeared on street.\n  picture: at/art_1\n"]);
  });

  it("say when they are lost, and nothing when the person leaves", async () => {
    const lost = { ...fakeClient([]), alerts: () => fail("The line broke.") };
    const told: string[] = [];
    const tell = (text: string): void => void told.push(text);
    const options = { client: lost, tell, timeOf: String, colours: PLAIN, pictureAt: String };
    await printAlerts({ ...options, signal: AbortSignal.abort() });
    expect(told).toEqual([]);
    await printAlerts({ ...options, signal: new AbortController().signal });
    expect(told).toEqual(["Alerts are no longer shown here: The line broke.\n"]);
  });
});

describe("ask", () => {
  it("prints the answer alone to standard output", async () => {
    const { code, out, errors } = await askWith(TURN);
    expect(code).toBe(0);
    expect(out).toBe("On street I see 3 people.\n");
    expect(errors).toContain("picture: at/art_1");
  });

  it("prints one JSON document, with the data of what the tools gave", async () => {
    const { out, errors } = await askWith(TURN, { json: true });
    expect(JSON.parse(out)).toMatchObject({
      session_id: "session_1",
      status: "finished",
      text: "On street I see 3 people.",
      tools: [{ tool: "capture_frame", outcome: "ok", data: { camera: "street" } }],
    });
    expect(errors).toBe("");
  });

  it("fails with exit code 1 when the run fails or breaks off", async () => {
    const failed = await askWith([STARTED, runEnded("failed", "", "The key is wrong.")]);
    expect([failed.code, failed.errors]).toEqual([1, "The key is wrong.\n"]);
    expect((await askWith([STARTED])).code).toBe(1);
  });

  it("leaves with exit code 3 when it waits for a yes, and says how to give it", async () => {
    const waits: RunEvent = {
      type: "run_ended",
      outcome: { status: "paused", text: "", images: [], reason: "May I?", pause_id: "p1" },
    };
    const { code, errors } = await askWith([STARTED, waits]);
    expect(code).toBe(3);
    expect(errors).toContain("May I?\nAnswer with: vision-agent pauses answer p1 yes\n");
  });

  it("asks for words when there are none", async () => {
    const client = fakeClient(TURN);
    await expect(askWith(TURN, { client, text: "  " })).rejects.toThrow("Say what you want to know");
    expect(client.said).toEqual([]);
  });

  it("S000-3.1.3 sends pictures along", async () => {
    const client = fakeClient(TURN);
    await askWith(TURN, { client, images: [new Uint8Array(3)] });
    expect(client.said).toEqual([["session_1", { text: "what?", images: ["art_3"] }]]);
  });
});

// biome-ignore lint/correctness/useYield: a stream that breaks before its first item
async function* fail(message: string): AsyncGenerator<never> {
  throw new Error(message);
}

function open(client: FakeClient, over: Partial<ChatOptions> = {}) {
  const screen = { text: "" };
  const chat = new TerminalChat({
    client,
    pictureAt: (id) => `at/${id}`,
    write: (text) => {
      screen.text += text;
    },
    draw: (picture) => {
      screen.text += picture;
    },
    colours: PLAIN,
    readFile: async (path) => new TextEncoder().encode(path),
    ...over,
  });
  return { chat, screen };
}

async function askWith(
  events: readonly RunEvent[],
  over: {
    readonly json?: boolean;
    readonly client?: FakeClient;
    readonly images?: readonly Uint8Array[];
    readonly text?: string;
  } = {},
) {
  let out = "";
  let errors = "";
  const code = await ask({
    client: over.client ?? fakeClient(events),
    text: over.text ?? "what?",
    images: over.images ?? [],
    json: over.json ?? false,
    pictureAt: (id) => `at/${id}`,
    writeOut: (text) => {
      out += text;
    },
    writeError: (text) => {
      errors += text;
    },
    colours: PLAIN,
  });
  return { code, out, errors };
}
