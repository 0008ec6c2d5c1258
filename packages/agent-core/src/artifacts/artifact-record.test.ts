import { describe, expect, it } from "vitest";
import { createRecord, describeArtifact, listExpired, putAgain, withPin } from "./artifact-record.ts";

describe("an artifact's record", () => {
  it("does not grow for ever with ever new owners", async () => {
    let record = createRecord(await ref("x"), { sessionId: "first" });
    const again = { ...record.ref, createdAt: "2026-01-01T00:00:00.000Z" };
    for (let at = 0; at < 10_001; at++) record = putAgain(record, again, { sessionId: `s${at}` });
    expect(record.scopes).toHaveLength(10_000);
    expect(record.scopes.at(-1)).toEqual({ sessionId: "s10000" });
  });

  it("counts what is pinned among the bytes, and lets others go for it", async () => {
    const pinned = withPin(createRecord(await ref("12345"), undefined), "run");
    const other = createRecord(await ref("678"), undefined);
    expect(listExpired([pinned, other], { maxBytes: 5 }, 0)).toEqual([other]);
    expect(listExpired([pinned], { maxBytes: 0, maxAgeMs: 0 }, 1e15)).toEqual([]);
  });
});

function ref(text: string) {
  return describeArtifact(Buffer.from(text), { mimeType: "text/plain", namespace: "n" }, 0);
}
