import { describe, expect, it } from "vitest";
import { createAnthropicClient, DEFAULT_ANTHROPIC_MODEL } from "./anthropic.ts";
import { createArtifactRegistry } from "./artifacts.ts";
import {
  AgentError,
  type AgentExecutorOptions,
  type ArtifactStore,
  createBudgetLedger,
  createMemoryArtifactStore,
  createMemoryLedgerStore,
  createMemorySessionStore,
  type ExecuteInput,
  type SessionStore,
  systemClock,
  type Tool,
} from "./index.ts";
import { startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import { createFakeClock, createTestAgent, PNG_1X1, type ScriptStep, scriptedModel, testTool } from "./testing.ts";

/** Makes a function of the host fail for a while. */
type Failing = <Call extends (...args: never[]) => unknown>(fine: Call) => Call;

interface Case {
  /** As the report names it. */
  readonly name: string;
  /** What ends the run, or what it is only told. */
  readonly ends: { readonly failed: string } | { readonly warns: string } | "finished";
  readonly options: (failing: Failing) => Partial<AgentExecutorOptions>;
  readonly input?: Partial<ExecuteInput>;
  readonly script?: (number: number) => ScriptStep;
  /** Messages that it takes to get there. Default 1. */
  readonly turns?: number;
}

const PROMPT = { system: async () => [], state: async () => "" };
const FAILED = { failed: "host_callback" } as const;
const WARNS = { warns: "host_callback" } as const;
const PICTURE = { images: [{ bytes: PNG_1X1, mediaType: "image/png" as const }] };

const CASES: readonly Case[] = [
  { name: "onEvent", ends: WARNS, options: (failing) => ({ onEvent: failing(() => undefined) }) },
  {
    name: "artifactRegistry",
    ends: WARNS,
    input: PICTURE,
    options: (failing) => ({ artifactRegistry: registry(failing) }),
  },
  { name: "artifact store", ends: FAILED, input: PICTURE, options: (failing) => ({ artifacts: store(failing) }) },
  {
    name: "prompt.system",
    ends: FAILED,
    options: (failing) => ({ prompt: { ...PROMPT, system: failing(PROMPT.system) } }),
  },
  {
    name: "prompt.state",
    ends: FAILED,
    options: (failing) => ({ prompt: { ...PROMPT, state: failing(PROMPT.state) } }),
  },
  { name: "guard", ends: FAILED, options: (failing) => ({ guard: failing(async () => ({ allow: true as const })) }) },
  { name: "authorize", ends: FAILED, options: (failing) => ({ authorize: failing(() => true) }) },
  {
    name: "stop.custom",
    ends: FAILED,
    options: (failing) => ({ stop: { custom: [failing(() => undefined)] } }),
    script: (number) => (number === 1 ? { toolCalls: [{ name: "look" }] } : { text: "ok" }),
  },
  {
    name: "budget.scopesOf",
    ends: FAILED,
    options: (failing) =>
      paid(
        () => undefined,
        failing(() => ["day"]),
      ),
  },
  {
    name: "context.counter",
    ends: FAILED,
    options: (failing) => ({ context: { counter: { name: "own", text: failing((text: string) => text.length) } } }),
  },
  {
    name: "context.summarizer",
    ends: WARNS,
    turns: 12,
    script: wordy,
    options: (failing) => tight({ summarizer: { summarize: failing(summarize) } }),
  },
  {
    name: "flush",
    ends: WARNS,
    turns: 12,
    script: wordy,
    options: (failing) => ({ ...tight({}), flush: failing(async () => undefined) }),
  },
  {
    name: "look",
    ends: { warns: "project_failed" },
    script: (number) => (number === 1 ? { toolCalls: [{ name: "look" }] } : { text: "ok" }),
    options: (failing) => ({ tools: [testTool("look", async () => "x", { project: failing(() => []) })] }),
  },
  { name: "ledger", ends: "finished", options: (failing) => paid(failing(() => undefined)) },
  { name: "session store", ends: FAILED, options: (failing) => ({ sessions: sessions("open", failing) }) },
  { name: "session store", ends: FAILED, options: (failing) => ({ sessions: sessions("append", failing) }) },
  {
    name: "session store",
    ends: { warns: "session_write" },
    options: (failing) => ({ sessions: sessions("close", failing) }),
  },
];

const FAULTS = {
  throws: () => {
    throw new TypeError("x is not a function");
  },
  rejects: () => Promise.reject(new TypeError("x is not a function")),
} as const;

describe("a callback of the host that fails", () => {
  const table = CASES.flatMap((one) => (["throws", "rejects"] as const).map((how) => [one.name, how, one] as const));

  it.each(table)("%s %s: it is reported, the run ends, the session is free", async (name, how, one) => {
    let isBroken = true;
    const failing: Failing = (fine) =>
      ((...args: never[]) => (isBroken ? FAULTS[how]() : fine(...args))) as typeof fine;
    const { script = () => ({ text: "ok" }), ends, input, turns = 1 } = one;
    const agent = createTestAgent((_, number) => script(number), one.options(failing));
    const told: string[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const { outcome, events } = await agent.talk(`Hi ${"word ".repeat(turns > 1 ? 50 : 1)}`, input);
      expect(events.at(-1)).toEqual({ ...events.at(-1), type: "run_ended", outcome });
      expect(outcome.status).toBe(typeof ends === "object" && "failed" in ends ? "failed" : "finished");
      if (outcome.status === "failed") expect(outcome.error).toMatchObject({ kind: "agent", retryable: false });
      if (outcome.status === "failed") told.push(`${outcome.error.code}: ${outcome.error.message}`);
      told.push(...outcome.warnings.map(({ code, message }) => `${code}: ${message}`));
      expect(events.some(({ type }) => type === "retry")).toBe(false);
    }
    const code = ends === "finished" ? undefined : Object.values(ends)[0];
    if (code)
      expect(told).toContainEqual(
        expect.stringMatching(new RegExp(`^${code}:.*${name}.*(?:x is not a function|not be async)`)),
      );
    isBroken = false;
    expect(agent.executor.activeRun("s1")).toBeUndefined();
    expect((await agent.talk("Again", input)).outcome).toMatchObject({ status: "finished" });
  });

  it("a listener of the registry that throws: the others hear, and the run is told", async () => {
    const registry = createArtifactRegistry();
    const heard: string[] = [];
    registry.subscribe(FAULTS.throws);
    registry.subscribe(({ ref }) => heard.push(ref.id));
    const { outcome } = await createTestAgent([{ text: "ok" }], { artifactRegistry: registry }).talk("Hi", PICTURE);
    expect(heard).toHaveLength(1);
    expect(outcome).toMatchObject({ status: "finished", warnings: [{ code: "host_callback" }] });
  });

  it.each(["throws", "rejects"] as const)(
    "the artifact store %s while a request is built: it is no failure of the provider",
    async (how) => {
      const server = await startAnthropicLoopback({ script: [{ blocks: [{ type: "text", text: "ok" }] }] });
      const whole = createMemoryArtifactStore();
      const llm = createAnthropicClient({ apiKey: server.apiKey, baseURL: server.url });
      const artifacts = { ...whole, get: FAULTS[how] as ArtifactStore["get"] };
      const { outcome, events } = await createTestAgent([], { llm, artifacts, model: DEFAULT_ANTHROPIC_MODEL }).talk(
        "Hi",
        PICTURE,
      );
      await server.close();
      expect(outcome).toMatchObject({
        status: "failed",
        error: { kind: "agent", code: "host_callback", message: expect.stringContaining("artifact store") },
      });
      expect(events.some(({ type }) => type === "retry")).toBe(false);
    },
  );

  it("is told once in a run, however often it fails", async () => {
    const { outcome } = await createTestAgent([{ text: "ok" }], { onEvent: FAULTS.throws }).talk("Hi");
    expect(outcome.warnings.filter(({ code }) => code === "host_callback")).toHaveLength(1);
  });

  it("keeps its own error where it gives one with a kind", async () => {
    const authorize = (): never => {
      throw new AgentError({ kind: "invalid", code: "expired", message: "Sign in again." });
    };
    const { outcome } = await createTestAgent([], { authorize }).talk("Hi");
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "invalid", code: "expired" } });
  });
});

/** What a program without types may hand in. */
const wrong = <T>(value: unknown): T => value as T;
const boom = (): never => {
  throw new TypeError("boom");
};
const NO_TEXT = (): never => {
  throw Object.create(null);
};

describe("a mistake of the host", () => {
  it.each<[string, Partial<AgentExecutorOptions>, string]>([
    ["prompt.system gives null", { prompt: { ...PROMPT, system: wrong(async () => null) } }, "list of sections"],
    ["prompt.system gives no text", { prompt: { ...PROMPT, system: wrong(async () => [{ text: 5 }]) } }, "sections"],
    ["prompt.state gives null", { prompt: { ...PROMPT, state: wrong(async () => null) } }, "a text"],
    ["guard gives nothing", { guard: wrong(async () => undefined) }, "allow"],
    ["guard throws what has no text", { guard: NO_TEXT }, "cannot be read"],
    ["ids throws", { ids: { next: boom } }, "ids.*boom"],
    ["ids gives numbers", { ids: { next: wrong(() => 5) } }, "ids.*text"],
    ["clock.now throws", { clock: { ...systemClock, now: boom } }, "clock.*boom"],
    ["clock.now gives NaN", { clock: { ...systemClock, now: () => Number.NaN } }, "clock.*number"],
    ["clock.sleep rejects", { clock: { ...systemClock, sleep: async () => boom() } }, "clock.*boom"],
    ["secrets gives null", { secrets: wrong(() => null) }, "list of strings"],
    ["secrets throws", { secrets: boom }, "secrets.*boom"],
    ["secrets gives numbers", { secrets: wrong(() => ["hunter2", 5]) }, "list of strings"],
    ["secrets is async", { secrets: wrong(async () => ["hunter2"]) }, "not be async"],
    [
      "the session store opens nothing",
      { sessions: { ...createMemorySessionStore(), open: wrong(async () => null) } },
      "opened nothing",
    ],
    [
      "the ledger rejects",
      { budget: { ledger: wrong({ reserve: async () => boom(), state: boom, takePassed: () => [] }) }, ...free() },
      "ledger.*boom",
    ],
  ])("%s: the run fails as host_callback, with words", async (_, options, words) => {
    const agent = createTestAgent(() => ({ text: "ok", stall: "clock" in options }), options);
    const { outcome } = await agent.talk("Hi");
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "agent", code: "host_callback" } });
    if (outcome.status === "failed") expect(outcome.error.message).toMatch(new RegExp(words));
    expect(agent.executor.activeRun("s1")).toBeUndefined();
  });

  it.each([1, 2])("secrets that fail from question %i on keep everything from the model", async (last) => {
    const key = "sk-verysecret-0123456789";
    let [answers, said] = [0, ""];
    const secrets = (): readonly string[] => {
      if (said === "go" || last === 1) throw new Error("the vault is closed");
      return [];
    };
    const look = testTool("look", async () => {
      said = "go";
      return `the key is ${key}`;
    });
    const script = () => {
      answers += 1;
      return answers === 1 ? { toolCalls: [{ name: "look" }] } : { text: "ok" };
    };
    const agent = createTestAgent(script, { secrets, tools: [look] });
    const { outcome, events } = await agent.talk(last === 1 ? `My key is ${key}` : "Hi");
    expect(outcome).toMatchObject({ status: "failed", error: { code: "host_callback" } });
    expect(answers).toBe(last - 1);
    expect(JSON.stringify(agent.llm.requests)).not.toContain(key);
    if (last === 1) expect(JSON.stringify([events, await agent.options.sessions.read("s1")])).not.toContain(key);
  });

  it("a fixed list of secrets that is none, and a message that is no text, are bad options", async () => {
    const create = (): unknown => createTestAgent([], { secrets: wrong([undefined]) });
    expect(create).toThrowError(expect.objectContaining({ code: "bad_options" }));
    const { outcome } = await createTestAgent([]).talk(wrong(5));
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "invalid", code: "bad_options" } });
  });

  it("onEvent that throws what has no text is only told", async () => {
    const { outcome } = await createTestAgent([{ text: "ok" }], { onEvent: NO_TEXT }).talk("Hi");
    expect(outcome).toMatchObject({ status: "finished", warnings: [{ code: "host_callback" }] });
  });

  it.each<[string, Partial<Tool>, string]>([
    ["approval gives nothing", { approval: wrong(() => undefined) }, "denied"],
    ["approval gives true", { approval: wrong(() => true) }, "denied"],
    [
      "approval expires at NaN",
      { approval: () => ({ decision: "ask", prompt: "?", expiresInMs: Number.NaN }) },
      "denied",
    ],
    ["the key is async and rejects", { concurrency: { key: wrong(async () => boom()) } }, "ok"],
    ["the schema throws what has no text", { schema: wrong({ "~standard": { validate: NO_TEXT } }) }, "invalid_args"],
    ["the output schema throws what has no text", { output: wrong({ "~standard": { validate: NO_TEXT } }) }, "ok"],
    ["its images are none", { execute: () => ({ data: 1, text: "x", images: [null] }) }, "error"],
  ])("in a tool, %s: the model reads it, and the run goes on", async (_, parts, expected) => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown): unknown => unhandled.push(reason);
    process.on("unhandledRejection", hear);
    const tools = [testTool("act", async () => "done", parts)];
    const { outcome, events } = await createTestAgent([{ toolCalls: [{ name: "act" }] }, { text: "ok" }], {
      tools,
    }).talk("Hi");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", hear);
    expect(outcome).toMatchObject({ status: "finished", text: "ok" });
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ result: { outcome: expected } });
    expect(unhandled).toEqual([]);
  });

  it("an approval that expires in an endless time does not expire", async () => {
    const approval: Tool["approval"] = () => ({ decision: "ask", prompt: "?", expiresInMs: Number.POSITIVE_INFINITY });
    const tools = [testTool("act", async () => "done", { approval })];
    const { outcome } = await createTestAgent([{ toolCalls: [{ name: "act" }] }], { tools }).talk("Hi");
    expect(outcome).toMatchObject({ status: "paused", pause: { prompt: "?" } });
    if (outcome.status === "paused") expect(outcome.pause.expiresAt).toBeUndefined();
  });

  it.each(["append", "close"] as const)("a session store whose %s hangs holds nobody for ever", async (method) => {
    const clock = createFakeClock();
    const whole = createMemorySessionStore();
    const hang = Promise.withResolvers<void>();
    const hung = Promise.withResolvers<void>();
    const open: SessionStore["open"] = async (id) => ({
      ...(await whole.open(id)),
      [method]: () => {
        hung.resolve();
        return hang.promise;
      },
    });
    const agent = createTestAgent([{ text: "ok" }], { clock, sessions: { ...whole, open } });
    const run = agent.executor.execute({ sessionId: "s1", text: "Hi", principal: { userId: "ada" } });
    await hung.promise;
    const closed = agent.executor.close();
    while (clock.sleepers === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(10_000);
    await closed;
    const { warnings } = await run.outcome;
    expect(warnings).toContainEqual(expect.objectContaining({ message: expect.stringContaining("does not answer") }));
  });
});

/** A model that costs nothing, under a ledger. */
function free(): Pick<AgentExecutorOptions, "llm"> {
  return { llm: scriptedModel([{ text: "ok" }], { price: "free" }) };
}

const summarize = async () => ({
  text: "Before.",
  usage: {
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: false,
  },
});

function registry(failing: Failing) {
  const whole = createArtifactRegistry();
  return { ...whole, register: failing(whole.register) };
}

function store(failing: Failing): ArtifactStore {
  const whole = createMemoryArtifactStore();
  return { ...whole, put: failing(whole.put) };
}

function sessions(method: "open" | "append" | "close", failing: Failing): SessionStore {
  const whole = createMemorySessionStore();
  const open: SessionStore["open"] = async (id) => {
    const session = await whole.open(id);
    const close = async (): Promise<void> => {
      await session.close();
      if (method === "close") await failing(async () => undefined)();
    };
    return { ...session, append: method === "append" ? failing(session.append) : session.append, close };
  };
  return { ...whole, open: method === "open" ? failing(open) : open };
}

/** A dollar a million each way; the first call uses more than half of the day. */
function paid(onWarning: () => void, scopesOf?: () => readonly string[]): Partial<AgentExecutorOptions> {
  const ledger = createBudgetLedger({
    limits: { day: 1_000_000 },
    timeZone: "UTC",
    clock: systemClock,
    store: createMemoryLedgerStore(),
    onWarning,
  });
  const tiers = [{ aboveInputTokens: 0, input: 1, output: 1, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 }];
  const script = (_: unknown, number: number): ScriptStep => ({
    text: "ok",
    usage: { inputTokens: number === 1 ? 600_000 : 1 },
  });
  return {
    llm: scriptedModel(script, { price: { tiers, asOf: "2026-01-01" } }),
    budget: { ledger, ...(scopesOf && { scopesOf }) },
  };
}

function wordy(number: number): ScriptStep {
  return { text: `${number}: ${"word ".repeat(200)}` };
}

/** A window that is full after a few messages. */
function tight(context: AgentExecutorOptions["context"]): Partial<AgentExecutorOptions> {
  const llm = scriptedModel(
    ({ messages }, number) => ({
      ...wordy(number),
      usage: { inputTokens: Math.ceil(JSON.stringify(messages).length / 4) },
    }),
    { contextWindow: 3_000, maxOutput: 500 },
  );
  return { llm, context };
}
