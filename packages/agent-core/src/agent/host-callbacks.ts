// functions of the host → the same functions, whose failures say whose they are
import type { ArtifactRegistry } from "../artifacts/artifact-registry.ts";
import type { TokenCounter } from "../context/token-counter.ts";
import type { Session, SessionStore } from "../session/session-store.ts";
import { AgentError, agentError } from "../types/errors.ts";
import type { Warn } from "../types/events.ts";
import { notPromised, tellListener } from "../types/listener.ts";
import type { AgentExecutorOptions } from "./options.ts";

/** Takes what a function of the host threw where the run goes on without it. */
export type HostReport = (name: string, thrown: unknown) => void;

/** Each function is told of once. */
export function createHostReport(warn: Warn): HostReport {
  const told = new Set<string>();
  return (name, thrown) => {
    if (told.has(name)) return;
    told.add(name);
    warn("host_callback", toHostError(name, thrown).message);
  };
}

/** Throws `AgentError` code `host_callback` when the function fails: it ends the run and is not tried again. */
export async function callHost<Result>(name: string, call: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (thrown) {
    throw toHostError(name, thrown);
  }
}

/** The options of an agent, where what the run needs of the host fails as `callHost` does. */
export function withNamedFailures(options: AgentExecutorOptions): AgentExecutorOptions {
  const { prompt, guard, authorize, budget, context } = options;
  const scopesOf = budget?.scopesOf;
  return {
    ...options,
    artifacts: namedMethods("artifact store", options.artifacts),
    sessions: namedSessions(options.sessions),
    prompt: {
      system: (mode) => callHost("prompt.system", () => prompt.system(mode)),
      state: (mode) => callHost("prompt.state", () => prompt.state(mode)),
    },
    ...(guard && { guard: (text, about) => callHost("guard", () => guard(text, about)) }),
    ...(authorize && { authorize: (who, id) => callHost("authorize", () => authorize(who, id)) }),
    ...(scopesOf && { budget: { ...budget, scopesOf: (run) => callNow("budget.scopesOf", () => scopesOf(run)) } }),
    ...(context?.counter && { context: { ...context, counter: namedCounter(context.counter) } }),
  };
}

/** A registry of the host is only told. */
export function toRegister(
  registry: Pick<ArtifactRegistry, "register"> | undefined,
  report: HostReport,
): ArtifactRegistry["register"] {
  return (ref, meta) =>
    tellListener(
      () => registry?.register(ref, meta),
      (thrown) => report("artifactRegistry", thrown),
    );
}

/** For what a compaction goes on without: the run hears of the failure. */
export async function callReported<Result>(
  name: string,
  report: HostReport,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (thrown) {
    report(name, thrown);
    throw thrown;
  }
}

/** First cause wins: what already has a kind passes through. */
function toHostError(name: string, thrown: unknown): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return agentError("agent", "host_callback", `The ${name} of this program failed: ${said}`, { cause: thrown });
}

/** As `callHost`, for what must answer at once. */
function callNow<Result>(name: string, call: () => Result): Result {
  try {
    return notPromised(call());
  } catch (thrown) {
    throw toHostError(name, thrown);
  }
}

/** Every method of a store, also one that is not known here. */
function namedMethods<Store extends object>(name: string, store: Store): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        try {
          const result: unknown = Reflect.apply(value, target, args);
          return result instanceof Promise ? callHost(name, () => result) : result;
        } catch (thrown) {
          throw toHostError(name, thrown);
        }
      };
    },
  });
}

function namedSessions(store: SessionStore): SessionStore {
  const call = <Result>(act: () => Promise<Result>): Promise<Result> => callHost("session store", act);
  const wrap = (session: Session): Session => ({
    id: session.id,
    damage: session.damage,
    entries: () => session.entries(),
    append: (entry, how) => call(() => session.append(entry, how)),
    close: () => call(() => session.close()),
  });
  return {
    open: async (id) => wrap(await call(() => store.open(id))),
    read: (id) => call(() => store.read(id)),
    has: (id) => call(() => store.has(id)),
    list: () => call(() => store.list()),
    secret: () => call(() => store.secret()),
  };
}

function namedCounter(counter: TokenCounter): TokenCounter {
  const name = "context.counter";
  return {
    name: counter.name,
    text: (text) => callNow(name, () => counter.text(text)),
    ...(counter.scale && { scale: (profile) => callNow(name, () => counter.scale?.(profile) ?? 1) }),
    ...(counter.learn && {
      learn: (profile, estimated, actual) => callNow(name, () => counter.learn?.(profile, estimated, actual)),
    }),
    // Whoever asks it goes on with the estimate.
    ...(counter.count && { count: counter.count.bind(counter) }),
  };
}
