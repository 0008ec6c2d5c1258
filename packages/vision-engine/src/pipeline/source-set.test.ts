import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EngineError } from "../errors.ts";
import type { Frame } from "../frames/frame.ts";
import { NO_DROPS } from "../sources/frame-source.ts";
import { frameOf } from "../testing/index.ts";
import type { PipelineSource } from "./pipeline.ts";
import { type SourceFeed, SourceSet } from "./source-set.ts";

describe("SourceSet", () => {
  it("gives one frame of each source", async () => {
    const { sources, give } = setOf("each");
    await sources.add({ sourceId: "a", source: "" });
    await sources.add({ sourceId: "b", source: "" });
    const collected = names(sources);
    give("a", 1);
    await nextTurn();
    give("b", 7);
    expect(await collected).toEqual(["a1", "b7"]);
  });

  it("does not wait for a live source that has nothing when another has", async () => {
    const { sources, give, endWait } = setOf("any");
    await sources.add({ sourceId: "a", source: "" });
    await sources.add({ sourceId: "b", source: "" });
    const collected = names(sources);
    give("b", 1);
    await nextTurn();
    endWait();
    expect(await collected).toEqual(["b1"]);
    const next = names(sources);
    give("a", 1);
    give("b", 2);
    expect(await next).toEqual(["a1", "b2"]);
  });

  it("goes on with the others when one ends, and ends with the last", async () => {
    const { sources, give, end } = setOf("each");
    await sources.add({ sourceId: "a", source: "" });
    await sources.add({ sourceId: "b", source: "" });
    end("a");
    give("b", 1);
    expect(await names(sources)).toEqual(["b1"]);
    end("b");
    expect(await sources.collect()).toBeUndefined();
  });

  it("takes in a source and lets one go while it waits", async () => {
    const { sources, give, closed } = setOf("each");
    await sources.add({ sourceId: "a", source: "" });
    const collected = names(sources);
    await sources.add({ sourceId: "b", source: "" });
    expect(await sources.remove("a")).toBe(true);
    expect(await sources.remove("a")).toBe(false);
    give("b", 3);
    expect(await collected).toEqual(["b3"]);
    expect(closed).toEqual(["a"]);
    expect(sources.ids).toEqual(["b"]);
  });

  it("refuses a name that is taken, and forgets a source that does not open", async () => {
    const { sources } = setOf("any");
    await sources.add({ sourceId: "a", source: "" });
    await expect(sources.add({ sourceId: "a", source: "" })).rejects.toMatchObject({ kind: "input" });
    await expect(sources.add({ sourceId: "broken", source: "" })).rejects.toMatchObject({ kind: "source" });
    expect(sources.ids).toEqual(["a"]);
  });

  it("hands on what went wrong, and hears a stop", async () => {
    const { sources, stop } = setOf("any");
    await sources.add({ sourceId: "a", source: "" });
    const collected = sources.collect();
    stop(new Error("stopped"));
    await expect(collected).rejects.toThrow("stopped");
    const other = setOf("any");
    await other.sources.add({ sourceId: "a", source: "" });
    other.fail("a");
    await expect(other.sources.collect()).rejects.toThrow("a wheel came off");
  });

  it("counts what sources dropped, also those that have left", async () => {
    const { sources } = setOf("any");
    await sources.add({ sourceId: "a", source: "" });
    await sources.add({ sourceId: "b", source: "" });
    await sources.remove("b");
    expect(sources.drops.not_taken_in_time).toBe(4);
  });
});

async function names(sources: SourceSet<Frame>): Promise<readonly string[] | undefined> {
  const frames = await sources.collect();
  return frames?.map(({ metadata }) => `${metadata.source_id}${metadata.frame_number}`);
}

/** Sources whose frames come when a test says so. */
function setOf(wait: "each" | "any") {
  const waiting = new Map<string, PromiseWithResolvers<Frame | undefined>>();
  const closed: string[] = [];
  const ending = new AbortController();
  let waits = Promise.withResolvers<void>();
  const line = (id: string): PromiseWithResolvers<Frame | undefined> => {
    const known = waiting.get(id) ?? Promise.withResolvers<Frame | undefined>();
    waiting.set(id, known);
    return known;
  };
  const createFeed = ({ sourceId: id }: PipelineSource): SourceFeed => ({
    drops: { ...NO_DROPS, not_taken_in_time: 2 },
    async open() {
      if (id === "broken") throw new EngineError({ kind: "source", message: "It does not open." });
    },
    async next(signal) {
      const { promise, reject } = line(id);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      const frame = await promise;
      waiting.delete(id);
      return frame;
    },
    pause: () => undefined,
    resume: () => undefined,
    async close() {
      closed.push(id);
    },
  });
  return {
    sources: new SourceSet({ createFeed, wait, collectMs: 1, sleep: () => waits.promise, signal: ending.signal }),
    closed,
    stop: (reason: Error) => ending.abort(reason),
    give: (id: string, frameNumber: number) => line(id).resolve(frameOf({ sourceId: id, frameNumber })),
    end: (id: string) => line(id).resolve(undefined),
    fail: (id: string) => line(id).reject(new Error("a wheel came off")),
    endWait: () => {
      waits.resolve();
      waits = Promise.withResolvers<void>();
    },
  };
}
