// biome-ignore lint/correctness/noUndeclaredDependencies: tests alone import this suite, and vitest belongs to the whole app
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Memory } from "../memory/memory.ts";

export interface MemoryUnderTest {
  readonly memory: Memory;
  /** Moves the clock, which begins at 2026-02-11 14:05, to another time of the memory's zone, such as `2026-02-12T08:00`. */
  readonly setTime: (local: string) => void;
  readonly close?: () => Promise<void>;
}

/** What every memory keeps to, whatever it is made of. */
export function memoryContract(title: string, makeMemory: () => Promise<MemoryUnderTest>): void {
  describe(`memory contract: ${title}`, () => {
    let made: MemoryUnderTest;
    beforeEach(async () => {
      made = await makeMemory();
    });
    afterEach(() => made.close?.());
    describe("notes", () => checkNotes(() => made));
    describe("search", () => checkSearch(() => made));
    describe("observations", () => checkObservations(() => made));
  });
}

function checkNotes(made: () => MemoryUnderTest): void {
  it("S000-3.4.1 go to the file of their category and are found with path, line and all that they carry", async () => {
    const { memory } = made();
    const categories = ["observation", "knowledge", "preference"] as const;
    for (const category of categories) {
      const content = `A zebra as ${category}`;
      const place = await memory.store({ content, category, camera: "gate", metadata: { event: "e1", sure: 0.5 } });
      const { passages } = await memory.search(category);
      expect(passages[0]).toMatchObject({
        text: content,
        category,
        ...place,
        camera: "gate",
        day: "2026-02-11",
        metadata: { event: "e1", sure: 0.5 },
      });
    }
    const { passages } = await memory.search("zebra");
    expect(passages.map(({ path }) => path).sort()).toEqual(["USER.md", "memory/2026-02-11.md", "memory/KNOWLEDGE.md"]);
  });

  it("are all kept when many come at once", async () => {
    const { memory } = made();
    const contents = Array.from({ length: 25 }, (_, n) => `parcel number${n}`);
    await Promise.all(contents.map((content) => memory.store({ content, category: "observation" })));
    const { passages } = await memory.search("parcel", { maxResults: 100 });
    expect(passages.map(({ text }) => text).sort()).toEqual(contents.toSorted());
    expect(new Set(passages.map(({ line }) => line)).size).toBe(25);
  });

  it("that are empty are refused", async () => {
    await expect(made().memory.store({ content: " \n ", category: "knowledge" })).rejects.toThrow(RangeError);
  });
}

function checkSearch(made: () => MemoryUnderTest): void {
  it("gives the best first, with scores above 0 to 1, and no more than asked for", async () => {
    const { memory } = made();
    await storeAll(memory, ["A red truck at the dock", "A red bicycle", "A dog runs by"]);
    const { passages } = await memory.search("red truck dock", { maxResults: 2 });
    expect(passages.map(({ text }) => text)).toEqual(["A red truck at the dock", "A red bicycle"]);
    for (const { score } of passages) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
    expect(passages[0]!.score).toBeGreaterThan(passages[1]!.score);
  });

  it("leaves other cameras out", async () => {
    const { memory } = made();
    await memory.store({ content: "A van waits", category: "observation", camera: "Front door" });
    await memory.store({ content: "A van waits too", category: "observation", camera: "front door 2" });
    await memory.store({ content: "A van of nobody", category: "observation" });
    const { passages } = await memory.search("van", { camera: "FRONT DOOR" });
    expect(passages.map(({ text }) => text)).toEqual(["A van waits"]);
    expect((await memory.search("van", { camera: "nowhere" })).passages).toEqual([]);
  });

  it("leaves other days out", async () => {
    const { memory, setTime } = made();
    for (const day of ["2026-02-09", "2026-02-10", "2026-02-11", "2026-02-12"]) {
      setTime(`${day}T12:00`);
      await memory.store({ content: `A fox on ${day}`, category: "observation" });
    }
    const days = async (filter: { from?: string; to?: string }) =>
      (await memory.search("fox", filter)).passages.map(({ day }) => day).sort();
    expect(await days({ from: "2026-02-10", to: "2026-02-11" })).toEqual(["2026-02-10", "2026-02-11"]);
    expect(await days({ from: "2026-02-12" })).toEqual(["2026-02-12"]);
    expect(await days({ to: "2026-02-09" })).toEqual(["2026-02-09"]);
    await expect(memory.search("fox", { from: "yesterday" })).rejects.toThrow(RangeError);
  });

  it("takes every sign of a question as text", async () => {
    const { memory } = made();
    await storeAll(memory, ['He said "stop" and left']);
    for (const query of [
      '"stop',
      "stop*",
      "NEAR(stop",
      "stop AND",
      "body:stop",
      "stop) OR (x",
      "'; drop table notes",
    ]) {
      expect((await memory.search(query)).passages.length, query).toBeLessThanOrEqual(1);
    }
    expect((await memory.search('"stop')).passages).toHaveLength(1);
    expect((await memory.search("")).passages).toEqual([]);
    expect((await memory.search("* ( \" ' - :")).passages).toEqual([]);
  });
}

function checkObservations(made: () => MemoryUnderTest): void {
  it("S000-3.4.3 are given by day and camera", async () => {
    const { memory, setTime } = made();
    await memory.store({ content: "First", category: "observation", camera: "gate" });
    await memory.store({ content: "Known for good", category: "knowledge" });
    await memory.store({ content: "Second", category: "observation", camera: "yard" });
    expect(await memory.observations()).toMatch(/14:05 \[gate\] First\n.*14:05 \[yard\] Second/);
    expect(await memory.observations({ camera: "GATE" })).toMatch(/^- 14:05 \[gate\] First$/i);
    setTime("2026-02-12T00:01");
    expect(await memory.observations()).toBe("");
    expect(await memory.observations({ day: "2026-02-11" })).toContain("Second");
    expect(await memory.observations({ day: "2026-02-11" })).not.toContain("Known for good");
  });

  it("of the last days fit the prompt; the newest are kept, and the cut is seen", async () => {
    const { memory, setTime } = made();
    for (const day of ["2026-02-08", "2026-02-10", "2026-02-11"]) {
      setTime(`${day}T12:00`);
      for (let n = 0; n < 20; n += 1) await memory.store({ content: `Note ${n} of ${day}`, category: "observation" });
    }
    const whole = await memory.recentObservations({ days: 2, maxTokens: 5000 });
    expect(whole.match(/Note/g)).toHaveLength(40);
    expect(whole).not.toMatch(/2026-02-08|cut off/);
    const cut = await memory.recentObservations({ days: 2, maxTokens: 200 });
    expect(cut.length).toBeLessThanOrEqual(600);
    expect(cut).toMatch(/^\[Older observations are cut off: \d+ of 40 lines are shown\.\]/);
    expect(cut).toContain("Note 19 of 2026-02-11");
    expect(cut).not.toContain("Note 0 of 2026-02-10");
    setTime("2026-03-01T12:00");
    expect(await memory.recentObservations({ days: 2, maxTokens: 200 })).toBe("");
  });
}

async function storeAll(memory: Memory, contents: readonly string[]): Promise<void> {
  for (const content of contents) await memory.store({ content, category: "observation" });
}
