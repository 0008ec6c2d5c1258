import { describe, expect, it } from "vitest";
import type { Session } from "../session/session-store.ts";
import { createCountingIds, createFakeClock } from "../testing.ts";
import { SessionFlusher } from "./flush.ts";

describe("keeping what was said", () => {
  it("closes a session that opens only after the time for it is over", async () => {
    const clock = createFakeClock();
    const opening = Promise.withResolvers<Session>();
    const sessions = { open: () => opening.promise };
    const flush = async (): Promise<void> => undefined;
    const flusher = new SessionFlusher({ flush, sessions, clock, ids: createCountingIds(), timeoutMs: 100 });
    flusher.touch("session_1");
    const flushing = flusher.flush();
    await clock.advance(200);
    expect(await flushing).toMatchObject({
      flushed: [],
      failed: [{ sessionId: "session_1", error: { kind: "timeout" } }],
    });
    const closed = Promise.withResolvers<void>();
    const damage = { skippedLines: 0, quarantinedBytes: 0 };
    const close = async (): Promise<void> => closed.resolve();
    opening.resolve({ id: "session_1", damage, entries: () => [], append: async () => undefined, close });
    await closed.promise;
  });
});
