// an open session → everything a run works with
import { environmentTokens } from "../context/context-budget.ts";
import { createContextManager } from "../context/context-manager.ts";
import type { ModelProfile } from "../llm/llm-client.ts";
import { createRetryBudget } from "../llm/retry.ts";
import { raceAbort } from "../types/child-abort.ts";
import { AgentError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";
import { createLoopDetector } from "./loop-detector.ts";
import { RunEnvironment } from "./run-environment.ts";
import type { RunParts, RunScope, Settings } from "./run-scope.ts";
import { DEFAULT_STOP, type StopPolicy } from "./stop-policy.ts";

/** Opens the session for this person; absent is the host itself. Throws `AgentError` code `forbidden`, or as the store does. */
export async function enterSession(parts: RunParts, principal: Principal | undefined): Promise<void> {
  const { journal, agent, signal } = parts;
  const { authorize, sessions } = agent.options;
  if (principal && authorize && !(await raceAbort(Promise.resolve(authorize(principal, journal.sessionId)), signal))) {
    throw forbidden(journal.sessionId);
  }
  journal.useSession(await sessions.open(journal.sessionId));
  if (principal && !authorize && !isOwner(parts, principal)) throw forbidden(journal.sessionId);
}

export async function openScope(
  parts: RunParts,
  given: {
    readonly settings: Settings;
    readonly profile: ModelProfile;
    readonly limits?: Partial<StopPolicy>;
  },
): Promise<RunScope> {
  const { journal, agent, signal } = parts;
  const { options } = agent;
  const { settings, profile, limits } = given;
  const stop = { ...DEFAULT_STOP, ...options.stop, ...settings.stop, ...limits };
  parts.startDeadline(stop.maxWallMs);
  const env = new RunEnvironment({
    journal,
    environment: options.environment,
    maxNoteTokens: environmentTokens(options.context?.budget ?? {}, profile),
  });
  return {
    ...parts,
    settings,
    stop,
    profile,
    system: await raceAbort(options.prompt.system(settings.mode), signal),
    env,
    retryBudget: createRetryBudget(),
    context: createContextManager({
      ...options.context,
      counter: agent.counter,
      clock: options.clock,
      refOf: (id) => agent.refs.get(id),
      beforeCompaction: async (messages, ending) => {
        journal.moveTo("compacting", "the conversation is long");
        await options.context?.beforeCompaction?.(messages, ending);
      },
    }),
    tally: {
      detector: createLoopDetector(stop.maxRepeats),
      pieces: [],
      cuts: 0,
      emptyCalls: 0,
      toolErrors: 0,
      exceeded: false,
      mustShrink: false,
    },
  };
}

/** SC-16: without a rule of the host a session belongs to the user of its first run. */
function isOwner({ journal }: RunParts, principal: Principal): boolean {
  for (const entry of journal.entries()) {
    if (entry.type === "run_started" && entry.settings) return entry.settings.principal.userId === principal.userId;
  }
  return true;
}

function forbidden(sessionId: string): AgentError {
  return new AgentError({
    kind: "invalid",
    code: "forbidden",
    message: `The session "${sessionId}" belongs to somebody else.`,
  });
}
