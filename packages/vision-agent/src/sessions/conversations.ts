// a person's words → a session → a run of the agent

import type { AgentExecutor, ArtifactStore, Clock, IdSource, RunHandle, SessionStore } from "@vision-agent/agent-core";
import type { PostMessage, SessionDetail, SessionSummary } from "@vision-agent/protocol";
import type { Admission } from "../access/admission.ts";
import type { ChangeLedger } from "../tools/change-ledger.ts";
import { KindedError } from "../workspace/kinded-error.ts";
import { OWNER } from "./owner.ts";
import type { Pauses } from "./pauses.ts";
import { beginningOfRun, toChatMessages } from "./to-chat-messages.ts";

/** `not_found` no such session · `busy` its run is still going on · `unknown_image` an image that was never uploaded. */
export type ConversationErrorKind = "not_found" | "busy" | "unknown_image";

/** A message could not be taken. */
export class ConversationError extends KindedError<ConversationErrorKind> {}

export interface ConversationsOptions {
  readonly executor: AgentExecutor;
  readonly sessions: SessionStore;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** What to do with pictures when the one who answers cannot see: say so, or go on without them. */
  readonly visionMode: "strict" | "lenient";
  /** Throws when there are too many of something already. */
  readonly admission: Pick<Admission, "enter" | "keep">;
  /** What the tools changed. */
  readonly changes: Pick<ChangeLedger, "list">;
  /** Words that answer what a session waits for go there. */
  readonly pauses: Pick<Pauses, "answerInWords">;
}

/** Every conversation of the app. Methods that take an id throw `ConversationError` kind `not_found`. */
export interface Conversations {
  create(): Promise<{ readonly id: string }>;
  /** Most recently used first. */
  list(): Promise<readonly SessionSummary[]>;
  detail(id: string): Promise<SessionDetail>;
  /**
   * A message, or the answer to what the session waits for. Throws `ConversationError`; once it returned, the run goes on whether or
   * not anybody listens.
   */
  post(id: string, message: PostMessage): Promise<RunHandle>;
}

export function createConversations(options: ConversationsOptions): Conversations {
  const { executor, sessions, artifacts, clock, ids, admission } = options;
  let kept: number | undefined;

  const mustExist = async (id: string): Promise<void> => {
    if (await sessions.has(id)) return;
    throw new ConversationError("not_found", `There is no session ${id}.`);
  };

  /** Sessions whose next run is not there yet: two messages at once must not both begin one. */
  const beginning = new Set<string>();
  const begin = async (id: string, message: PostMessage): Promise<RunHandle> => {
    const images = message.images ?? [];
    for (const artifactId of images) {
      if ((await artifacts.ref(artifactId, { ...OWNER, sessionId: id })) === undefined) {
        throw new ConversationError("unknown_image", `There is no image ${artifactId}. Upload it first.`);
      }
    }
    const answered = images.length === 0 && (await options.pauses.answerInWords(id, message.text));
    if (answered) return answered;
    const leave = admission.enter("run");
    const run = executor.execute({
      sessionId: id,
      text: message.text,
      images: images.map((artifactId) => ({ artifactId })),
      visionMode: options.visionMode,
      principal: OWNER,
    });
    void run.outcome.finally(leave);
    return run;
  };

  return {
    async create() {
      kept ??= (await sessions.list()).length;
      admission.keep("session", kept);
      const id = ids.next("session");
      const session = await sessions.open(id);
      const ts = new Date(clock.now()).toISOString();
      await session.append({ v: 1, id: ids.next("entry"), ts, type: "session", meta: {} });
      await session.close();
      kept += 1;
      return { id };
    },
    async list() {
      const all = await sessions.list();
      return all.map(({ id, updatedAt, title }) => ({ id, updated_at: updatedAt, title }));
    },
    async detail(id) {
      await mustExist(id);
      const active = executor.activeRun(id);
      const entries = await sessions.read(id);
      const changes = options.changes.list({ session: id });
      if (active === undefined) return { id, messages: [...toChatMessages(entries, changes)], active_run: null };
      const begun = beginningOfRun(entries);
      const before = toChatMessages(entries.slice(0, begun), changes);
      const messages = [...before, ...toChatMessages(entries.slice(begun), changes)];
      return { id, messages, active_run: active.runId, before_run: before.length };
    },
    async post(id, message) {
      await mustExist(id);
      const active = executor.activeRun(id)?.runId;
      if (active !== undefined || beginning.has(id)) {
        const what = active === undefined ? "Another message is" : `Run ${active} is still`;
        throw new ConversationError("busy", `${what} going on in this session.`);
      }
      beginning.add(id);
      return begin(id, message).finally(() => beginning.delete(id));
    },
  };
}
