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
} from "./index.ts";
import { startAnthropicLoopback } from "./testing/anthropic-loopback.ts";
import { createTestAgent, PNG_1X1, type ScriptStep, scriptedModel, testTool } from "./testing.ts";

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
  { name: "stop.custom", ends: FAILED, options: (failing) => ({ stop: { custom: [failing(() => undefined)] } }) },
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

const PROMPT = { system: async () => [], state: async () => "" };
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
