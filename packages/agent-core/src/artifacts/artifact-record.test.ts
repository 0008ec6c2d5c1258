import { describe, expect, it } from "vitest";
import { createRecord, listExpired, putAgain, withPin } from "./artifact-record.ts";
import { describeArtifact } from "./describe-artifact.ts";
import { createKeyedQueue } from "./keyed-queue.ts";
import { mapBounded } from "./map-bounded.ts";

describe("an artifact's record", () => {
  it("does not grow for ever with ever new owners", () => {
    let record = createRecord(ref("x"), { sessionId: "first" });
    for (let at = 0; at < 1_000; at++) record = putAgain(record, { sessionId: `s${at}` }, "2026-01-01T00:00:00.000Z");
    expect(record.scopes).toHaveLength(256);
    expect(record.scopes.at(-1)).toEqual({ sessionId: "s999" });
  });

  it("counts what is pinned among the bytes, and lets others go for it", () => {
    const pinned = withPin(createRecord(ref("12345"), undefined), "run");
    const other = createRecord(ref("678"), undefined);
    expect(listExpired([pinned, other], { maxBytes: 5 }, 0)).toEqual([other]);
    expect(listExpired([pinned], { maxBytes: 0, maxAgeMs: 0 }, 1e15)).toEqual([]);
  });
});

describe("createKeyedQueue", () => {
  it("runs the tasks of a key one by one, and others meanwhile", async () => {
    const queue = createKeyedQueue();
    const log: string[] = [];
    const task = (name: string) => async (): Promise<void> => {
      log.push(`${name} begins`);
      await new Promise((done) => setTimeout(done, 5));
      log.push(`${name} ends`);
    };
    await Promise.all([queue.run("k", task("a")), queue.run("k", task("b")), queue.run("other", task("c"))]);
    expect(log.indexOf("b begins")).toBeGreaterThan(log.indexOf("a ends"));
    expect(log.indexOf("c begins")).toBeLessThan(log.indexOf("a ends"));
  });

  it("goes on after a failure, which its caller hears", async () => {
    const queue = createKeyedQueue();
    const failed = queue.run("k", () => Promise.reject(new Error("no")));
    const next = queue.run("k", async () => 7);
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe(7);
  });
});

describe("mapBounded", () => {
  it("keeps the order and never has more at once than allowed", async () => {
    let [now, most] = [0, 0];
    const doubled = await mapBounded(
      Array.from({ length: 100 }, (_, at) => at),
      7,
      async (at) => {
        most = Math.max(most, ++now);
        await new Promise((done) => setImmediate(done));
        now -= 1;
        return at * 2;
      },
    );
    expect(doubled).toEqual(Array.from({ length: 100 }, (_, at) => at * 2));
    expect(most).toBe(7);
  });

  it("rejects with the first failure", async () => {
    await expect(mapBounded([1, 2], 2, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });
});

function ref(text: string) {
  return describeArtifact(Buffer.from(text), { mimeType: "text/plain", namespace: "n" }, 0);
}
