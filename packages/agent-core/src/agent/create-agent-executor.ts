// execute → one run per session; ended runs stay readable for a while
import { createToolExecutor } from "../tools/tool-executor.ts";
import { createToolRegistry } from "../tools/tool-registry.ts";
import { AgentError } from "../types/errors.ts";
import type { AgentExecutor, ExecuteInput, RunHandle } from "./agent-executor.ts";
import { AgentRun } from "./agent-run.ts";
import type { AgentExecutorOptions } from "./executor-options.ts";
import { RunJournal } from "./run-journal.ts";

const KEEP_RUNS = 50;

/** AF-29: the loop. Starts nothing until `execute`. Throws `AgentError` code `bad_tool` as `createToolRegistry` does. */
export function createAgentExecutor(options: AgentExecutorOptions): AgentExecutor {
  const { tools, artifacts, clock, ids } = options;
  const registry = "listTools" in tools ? tools : createToolRegistry(tools);
  const executor = createToolExecutor({ registry, artifacts, clock });
  const runs = new Map<string, RunHandle>();
  const busy = new Map<string, RunHandle>();
  const ended: string[] = [];
  let closed = false;

  const whyNot = (sessionId: string): AgentError | undefined => {
    if (closed) return new AgentError({ kind: "invalid", code: "closed", message: "The agent has been shut down." });
    if (!busy.has(sessionId)) return undefined;
    const message = `The session "${sessionId}" is busy with another run. Wait for it, steer it, or cancel it.`;
    return new AgentError({ kind: "invalid", code: "session_busy", message });
  };

  const retire = (runId: string, sessionId: string): void => {
    if (busy.get(sessionId)?.runId === runId) busy.delete(sessionId);
    ended.push(runId);
    while (ended.length > (options.keepRuns ?? KEEP_RUNS)) runs.delete(ended.shift() ?? "");
  };

  return {
    execute(input: ExecuteInput): RunHandle {
      const { sessionId } = input;
      const blockedBy = whyNot(sessionId);
      const journal = new RunJournal({ runId: ids.next("run"), sessionId, clock, ids });
      const run = new AgentRun({
        input,
        options,
        registry,
        executor,
        journal,
        ...(blockedBy ? { blockedBy } : {}),
        onRelease: () => retire(journal.runId, sessionId),
      });
      runs.set(run.runId, run);
      if (!blockedBy) busy.set(sessionId, run);
      return run;
    },
    attach: (runId) => runs.get(runId),
    activeRun: (sessionId) => busy.get(sessionId),
    async close() {
      closed = true;
      await Promise.all([...busy.values()].map((run) => run.cancel("Shutting down.")));
    },
  };
}
