// functions of the host → the same functions, whose failures say whose they are
import type { ArtifactRegistry } from "../artifacts/artifact-registry.ts";
import { isBelievable } from "../budget/call-meter.ts";
import type { Summary } from "../context/summarizer.ts";
import type { TokenCounter } from "../context/token-counter.ts";
import type { SystemBlock } from "../llm/llm-client.ts";
import type { Secrets } from "../observability/secret-filter.ts";
import type { Session, SessionStore, TranscriptEntry } from "../session/session-store.ts";
import { type Clock, systemClock } from "../types/clock.ts";
import { type AgentError, agentError, isAgentError, messageOf } from "../types/errors.ts";
import type { Warn } from "../types/events.ts";
import { notPromised, tellListener } from "../types/listener.ts";
import type { AgentExecutorOptions, Guard, RunBudgetOptions } from "./options.ts";

type Verdict = Awaited<ReturnType<Guard>>;

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
  const { prompt, guard, authorize, budget, context, random, ids } = options;
  return {
    ...options,
    artifacts: namedMethods("artifact store", options.artifacts),
    sessions: namedSessions(options.sessions),
    prompt: {
      system: (mode) => callHost("prompt.system", async () => toSections(await prompt.system(mode))),
      state: (mode) => callHost("prompt.state", async () => toText(await prompt.state(mode))),
      outside: (mode) => callHost("prompt.outside", async () => toText((await prompt.outside?.(mode)) ?? "")),
    },
    ...(guard && { guard: (text, about) => callHost("guard", async () => toVerdict(await guard(text, about))) }),
    ...(authorize && { authorize: (who, id) => callHost("authorize", () => authorize(who, id)) }),
    ...(budget && { budget: namedBudget(budget) }),
    ...(random && { random: () => callNow("random", random) }),
    ids: { next: (prefix) => callNow("ids", () => toText(ids.next(prefix))) },
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
  if (isAgentError(thrown)) return thrown;
  const message = `The ${name} of this program failed: ${messageOf(thrown)}`;
  return agentError("agent", "host_callback", message, { cause: thrown });
}

/** As `callHost`, for what must answer at once. */
export function callNow<Result>(name: string, call: () => Result): Result {
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

function namedBudget(budget: RunBudgetOptions): RunBudgetOptions {
  const { scopesOf } = budget;
  const name = "budget.ledger";
  const ledger = namedMethods(name, budget.ledger);
  const own: { readonly [key: PropertyKey]: unknown } = {
    reserve: async (request: Parameters<typeof ledger.reserve>[0]) =>
      callHost(name, async () => namedMethods(name, await ledger.reserve(request))),
    takePassed: (scopes: readonly string[]) => callNow(name, () => ledger.takePassed(scopes)),
  };
  return {
    ...budget,
    ledger: new Proxy(ledger, { get: (all, key) => own[key] ?? Reflect.get(all, key) }),
    ...(scopesOf && { scopesOf: (run) => callNow("budget.scopesOf", () => scopesOf(run)) }),
  };
}

/** What programs without types get wrong ends here, with words. */
function toSections(given: readonly SystemBlock[]): readonly SystemBlock[] {
  const isList = Array.isArray(given) && given.every((section) => typeof section?.text === "string");
  if (isList) return given;
  throw new TypeError("it must give a list of sections, each with a text");
}

function toText(given: string): string {
  if (typeof notPromised(given) === "string") return given;
  throw new TypeError("it must give a text");
}

export function toSummary(given: Summary): Summary {
  if (typeof given?.text === "string" && given.usage && isBelievable(given.usage)) return given;
  throw new TypeError("it must give { text, usage }, with numbers of tokens from 0 on");
}

function toVerdict(given: Verdict): Verdict {
  if (typeof given?.allow === "boolean") return given;
  throw new TypeError("it must give { allow: true } or { allow: false, message }");
}

function namedSessions(store: SessionStore): SessionStore {
  const call = <Result>(act: () => Promise<Result>): Promise<Result> => callHost("session store", act);
  const wrap = (session: Session): Session => ({
    id: session.id,
    damage: session.damage,
    entries: () => callNow("session store", () => toEntries(session.entries())),
    append: (entry, how) => call(() => session.append(entry, how)),
    close: () => call(() => session.close()),
  });
  return {
    open: (id) => call(async () => wrap(toSession(await store.open(id)))),
    read: (id) => call(() => store.read(id)),
    has: (id) => call(() => store.has(id)),
    list: (options) => call(() => store.list(options)),
    delete: (id) => call(() => store.delete(id)),
    rewrite: (id, edit) => call(() => store.rewrite(id, edit)),
    secret: () => call(() => store.secret()),
  };
}

function toSession(given: Session): Session {
  if (typeof given?.append !== "function") throw new TypeError("it opened nothing");
  toEntries(given.entries());
  return given;
}

function toEntries(given: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  if (Array.isArray(given)) return given;
  throw new TypeError("entries() must give a list");
}

/**
 * Every event and every line has a time, also those that tell of a failure: where the host's clock has none, the machine's
 * stands in, and `takeFailure` gives the reason once.
 */
export function withFallbackClock(clock: Clock): Clock & { takeFailure(): AgentError | undefined } {
  let failure: AgentError | undefined;
  const read = (name: "now" | "monotonic"): number => {
    try {
      const time = notPromised(clock[name]());
      if (Number.isFinite(time)) return time;
      throw new TypeError(`${name}() must give a number`);
    } catch (thrown) {
      failure ??= toHostError("clock", thrown);
      return systemClock[name]();
    }
  };
  return {
    now: () => read("now"),
    monotonic: () => read("monotonic"),
    async sleep(ms, signal) {
      try {
        await clock.sleep(ms, signal);
      } catch (thrown) {
        throw signal?.aborted ? thrown : toHostError("clock", thrown);
      }
    },
    takeFailure() {
      const taken = failure;
      failure = undefined;
      return taken;
    },
  };
}

/**
 * Secrets are asked for wherever something is told or written, and there a failure hides what is known; `whyNot` is for
 * where a run begins or a model is asked, and gives `AgentError` code `host_callback`. Throws code `bad_options` for a
 * fixed list that is none.
 */
export function withCheckedSecrets(secrets: Secrets): {
  readonly secrets: Secrets;
  whyNot(): AgentError | undefined;
} {
  const expected = "secrets must be a list of strings, or a function that returns one at once.";
  if (typeof secrets !== "function") {
    if (!isTexts(secrets)) throw agentError("invalid", "bad_options", expected);
    return { secrets, whyNot: () => undefined };
  }
  return {
    secrets() {
      const given: unknown = notPromised(secrets());
      return Array.isArray(given) ? given.filter((one) => typeof one === "string") : [];
    },
    whyNot() {
      try {
        if (!isTexts(notPromised(secrets()))) throw new TypeError(expected);
        return undefined;
      } catch (thrown) {
        return toHostError("secrets", thrown);
      }
    },
  };
}

function isTexts(given: unknown): boolean {
  return Array.isArray(given) && given.every((one) => typeof one === "string");
}

function toCount(given: number): number {
  if (Number.isFinite(notPromised(given))) return given;
  throw new TypeError("text() must give a number");
}

function namedCounter(counter: TokenCounter): TokenCounter {
  const name = "context.counter";
  return {
    name: counter.name,
    text: (text) => callNow(name, () => toCount(counter.text(text))),
    ...(counter.scale && { scale: (profile) => callNow(name, () => counter.scale?.(profile) ?? 1) }),
    ...(counter.learn && {
      learn: (profile, estimated, actual) => callNow(name, () => counter.learn?.(profile, estimated, actual)),
    }),
    // Whoever asks it goes on with the estimate.
    ...(counter.count && { count: counter.count.bind(counter) }),
  };
}
