// node examples/remote-tools.ts → an agent whose tools run in a second process: a crash or a leak there leaves the agent alone
import { type ChildProcess, fork } from "node:child_process";
import {
  type BatchHooks,
  createAgent,
  createMemoryArtifactStore,
  createToolExecutor,
  createToolRegistry,
  defineTool,
  type LanguageModel,
  systemClock,
  type ToolExecutor,
  type ToolRun,
} from "@vision-agent/agent-core";
import { anthropic } from "@vision-agent/agent-core/anthropic";
import { z } from "zod";

const tools = [
  defineTool({
    name: "which_process",
    description: "The number of the process that this tool runs in.",
    parameters: z.object({}),
    execute: () => process.pid,
  }),
  defineTool({
    name: "count_slowly",
    description: "Counts up, one number a second.",
    parameters: z.object({ to: z.int() }),
    async execute({ to }, { progress, signal }) {
      for (let at = 1; at <= to; at += 1) {
        progress(`at ${at}`, at / to);
        await systemClock.sleep(1_000, signal);
      }
      return "done";
    },
  }),
];

type Method = keyof ToolExecutor;
type RemoteRun = Omit<ToolRun, "signal" | "allowed" | "retryBudget" | "pay"> & { readonly denied: readonly string[] };
type ToHost =
  | { type: "call"; id: number; method: Method; args: unknown[]; run: RemoteRun; approved: string[] }
  | { type: "abort"; id: number }
  /** A hook that was waited for is done. */
  | { type: "heard"; ticket: number; error?: string };
type ToAgent =
  | { type: "hook"; id: number; hook: keyof BatchHooks; args: never[]; ticket: number }
  | { type: "end"; id: number; value?: unknown; error?: string };

/** The agent's side. Results come as they would from this process; rejects when the other one ends. */
export function connectToolHost(host: ChildProcess): ToolExecutor {
  const waiting = new Map<number, { hooks?: BatchHooks; end: PromiseWithResolvers<never> }>();
  let calls = 0;
  const send = (message: ToHost): void => void (host.connected && host.send(message));
  const hear = async ({ hook, args, id, ticket }: Extract<ToAgent, { type: "hook" }>): Promise<void> => {
    try {
      await (waiting.get(id)?.hooks?.[hook] as ((...given: never[]) => unknown) | undefined)?.(...args);
      send({ type: "heard", ticket });
    } catch (thrown) {
      send({ type: "heard", ticket, error: String(thrown) });
    }
  };
  host.on("message", (message: ToAgent) => {
    if (message.type === "hook") return void hear(message);
    const { end } = waiting.get(message.id) ?? {};
    if (message.error === undefined) end?.resolve(message.value as never);
    else end?.reject(new Error(message.error));
  });
  host.once("exit", () => {
    for (const { end } of waiting.values()) end.reject(new Error("The process with the tools ended."));
  });
  const ask = async (
    method: Method,
    args: unknown[],
    { signal, allowed, retryBudget: _, pay: __, ...run }: ToolRun,
    hooks?: BatchHooks,
    approved: ReadonlySet<string> = new Set(),
  ): Promise<never> => {
    if (!host.connected) throw new Error("The process with the tools has ended.");
    calls += 1;
    const id = calls;
    const end = Promise.withResolvers<never>();
    waiting.set(id, { ...(hooks && { hooks }), end });
    const denied = tools.map(({ name }) => name).filter((name) => allowed?.(name) === false);
    const abort = (): void => send({ type: "abort", id });
    signal.addEventListener("abort", abort);
    send({ type: "call", id, method, args, run: { ...run, denied }, approved: [...approved] });
    try {
      return await end.promise;
    } finally {
      signal.removeEventListener("abort", abort);
      waiting.delete(id);
    }
  };
  return {
    executeTool: (call, run) => ask("executeTool", [call], run),
    executeBatch: (batch, run, hooks, approved) => ask("executeBatch", [batch], run, hooks, approved),
    settleInterrupted: (intent, call, run, hooks) => ask("settleInterrupted", [intent, call], run, hooks),
  };
}

/** The other side: runs what it is told until the agent's process ends. */
function serveTools(executor: ToolExecutor): void {
  const aborts = new Map<number, AbortController>();
  const tickets = new Map<number, PromiseWithResolvers<void>>();
  let given = 0;
  const send = (message: ToAgent): void => void process.send?.(message);
  const tell = (id: number, hook: keyof BatchHooks, args: unknown[]): Promise<void> => {
    given += 1;
    send({ type: "hook", id, hook, args: args as never[], ticket: given });
    // The others are only told.
    if (hook !== "onIntent" && hook !== "onResult") return Promise.resolve();
    const heard = Promise.withResolvers<void>();
    tickets.set(given, heard);
    return heard.promise;
  };
  const call = async ({ id, method, args, run, approved }: Extract<ToHost, { type: "call" }>): Promise<unknown> => {
    const abort = new AbortController();
    aborts.set(id, abort);
    const toolRun: ToolRun = { ...run, signal: abort.signal, allowed: (name) => !run.denied.includes(name) };
    const hooks = new Proxy({} as BatchHooks, {
      get:
        (_, hook) =>
        (...more: unknown[]) =>
          tell(id, hook as keyof BatchHooks, more),
    });
    try {
      const start = executor[method] as (...all: unknown[]) => Promise<unknown>;
      return await start(...args, toolRun, hooks, new Set(approved));
    } finally {
      aborts.delete(id);
    }
  };
  process.on("message", (message: ToHost) => {
    if (message.type === "abort") return aborts.get(message.id)?.abort();
    if (message.type === "heard") {
      const heard = tickets.get(message.ticket);
      tickets.delete(message.ticket);
      return message.error === undefined ? heard?.resolve() : heard?.reject(new Error(message.error));
    }
    const { id } = message;
    call(message).then(
      (value) => send({ type: "end", id, value }),
      (thrown: unknown) => send({ type: "end", id, error: String(thrown) }),
    );
  });
  process.once("disconnect", () => process.exit());
}

/** Starts the second process; stop it with `kill()`. */
export const startToolHost = (): ChildProcess => fork(import.meta.filename, ["--tools"], { serialization: "advanced" });

/** An agent of this process with the tools of that one. */
export function createRemoteAgent(model: LanguageModel, host: ChildProcess) {
  return createAgent({ model, tools, toolExecutor: connectToolHost(host), instructions: "Use your tools." });
}

if (import.meta.main && process.argv.includes("--tools")) {
  // Pictures and long results would need a store that both processes share, such as `createFileArtifactStore`.
  serveTools(
    createToolExecutor({
      registry: createToolRegistry(tools),
      artifacts: createMemoryArtifactStore(),
      clock: systemClock,
    }),
  );
} else if (import.meta.main) {
  const host = startToolHost();
  const { text } = await createRemoteAgent(anthropic(), host).run("Which process do your tools run in?");
  console.log(`${text} (the agent is process ${process.pid})`);
  host.kill();
}
