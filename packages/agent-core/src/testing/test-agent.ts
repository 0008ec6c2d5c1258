// a script → an agent around it, everything in memory, time standing still
import { type AgentExecutor, createAgentExecutor } from "../agent/executor.ts";
import type { AgentExecutorOptions, ExecuteInput } from "../agent/options.ts";
import type { RunHandle } from "../agent/run.ts";
import { createMemoryArtifactStore } from "../artifacts/memory-artifact-store.ts";
import { createMemorySessionStore } from "../session/memory-session-store.ts";
import type { Tool } from "../tools/tool.ts";
import type { Clock } from "../types/clock.ts";
import type { AgentEvent, ExecutionOutcome } from "../types/events.ts";
import { createCountingIds } from "./counting-ids.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { type ScriptedModel, scriptedModel } from "./scripted-model.ts";

/** An agent with a scripted model, in memory, with time standing still. */
export interface TestAgent<C extends Clock = Clock> {
  readonly executor: AgentExecutor;
  /** Knows everything it was asked. */
  readonly llm: ScriptedModel;
  readonly options: AgentExecutorOptions;
  /** Stands still until the test says `advance`. A retry waits for it: first `untilEvent(run, "retry")`, then `advance`. */
  readonly clock: C;
  /** One message to its end, in session `s1` unless told otherwise. */
  talk(text: string, parts?: Partial<ExecuteInput>): Promise<Talk>;
}

/** A run that has ended. */
export interface Talk {
  readonly run: RunHandle;
  readonly events: readonly AgentEvent[];
  readonly outcome: ExecutionOutcome;
}

/** An agent whose model says what the script says. `parts` replaces any of its options; without a clock it gets a fake one. */
export function createTestAgent<C extends Clock = FakeClock>(
  script: Parameters<typeof scriptedModel>[0],
  parts: Partial<Omit<AgentExecutorOptions, "clock">> & { readonly clock?: C } = {},
): TestAgent<C> {
  const llm = scriptedModel(script);
  // Where no clock is given, C is that of the fake one.
  const clock = parts.clock ?? (createFakeClock() as Clock as C);
  const options: AgentExecutorOptions = {
    llm,
    model: "scripted-1",
    tools: [],
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    prompt: { system: async () => [{ id: "who", text: "Be brief.", stability: "static" }], state: async () => "" },
    clock,
    ids: createCountingIds(),
    ...parts,
  };
  const executor = createAgentExecutor(options);
  return {
    executor,
    llm,
    options,
    clock,
    async talk(text, more) {
      const run = executor.execute(testMessage(text, more));
      const events = await collectEvents(run);
      return { run, events, outcome: await run.outcome };
    },
  };
}

/** A message of Ada's in session `s1`. */
export function testMessage(text: string, parts: Partial<ExecuteInput> = {}): ExecuteInput {
  return { sessionId: "s1", text, principal: { userId: "ada" }, ...parts };
}

/** A tool that takes anything. */
export function testTool(name: string, execute: Tool["execute"], parts: Partial<Tool> = {}): Tool {
  return { name, description: name, parameters: { type: "object" }, execute, ...parts };
}

/** Every event to the end. */
export async function collectEvents(run: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** Resolves with the first event of this type; undefined when the run ended without one. */
export async function untilEvent<Type extends AgentEvent["type"]>(
  run: RunHandle,
  type: Type,
): Promise<Extract<AgentEvent, { type: Type }> | undefined> {
  for await (const event of run.events()) {
    if (event.type === type) return event as Extract<AgentEvent, { type: Type }>;
  }
  return undefined;
}
