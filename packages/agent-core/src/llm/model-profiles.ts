// configured + listed by the provider + built in → what a model can do
import { type Clock, waitAtMost, withinTime } from "../types/clock.ts";
import { type AgentError, agentError, toAgentError } from "../types/errors.ts";
import type { Warn } from "../types/events.ts";
import type { ModelProfile } from "./llm-client.ts";

/** Any part of a profile, for one model. */
export type ProfilePatch<P extends ModelProfile> = Partial<P> & { readonly id: string };

export interface ModelProfilesOptions<P extends ModelProfile> {
  readonly builtin: readonly P[];
  /** Wins over everything else. */
  readonly configured: readonly ProfilePatch<P>[];
  /** What the provider says itself; absent is never asked. Read once a day. */
  readonly list?: (signal: AbortSignal) => Promise<readonly ProfilePatch<P>[]>;
  /** What holds for a model that nobody described; undefined when it cannot be one of this provider. */
  guess(model: string, listed: "listed" | "not_listed" | "no_list"): P | undefined;
  readonly clock: Clock;
}

const MAX_AGE_MS = 24 * 3_600_000;
const RETRY_AFTER_MS = 600_000;
const LIST_TIMEOUT_MS = 5_000;
/** For the first list, where only it says more of a model than a guess does. */
const PATIENCE_MS = 1_000;
const LIST_NOT_READ = "The provider's list of models was not read.";
const HOW_TO_SILENCE = "For a server without such a list, give the client `refreshProfiles: false`.";
const late = (): AgentError => agentError("timeout", "first_event", "It did not come in time.");

export function createModelProfiles<P extends ModelProfile>(options: ModelProfilesOptions<P>) {
  const { builtin, configured, clock } = options;
  const listing = createListing(options);
  const told = new Set<string>();
  const tell = (profile: P, failure: string | undefined, warn: Warn): void => {
    const ending = describeEnding(profile, clock.now());
    const warnOnce: Warn = (code, message) => {
      if (told.has(message)) return;
      told.add(message);
      warn(code, message);
    };
    if (failure) warnOnce("profiles_builtin", `${LIST_NOT_READ} ${failure} ${HOW_TO_SILENCE}`);
    if (ending) warnOnce("model_deprecated", ending);
  };
  return {
    /**
     * What is built in or configured is known at once, whatever the provider's list does: that is read meanwhile. Throws
     * `unknown_model`. With `warn`, says once per model that it is going away, and once that the list was not read.
     */
    async find(model: string, warn?: Warn): Promise<P> {
      const known = builtin.find(({ id }) => id === model);
      const override = configured.find(({ id }) => id === model);
      listing.refresh();
      if (!known && !override) await listing.first(options.guess(model, "no_list") ? PATIENCE_MS : LIST_TIMEOUT_MS);
      const { models, failure } = listing.current();
      const listed = models?.get(model);
      const standing = models ? "not_listed" : "no_list";
      const base = known ?? options.guess(model, override || listed ? "listed" : standing);
      if (!base) {
        const advice = `If it does, declare profiles: [{ id: "${model}", … }] where its client is made.`;
        const message = `The model "${model}" is not one that this provider is known to serve. ${advice}`;
        throw agentError("invalid", "unknown_model", message);
      }
      const profile: P = { ...base, ...statedBy("api", listed), ...statedBy("config", override) };
      if (warn) tell(profile, failure, warn);
      return profile;
    },
  };
}

function statedBy<P extends ModelProfile>(source: "api" | "config", patch: ProfilePatch<P> | undefined): Partial<P> {
  return patch ? { ...patch, source } : {};
}

interface Listing<P extends ModelProfile> {
  readonly models?: ReadonlyMap<string, ProfilePatch<P>>;
  readonly failure?: string;
}

/** Reads at most once at a time, keeps what it read, and lives on with it when the next reading fails. */
function createListing<P extends ModelProfile>({ list, clock }: ModelProfilesOptions<P>) {
  let known: Listing<P> = {};
  let dueMs = 0;
  let reading: Promise<void> | undefined;
  let beganMs = 0;
  const read = async (): Promise<void> => {
    if (!list) return;
    try {
      const models = await withinTime(list, { clock, ms: LIST_TIMEOUT_MS, late });
      known = { models: new Map(models.map((model) => [model.id, model])) };
      dueMs = clock.now() + MAX_AGE_MS;
    } catch (thrown) {
      known = { ...known, failure: toAgentError(thrown, { kind: "network", code: "connect" }).message };
      dueMs = clock.now() + RETRY_AFTER_MS;
    }
    reading = undefined;
  };
  return {
    current: (): Listing<P> => known,
    /** In the background, when it is due. Never rejects. */
    refresh(): void {
      if (!list || reading || clock.now() < dueMs) return;
      beganMs = clock.monotonic();
      reading = read();
    },
    /** Waits for the first reading, until so long after its beginning. */
    async first(ms: number): Promise<void> {
      const leftMs = beganMs + ms - clock.monotonic();
      if (reading && leftMs > 0 && !known.models && !known.failure) await waitAtMost(clock, leftMs, reading);
    },
  };
}

function describeEnding({ id, lifecycle }: ModelProfile, nowMs: number): string | undefined {
  if (!lifecycle) return undefined;
  const { deprecatedAt, retiresAt } = lifecycle;
  if (retiresAt !== undefined) {
    const over = Date.parse(retiresAt) <= nowMs;
    return `${id} ${over ? "was to be retired" : "retires"} on ${retiresAt.slice(0, 10)}. Choose a newer model.`;
  }
  const isDeprecated = deprecatedAt !== undefined && Date.parse(deprecatedAt) <= nowMs;
  return isDeprecated ? `${id} is deprecated since ${deprecatedAt.slice(0, 10)}. Choose a newer model.` : undefined;
}
