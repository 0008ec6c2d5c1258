// execute, resume → one run per session; ended runs stay readable for a while
import type { ArtifactScope } from "../artifacts/artifact-store.ts";
import type { KeepBytes } from "../artifacts/take-bytes.ts";
import { INPUT_IMAGE_NAMESPACE } from "../artifacts/vision-input.ts";
import { createCharCounter } from "../context/token-counter.ts";
import { hideAnswers } from "../llm/hide-answers.ts";
import { createRedactor } from "../observability/redact.ts";
import { createSecretTokens, NO_SECRETS } from "../observability/secret-tokens.ts";
import { createToolExecutor } from "../tools/tool-executor.ts";
import { createToolRegistry } from "../tools/tool-registry.ts";
import { type IdSource, randomIds, waitAtMost } from "../types/clock.ts";
import { type AgentError, toAgentError } from "../types/errors.ts";
import type { AgentEvent } from "../types/events.ts";
import { tellListener } from "../types/listener.ts";
import type { PauseRecord, Principal, Resolution, VisionContextItem } from "../types/message.ts";
import { ArtifactRefs } from "./artifact-refs.ts";
import { toAwaitedRun } from "./awaited-run.ts";
import { type AgentHost, beginMessage, toForbidden } from "./begin.ts";
import { checkExecutorOptions, findInputProblem, findResumeProblem } from "./executor-options.ts";
import { DEFAULT_FLUSH_MS, type FlushReport, SessionFlusher } from "./flush.ts";
import {
  createHostReport,
  type HostReport,
  toRegister,
  withCheckedSecrets,
  withFallbackClock,
  withNamedFailures,
} from "./host-callbacks.ts";
import { RunJournal } from "./journal.ts";
import type { AgentExecutorOptions, ExecuteInput, ResumeOptions } from "./options.ts";
import { pendingPauses, sessionOfPause } from "./pause.ts";
import { type RecoveryReport, recoverSessions } from "./recover.ts";
import { replayRun } from "./replay.ts";
import { beginResume, modelOfPaused, type PauseEnd } from "./resume.ts";
import { AgentRun, type AgentRunOptions, type RunHandle } from "./run.ts";
import { keyOf, RunRegistry } from "./run-registry.ts";
import { OutputGate } from "./structured-output.ts";
import { RunEnvironment, RunTools } from "./tools.ts";

/** Where files are kept that a person pasted and that are no pictures. */
const INPUT_FILE_NAMESPACE = "input_file";

/** AF-29: the loop behind every delivery: streamed, in the background, scheduled (SC-1). */
export type AgentExecutor = ReturnType<typeof createAgentExecutor>;

/** AF-29: the loop. Starts nothing until `execute`. Throws `AgentError` code `bad_tool` as `createToolRegistry` does, `bad_options` for a bad stop policy. */
export function createAgentExecutor(given: AgentExecutorOptions) {
  checkExecutorOptions(given);
  const clock = withFallbackClock(given.clock);
  const checked = withCheckedSecrets(given.secrets ?? []);
  const named = withNamedFailures({ ...given, clock });
  const { tools, artifacts, sessions, ids, model, onEvent, authorize } = named;
  const registry = "listTools" in tools ? tools : createToolRegistry(tools);
  // Secrets are hidden by their place, before that.
  const redactor = createRedactor();
  const secrets = given.secrets
    ? createSecretTokens({ secrets: checked.secrets, key: () => sessions.secret() })
    : NO_SECRETS;
  const options = { ...named, llm: hideAnswers(named.llm, secrets, checked.whyNot) };
  const host: AgentHost = {
    options,
    registry,
    executor: options.toolExecutor ?? createToolExecutor({ registry, artifacts, clock, secrets }),
    secrets,
    refs: new ArtifactRefs(artifacts),
    counter: options.context?.counter ?? createCharCounter(),
  };
  const runs = new RunRegistry(options.keepRuns);
  const timeoutMs = options.context?.flushTimeoutMs ?? DEFAULT_FLUSH_MS;
  const flusher = new SessionFlusher({ flush: options.flush, sessions, clock, ids, timeoutMs });
  const resumeListeners = new Set<(pauseId: string, run: RunHandle) => void>();
  let closing: Promise<FlushReport> | undefined;

  /** Throws `AgentError` code `host_callback` for what a run cannot do without. */
  const openHost = async (): Promise<void> => {
    const failure = clock.takeFailure();
    if (failure) throw failure;
    await secrets.open();
  };

  const keepBytes =
    (scope: ArtifactScope, report: HostReport): KeepBytes =>
    async (bytes, mimeType) => {
      const namespace = mimeType.startsWith("image/") ? INPUT_IMAGE_NAMESPACE : INPUT_FILE_NAMESPACE;
      const ref = await artifacts.put(bytes, { mimeType, namespace, scope });
      host.refs.add(ref);
      toRegister(options.artifactRegistry, report)(ref, { reason: "input", ...scope });
      return ref;
    };

  const openJournal = (runId: string, scope: ArtifactScope & { readonly sessionId: string }, tell?: typeof onEvent) => {
    const report = createHostReport((code, message) => journal.warn(code, message));
    const hear = (event: AgentEvent): void =>
      tellListener(
        () => tell?.(event),
        (thrown) => report("onEvent", thrown),
      );
    const leaving = { onEvent: hear, redactor, secrets, keepBytes: keepBytes(scope, report) };
    const journal: RunJournal = new RunJournal({ runId, sessionId: scope.sessionId, clock, ids, ...leaving });
    return { journal, report };
  };

  const start = (
    sessionId: string,
    task: string,
    trigger: AgentRunOptions["started"]["trigger"],
    how: Pick<AgentRunOptions, "begin" | "signal" | "model" | "blockedBy"> & { readonly userId: string | undefined },
  ): RunHandle => {
    const [runId, noId] = newRunId(ids);
    const unsafe = checked.whyNot();
    const blockedBy = how.blockedBy ?? noId ?? unsafe ?? runs.whyNot(sessionId);
    const { journal, report } = openJournal(runId, { sessionId, userId: how.userId }, onEvent);
    // Nobody knows what may be told of it.
    const started = { type: "run_started", task: unsafe ? "" : task, trigger } as const;
    const onRelease = (): void => {
      flusher.touch(sessionId);
      runs.retire(journal.runId, sessionId);
    };
    const run = new AgentRun({ ...how, journal, report, clock, started, blockedBy, onRelease });
    runs.add(run, blockedBy === undefined);
    return run;
  };

  /** Why the rule of the host keeps this person out of a session, if it does. */
  const whyNotEnter = async (who: Principal, sessionId: string): Promise<AgentError | undefined> => {
    try {
      return authorize && !(await authorize(who, sessionId)) ? toForbidden(sessionId) : undefined;
    } catch (thrown) {
      return toAgentError(thrown, { kind: "agent", code: "host_callback" });
    }
  };

  const pausedModel = async (pauseId: string): Promise<string> => {
    try {
      return modelOfPaused(pauseId, await sessions.read(sessionOfPause(pauseId))) ?? model;
    } catch {
      // The run opens the same session next and fails with the reason.
      return model;
    }
  };

  const endPause = (pauseId: string, end: PauseEnd, signal?: AbortSignal): RunHandle => {
    const sessionId = sessionOfPause(pauseId);
    const run = start(sessionId, `answer to ${pauseId}`, "resume", {
      signal,
      blockedBy: end.kind === "answered" ? findResumeProblem(end.options) : undefined,
      userId: end.kind === "answered" ? end.options.principal.userId : undefined,
      model: () => pausedModel(pauseId),
      begin: async (parts) => {
        await openHost();
        return beginResume(pauseId, end, parts, host, ({ dedupeKey, principal }) => {
          if (dedupeKey !== undefined) runs.name(run, keyOf(sessionId, dedupeKey, principal));
          for (const listener of resumeListeners) listener(pauseId, run);
        });
      },
    });
    return run;
  };

  const listPaused = async (sessionId?: string): Promise<readonly PauseRecord[]> => {
    const wanted = sessionId === undefined ? (await sessions.list()).map(({ id }) => id) : [sessionId];
    const found: PauseRecord[] = [];
    for (const id of wanted) found.push(...pendingPauses(await sessions.read(id)));
    return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  };

  return {
    /** Never throws: a run that cannot start ends with a failed outcome. */
    execute(given: ExecuteInput): RunHandle {
      const wrong = findInputProblem(given);
      const input = wrong ? { ...given, principal: NOBODY, signal: undefined, dedupeKey: undefined } : given;
      const { sessionId, dedupeKey, origin, signal, principal } = input;
      const trigger = origin === "job" || origin === "heartbeat" ? origin : "message";
      const begin: AgentRunOptions["begin"] = async (parts) => {
        await openHost();
        return beginMessage(input, parts, host);
      };
      const how = { signal, begin, userId: principal.userId, model: async () => input.model ?? model };
      const key = dedupeKey === undefined ? undefined : keyOf(sessionId, dedupeKey, principal);
      const same = key === undefined ? undefined : runs.find(key);
      const output = input.config?.output;
      const refuse = (why: AgentError): RunHandle => start(sessionId, input.text, trigger, { ...how, blockedBy: why });
      if (same && !authorize && !output) return same;
      const whyNot = async (run: RunHandle): Promise<AgentError | undefined> =>
        (await whyNotEnter(principal, sessionId)) ?? (output && whyNotRepeat(run, output, input.checkOutput));
      if (same)
        return toAwaitedRun(
          same,
          whyNot(same).then((why) => (why ? refuse(why) : same)),
        );
      if (wrong) return refuse(wrong);
      const run = start(sessionId, input.text, trigger, how);
      if (key !== undefined) runs.name(run, key);
      return run;
    },
    /** Goes on where a pause stopped it. A wrong, used or expired token ends with a failed outcome. */
    resume: (pauseId: string, resolution: Resolution, how: ResumeOptions): RunHandle =>
      endPause(pauseId, { kind: "answered", resolution, options: how }, how.signal),
    /** Tells of each pause that is over, with the run that goes on from it. The listener must not throw. */
    onResumed: (listener: (pauseId: string, run: RunHandle) => void): void => void resumeListeners.add(listener),
    /** Goes on with every run whose pause nobody answered in time: its calls are denied. To be called now and then. */
    async expirePaused(): Promise<readonly RunHandle[]> {
      const late = (await listPaused()).filter(({ expiresAt }) => expiresAt && Date.parse(expiresAt) <= clock.now());
      return late
        .filter(({ sessionId }, index) => late.findIndex((other) => other.sessionId === sessionId) === index)
        .filter(({ sessionId }) => !runs.busy.has(sessionId))
        .map(({ id }) => endPause(id, { kind: "expired" }));
    },
    /** Pauses that wait, across restarts, oldest first. */
    listPaused: (filter?: { readonly sessionId?: string }): Promise<readonly PauseRecord[]> =>
      listPaused(filter?.sessionId),
    /** VI-18: the pictures of tools that the model was shown last in this session, oldest first, also after a restart. */
    async visionContext(sessionId: string): Promise<readonly VisionContextItem[]> {
      const last = (await sessions.read(sessionId)).findLast((entry) => entry.type === "vision_context");
      return last?.type === "vision_context" ? last.images : [];
    },
    /**
     * Settles what a crash interrupted, and says which runs it cut; they do not go on by themselves. To be called once,
     * before the first run.
     */
    async recover(): Promise<RecoveryReport> {
      await secrets.open();
      return recoverSessions({
        sessions,
        openJournal: (sessionId, runId = ids.next("run")) => openJournal(runId, { sessionId }).journal,
        openTools: (journal, details) =>
          new RunTools({
            executor: host.executor,
            journal,
            env: new RunEnvironment(journal, options.environment),
            details,
            signal: new AbortController().signal,
            register: toRegister(
              options.artifactRegistry,
              createHostReport((code, message) => journal.warn(code, message)),
            ),
          }),
      });
    },
    /** A run that goes on or is over. One of before a restart is told from its transcript, unless `replay` is false. */
    async attach(runId: string, { replay = true }: { readonly replay?: boolean } = {}): Promise<RunHandle | undefined> {
      const known = runs.all.get(runId);
      return known || !replay ? known : replayRun(runId, { sessions, model, display: redactor.display });
    },
    /** The run that holds this session now. */
    activeRun: (sessionId: string): RunHandle | undefined => runs.busy.get(sessionId),
    /** Shows `flush` what was said in this session, or in all, since the last time. Never rejects. */
    flush: (sessionId?: string): Promise<FlushReport> => flusher.flush(sessionId),
    /**
     * Takes nothing more, lets runs go on for `graceMs` (default 0), cancels the rest, waits and flushes. Never
     * rejects; may be called twice.
     */
    async close({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<FlushReport> {
      runs.closed = true;
      const active = [...runs.busy.values()];
      if (graceMs > 0 && active.length > 0)
        await waitAtMost(clock, graceMs, Promise.all(active.map(({ outcome }) => outcome)));
      await Promise.all(active.map((run) => run.cancel("Shutting down.")));
      closing ??= flusher.flush().finally(() => {
        closing = undefined;
      });
      return closing;
    },
  };
}

/** Why the outcome of a run cannot be the answer to somebody who asks for this output. */
async function whyNotRepeat(
  run: RunHandle,
  ...asked: ConstructorParameters<typeof OutputGate>
): Promise<AgentError | undefined> {
  try {
    await new OutputGate(...asked).admitRepeated(await run.outcome);
    return undefined;
  } catch (thrown) {
    return toAgentError(thrown, { kind: "agent", code: "structured_output" });
  }
}

const NOBODY: Principal = { userId: "" };

/** The host's id, or one of our own and why. */
function newRunId(ids: IdSource): readonly [id: string, failure?: AgentError] {
  try {
    return [ids.next("run")];
  } catch (thrown) {
    return [randomIds.next("run"), toAgentError(thrown, { kind: "agent", code: "host_callback" })];
  }
}
