// a folder and a number → an agent at work that dies at its n-th line
import { appendFileSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgentExecutor } from "../agent/executor.ts";
import type { AgentExecutorOptions } from "../agent/options.ts";
import { createMemoryArtifactStore } from "../artifacts/memory-artifact-store.ts";
import { createFileSessionStore } from "../session/file-session-store.ts";
import type { SessionStore } from "../session/session-store.ts";
import { encodeEntry } from "../session/transcript.ts";
import type { Tool } from "../tools/tool.ts";
import { randomIds, systemClock } from "../types/clock.ts";
import type { PauseRecord } from "../types/message.ts";
import { type ScriptStep, scriptedModel } from "./scripted-model.ts";

export const CRASH_SESSION = "s1";
export const CRASH_PRINCIPAL = { userId: "ada" } as const;
const STEPS_PER_MESSAGE = 10;
const MESSAGES = 4;

/** What the tools did, one line each: kind, call, key. */
export function effectsPath(folder: string): string {
  return join(folder, "effects.log");
}

/** Ids of the lines that the agent was told are written. */
export function writtenPath(folder: string): string {
  return join(folder, "written.log");
}

/** Tools that leave a mark in the folder each time they run. */
export function createMarkingTools(folder: string): readonly Tool[] {
  const tool = (name: string, parts: Partial<Tool>): Tool => ({
    name,
    description: name,
    parameters: { type: "object" },
    execute: async (_, { callId, idempotencyKey }) => {
      appendFileSync(effectsPath(folder), `${name} ${callId} ${idempotencyKey}\n`);
      return `${name} done`;
    },
    ...parts,
  });
  return [
    tool("act", {}),
    tool("look", { annotations: { readOnly: true } }),
    tool("put", { annotations: { idempotent: true } }),
    tool("unlock", { approval: "always" }),
  ];
}

/** The agent of the suite, before and after the crash. */
export function createCrashAgent(
  folder: string,
  script: Parameters<typeof scriptedModel>[0],
  parts: Partial<AgentExecutorOptions> = {},
): { readonly options: AgentExecutorOptions; readonly llm: ReturnType<typeof scriptedModel> } {
  const llm = scriptedModel(script);
  const options: AgentExecutorOptions = {
    llm,
    model: "scripted-1",
    tools: createMarkingTools(folder),
    sessions: createFileSessionStore({ folder: join(folder, "sessions"), owner: "crash suite" }),
    artifacts: createMemoryArtifactStore(),
    prompt: { system: async () => [], state: async () => "" },
    clock: systemClock,
    ids: randomIds,
    stop: { maxIterations: 50 },
    ...parts,
  };
  return { options, llm };
}

/** Forty steps: nine with calls and one with words, four times; the fifth of each asks a person. */
function stepOf(number: number): ScriptStep {
  const place = (number - 1) % STEPS_PER_MESSAGE;
  const args = { number };
  if (place === STEPS_PER_MESSAGE - 1) return { text: `Done ${number}` };
  if (place === 4)
    return {
      toolCalls: [
        { name: "unlock", args },
        { name: "look", args },
      ],
    };
  return { text: `Step ${number}`, toolCalls: [{ name: ["act", "look", "put"][place % 3] ?? "act", args }] };
}

/** Dies instead of writing line number `at`, or in the middle of it. */
function dieAt(sessions: SessionStore, folder: string, at: number, torn: boolean): SessionStore {
  let count = 0;
  return {
    ...sessions,
    open: async (id) => {
      const session = await sessions.open(id);
      const append: typeof session.append = async (entry, options) => {
        count += 1;
        if (count === at) {
          const half = Buffer.from(encodeEntry(entry));
          if (torn)
            writeSync(openSync(join(folder, "sessions", `${id}.jsonl`), "a"), half.subarray(0, half.length / 2));
          process.kill(process.pid, "SIGKILL");
        }
        await session.append(entry, options);
        appendFileSync(writtenPath(folder), `${entry.id}\n`);
      };
      return new Proxy(session, {
        get: (target, key) => {
          if (key === "append") return append;
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
  };
}

async function work(folder: string, at: number, torn: boolean): Promise<void> {
  const { options } = createCrashAgent(folder, (_, number) => stepOf(number));
  const executor = createAgentExecutor({ ...options, sessions: dieAt(options.sessions, folder, at, torn) });
  for (let number = 1; number <= MESSAGES; number++) {
    const input = { sessionId: CRASH_SESSION, text: `Message ${number}`, principal: CRASH_PRINCIPAL };
    let outcome = await executor.execute(input).outcome;
    while (outcome.status === "paused") {
      const { id, token }: PauseRecord = outcome.pause;
      outcome = await executor.resume(id, { token, kind: "approve" }, { principal: CRASH_PRINCIPAL }).outcome;
    }
  }
}

const [, script, folder, at, mode] = process.argv;
if (script === fileURLToPath(import.meta.url) && folder) await work(folder, Number(at), mode === "torn");
