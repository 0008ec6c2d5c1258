import { randomBytes } from "node:crypto";
import { agentError } from "../types/errors.ts";
import { assertSessionId, type Session, type SessionStore, type TranscriptEntry } from "./session-store.ts";
import { toTitle } from "./transcript.ts";

/**
 * Keeps transcripts until the process ends. With `maxSessions` the one that was not written to for longest is dropped
 * when there are more; those that wait for an answer are dropped last. Default: all are kept.
 */
export function createMemorySessionStore(options: { readonly maxSessions?: number } = {}): SessionStore {
  const { maxSessions = Number.POSITIVE_INFINITY } = options;
  const transcripts = new Map<string, TranscriptEntry[]>();
  const held = new Set<string>();
  /** Pauses without an answer, by session. */
  const waiting = new Map<string, Set<string>>();
  const secret = randomBytes(32);
  const notePause = (id: string, entry: TranscriptEntry): void => {
    const pauses = waiting.get(id) ?? new Set();
    if (entry.type === "pause") waiting.set(id, pauses.add(entry.pause.id));
    if (entry.type === "resume" && pauses.delete(entry.pauseId) && pauses.size === 0) waiting.delete(id);
  };
  /** Session ids, least recently written first. */
  const touch = (id: string, entries: TranscriptEntry[]): void => {
    transcripts.delete(id);
    transcripts.set(id, entries);
    if (transcripts.size <= maxSessions) return;
    const free = [...transcripts.keys()].filter((key) => !held.has(key));
    const oldest = free.find((key) => !waiting.has(key)) ?? free[0];
    if (oldest === undefined) return;
    transcripts.delete(oldest);
    waiting.delete(oldest);
  };
  const assertFree = (id: string): void => {
    if (!held.has(id)) return;
    throw agentError("invalid", "session_busy", `The session "${id}" is being written to by another run.`);
  };
  return {
    async open(id): Promise<Session> {
      assertSessionId(id);
      assertFree(id);
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
          notePause(id, entry);
          touch(id, entries);
        },
        async close() {
          if (open) held.delete(id);
          open = false;
        },
      };
    },
    async delete(id) {
      assertFree(id);
      waiting.delete(id);
      return transcripts.delete(id);
    },
    async rewrite(id, edit) {
      const before = transcripts.get(id);
      if (!before) return false;
      assertFree(id);
      const edited = structuredClone([...edit(before)]);
      transcripts.set(id, edited);
      return JSON.stringify(edited) !== JSON.stringify(before);
    },
    secret: async () => secret,
    read: async (id) => [...(transcripts.get(id) ?? [])],
    has: async (id) => transcripts.has(id),
    list: async ({ limit } = {}) =>
      [...transcripts]
        .reverse()
        .slice(0, limit)
        .map(([id, entries]) => ({ id, updatedAt: entries.at(-1)?.ts ?? "", title: toTitle(entries) })),
  };
}
