// execute, resume → one run per session; ended runs stay readable for a while
import { createCharCounter } from "../context/token-counter.ts";
import { createRedactor } from "../observability/redact.ts";
import { createToolExecutor } from "../tools/tool-executor.ts";
import { createToolRegistry } from "../tools/tool-registry.ts";
import { AgentError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { PauseRecord } from "../types/pause.ts";
import type { AgentExecutor, RunHandle } from "./agent-executor.ts";
import { AgentRun, type AgentRunOptions } from "./agent-run.ts";
import { createArtifactRefs } from "./artifact-refs.ts";
import { beginMessage } from "./begin-message.ts";
import { beginResume, type PauseEnd } from "./begin-resume.ts";
import { CallGate } from "./call-gate.ts";
import type { AgentExecutorOptions } from "./executor-options.ts";
import { pendingPauses } from "./open-calls.ts";
import { sessionOfPause } from "./pause-run.ts";
import { recoverSessions } from "./recover-sessions.ts";
import { RunJournal } from "./run-journal.ts";
import type { AgentParts } from "./run-scope.ts";
import { RunShelf } from "./run-shelf.ts";

/** AF-29: the loop. Starts nothing until `execute`. Throws `AgentError` code `bad_tool` as `createToolRegistry` does. */
export function createAgentExecutor(options: AgentExecutorOptions): AgentExecutor {
  const { tools, artifacts, sessions, clock, ids } = options;
  const registry = "listTools" in tools ? tools : createToolRegistry(tools);
  const redactor = options.redactor ?? createRedactor();
  const agent: AgentParts = {
    options,
    registry,
    executor: createToolExecutor({ registry, artifacts, clock, redactor, ...graceOf(options) }),
    gate: new CallGate(options.budget),
    refs: createArtifactRefs(artifacts),
    counter: options.context?.counter ?? createCharCounter(),
    redactor,
  };
  const shelf = new RunShelf(options.keepRuns);

  const start = (
    sessionId: string,
    given: Pick<AgentRunOptions, "task" | "trigger" | "begin"> & { readonly signal?: AbortSignal | undefined },
  ): RunHandle => {
    const { signal, ...how } = given;
    const blockedBy = shelf.whyNot(sessionId);
    const journal = new RunJournal({
      runId: ids.next("run"),
      sessionId,
      clock,
      ids,
      onEvent: options.onEvent,
      redactor: agent.redactor,
    });
    const run = new AgentRun({
      ...how,
      agent,
      journal,
      ...(signal ? { signal } : {}),
      ...(blockedBy ? { blockedBy } : {}),
      onRelease: () => shelf.retire(journal.runId, sessionId),
    });
    shelf.add(run, blockedBy === undefined);
    return run;
  };

  const endPause = (pauseId: string, end: PauseEnd, signal?: AbortSignal): RunHandle =>
    start(sessionOfPause(pauseId), {
      task: `answer to ${pauseId}`,
      trigger: "resume",
      signal,
      begin: (parts) => beginResume(pauseId, end, parts),
    });

  const listPaused = async (sessionId?: string): Promise<readonly PauseRecord[]> => {
    const wanted = sessionId === undefined ? (await sessions.list()).map(({ id }) => id) : [sessionId];
    const found: PauseRecord[] = [];
    for (const id of wanted) found.push(...pendingPauses(await sessions.read(id)));
    return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  };

  return {
    execute(input) {
      const { sessionId, dedupeKey } = input;
      const same = dedupeKey === undefined ? undefined : shelf.find(sessionId, dedupeKey);
      if (same) return same;
      const run = start(sessionId, {
        task: input.text,
        trigger: triggerOf(input.origin),
        signal: input.signal,
        begin: (parts) => beginMessage(input, parts),
      });
      if (dedupeKey !== undefined) shelf.name(run, dedupeKey);
      return run;
    },
    resume: (pauseId, resolution, how) => endPause(pauseId, { kind: "answered", resolution, options: how }, how.signal),
    async expirePaused() {
      const late = (await listPaused()).filter(({ expiresAt }) => expiresAt && Date.parse(expiresAt) <= clock.now());
      return late
        .filter(({ sessionId }, index) => late.findIndex((other) => other.sessionId === sessionId) === index)
        .filter(({ sessionId }) => !shelf.activeRun(sessionId))
        .map(({ id }) => endPause(id, { kind: "expired" }));
    },
    listPaused: (filter) => listPaused(filter?.sessionId),
    recover: () => recoverSessions(agent),
    attach: (runId) => shelf.get(runId),
    activeRun: (sessionId) => shelf.activeRun(sessionId),
    async close({ graceMs = 0 } = {}) {
      shelf.close();
      const runs = shelf.active();
      if (graceMs > 0 && runs.length > 0) await waitFor(runs, graceMs, options);
      await Promise.all(runs.map((run) => run.cancel("Shutting down.")));
    },
  };
}

/** Until all have ended, or the time is up. Leaves no timer behind. */
async function waitFor(runs: readonly RunHandle[], graceMs: number, { clock }: AgentExecutorOptions): Promise<void> {
  const done = new AbortController();
  const ended = Promise.all(runs.map(({ outcome }) => outcome));
  const patience = clock.sleep(graceMs, done.signal).catch((thrown: unknown) => {
    if (!(thrown instanceof AgentError && thrown.kind === "cancelled")) throw thrown;
  });
  await Promise.race([ended, patience]);
  done.abort();
}

function graceOf({ toolGraceMs }: AgentExecutorOptions): { readonly graceMs?: number } {
  return toolGraceMs === undefined ? {} : { graceMs: toolGraceMs };
}

function triggerOf(origin: Message["origin"] | undefined): "message" | "job" | "heartbeat" {
  return origin === "job" || origin === "heartbeat" ? origin : "message";
}
