import { randomBytes } from "node:crypto";
import { agentError } from "../types/errors.ts";
import { assertSessionId, type Session, type SessionStore, type TranscriptEntry } from "./session-store.ts";
import { toTitle } from "./transcript.ts";

/** Keeps transcripts until the process ends, or `maxSessions` others were written since. Default: all of them. */
export function createMemorySessionStore(options: { readonly maxSessions?: number } = {}): SessionStore {
  const { maxSessions = Number.POSITIVE_INFINITY } = options;
  const transcripts = new Map<string, TranscriptEntry[]>();
  const held = new Set<string>();
  const secret = randomBytes(32);
  /** Session ids, least recently written first. */
  const touch = (id: string, entries: TranscriptEntry[]): void => {
    transcripts.delete(id);
    transcripts.set(id, entries);
    const oldest = transcripts.size > maxSessions ? [...transcripts.keys()].find((key) => !held.has(key)) : undefined;
    if (oldest !== undefined) transcripts.delete(oldest);
  };
  return {
    async open(id): Promise<Session> {
      assertSessionId(id);
      if (held.has(id))
        throw agentError("invalid", "session_busy", `The session "${id}" is being written to by another run.`);
      held.add(id);
      const entries = transcripts.get(id) ?? [];
      let open = true;
      return {
        id,
        damage: { skippedLines: 0, quarantinedBytes: 0 },
        entries: () => entries,
        async append(entry) {
          if (!open) throw agentError("invalid", "session_closed", `The session "${id}" is closed.`);
          entries.push(structuredClone(entry));
          touch(id, entries);
        },
        async close() {
          if (open) held.delete(id);
          open = false;
        },
      };
    },
    secret: async () => secret,
    read: async (id) => [...(transcripts.get(id) ?? [])],
    has: async (id) => transcripts.has(id),
    list: async () =>
      [...transcripts]
        .reverse()
        .map(([id, entries]) => ({ id, updatedAt: entries.at(-1)?.ts ?? "", title: toTitle(entries) })),
  };
}
