// effects of tool calls → the ledger of what the agent did → receipts of runs
import { LOAD_TOOLS, type ToolContext } from "@vision-agent/agent-core";
import {
  type Change,
  type Effect,
  effectSchema,
  NO_CHANGES,
  type Receipt,
  type ToolDataOf,
} from "@vision-agent/protocol";
import type { BoundedLog } from "../store/bounded-log.ts";
import { type ForgetfulStore, isCovered, toForgotten } from "../store/forget-target.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { formatLocalTime, parseEventTime } from "./event-times.ts";
import { type GradedTool, PartialFailure, visionTool } from "./graded-tool.ts";

/** What the agent changed, call by call. Survives restarts. */
export interface ChangeLedger {
  /** Resolves when the disk has them; what cannot be written is told and kept in memory. */
  record(effects: readonly Effect[], call: ChangeCall): Promise<void>;
  /** Oldest first. */
  list(filter?: ChangeFilter): readonly Change[];
  /** Notes and alerts about the camera in that time keep their line, without what they said. */
  forget: ForgetfulStore["forget"];
}

/** The call that made a change. */
export type ChangeCall = Pick<ToolContext, "runId" | "sessionId" | "callId"> & { readonly tool: string };

export interface ChangeFilter {
  /** ISO 8601, inclusive. */
  readonly since?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly until?: string | undefined;
  readonly session?: string | undefined;
  readonly run?: string | undefined;
}

export interface ChangeLedgerOptions {
  readonly log: Pick<BoundedLog<Change>, "entries" | "append" | "rewrite">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes out what must never be written down. */
  readonly redact: (text: string) => string;
  /** Told when a change could not be written. Must not throw. */
  readonly onProblem: (message: string) => void;
}

const FORGOTTEN = "forgotten on request";

export function createChangeLedger({ log, now, redact, onProblem }: ChangeLedgerOptions): ChangeLedger {
  const write = (change: Change): Promise<void> =>
    log.append(change).catch((error: unknown) => {
      onProblem(`A change could not be written down: ${reasonOf(error)}`);
    });
  return {
    async record(effects, { runId: run_id, sessionId: session_id, callId: call_id, tool }) {
      const at = new Date(now()).toISOString();
      const known = log.entries().filter((one) => one.session_id === session_id && one.call_id === call_id);
      const changes = effects
        // A call that is made again after a crash is one change.
        .filter(({ kind, id }) => !known.some((one) => one.kind === kind && one.id === id))
        .map((effect) => ({ ...effect, name: redact(effect.name), text: redact(effect.text) }))
        .map((effect): Change => ({ ...effect, at, run_id, session_id, call_id, tool }));
      await Promise.all(changes.map(write));
    },
    async forget(target, { preview }) {
      const goes = ({ what, name, camera, at }: Change): boolean =>
        (what === "note" || what === "alert") && name !== FORGOTTEN && isCovered(target, camera, Date.parse(at));
      const found = log.entries().filter(goes);
      const emptied = (change: Change): Change => ({
        ...change,
        name: FORGOTTEN,
        text: `${change.kind} ${change.what}: ${FORGOTTEN}.`,
      });
      if (!preview && found.length > 0) await log.rewrite((change) => (goes(change) ? emptied(change) : change));
      return toForgotten(found.map(({ at, text }) => `${at} ${text}`));
    },
    list: ({ since, until, session, run } = {}) =>
      log
        .entries()
        .filter(({ at }) => (since === undefined || at >= since) && (until === undefined || at < until))
        .filter(({ session_id }) => session === undefined || session_id === session)
        .filter(({ run_id }) => run === undefined || run_id === run),
  };
}

/** Whatever a call changes is in the ledger before its result is told, also when it fails half-way. */
export function withLedger<A>(tool: GradedTool<A>, ledger: Pick<ChangeLedger, "record">): GradedTool<A> {
  return {
    ...tool,
    async execute(args, context) {
      const call = { runId: context.runId, sessionId: context.sessionId, callId: context.callId, tool: tool.name };
      try {
        const result = await tool.execute(args, context);
        await ledger.record(effectsIn(result.data), call);
        return result;
      } catch (thrown) {
        if (thrown instanceof PartialFailure) await ledger.record(thrown.effects, call);
        throw thrown;
      }
    },
  };
}

/** Effects in the data of a tool's result; none for a tool that only looks. */
export function effectsIn(data: unknown): readonly Effect[] {
  if (typeof data !== "object" || data === null || !("effects" in data)) return [];
  return effectSchema.array().safeParse(data.effects).data ?? [];
}

/** Tools that are no work of their own: after them alone there is nothing to account for. */
const TALK: ReadonlySet<string> = new Set(["think", "ask_user", LOAD_TOOLS]);

/** Undefined when no tool ran, as after small talk. */
export function toReceipt(tools: readonly string[], changes: readonly Change[]): Receipt | undefined {
  if (changes.length === 0 && tools.every((tool) => TALK.has(tool))) return undefined;
  return {
    effects: changes.map(({ kind, what, id, name, camera, text, link }) => ({
      kind,
      what,
      id,
      name,
      ...(camera !== undefined && { camera }),
      text,
      link,
    })),
  };
}

/** One line for each effect. */
export function receiptLines({ effects }: Receipt): readonly string[] {
  return effects.length === 0 ? [NO_CHANGES] : effects.map(({ text }) => text);
}

const CURRENT = "current";
const ALL = "all";
const MOST_SHOWN = 100;

export function listChangesTool({
  changes,
  timeZone,
}: {
  readonly changes: Pick<ChangeLedger, "list">;
  /** IANA name. */
  readonly timeZone: string;
}) {
  return visionTool({
    name: "list_changes",
    description:
      "What you changed before: started, stopped, created, sent, scheduled. Use it whenever you are asked what you did.",
    properties: {
      since: { type: "string", description: "ISO 8601 or YYYY-MM-DD, local; inclusive." },
      until: { type: "string", description: "The same, exclusive." },
      session: { type: "string", description: "Id of a conversation, current or all.", default: ALL },
    },
    annotations: { readOnly: true },
    async run({ since, until, session }, { sessionId }) {
      const found = changes.list({
        since: since && parseEventTime(since, timeZone),
        until: until && parseEventTime(until, timeZone),
        ...(session !== ALL && { session: session === CURRENT ? sessionId : session }),
      });
      return { data: { changes: found.slice(-MOST_SHOWN), total: found.length } };
    },
    render: (data) => render(data, timeZone),
  });
}

function render({ changes, total }: ToolDataOf<"list_changes">, timeZone: string): string {
  if (changes.length === 0) return NO_CHANGES;
  const lines = changes.map(({ at, text, id }) => `- ${formatLocalTime(at, timeZone)} ${text} (${id})`);
  return [
    ...(total > changes.length ? [`The last ${changes.length} of ${total}; give since and until for others.`] : []),
    ...lines,
  ].join("\n");
}
