import type { Effect } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { fakeUndo, memoryLog } from "../../testing/fake-undo.ts";
import { cameraEffect, noteEffect, watchEffect } from "../effects.ts";
import { PartialFailure } from "../graded-tool.ts";
import { openUndoIntents, type UndoIntents } from "./undo-intents.ts";
import type { UndoKind } from "./undo-kind.ts";
import { type KeptStep, keptStepSchema } from "./undo-orders.ts";

describe("undo", () => {
  it("puts back what the last change found, and walks back when it is asked again", async () => {
    const { things, change, undo } = openJournal();
    await change("a", "first");
    await change("a", "second");
    await change("b", "new");
    expect((await undo.undo({})).effects[0]?.kind).toBe("removed");
    expect(things).toEqual(new Map([["a", "second"]]));
    await undo.undo({});
    expect(things).toEqual(new Map([["a", "first"]]));
    await undo.undo({});
    expect(things).toEqual(new Map());
    await expect(undo.undo({})).rejects.toThrow("There is nothing to undo from the last 24 hours.");
  });

  it("does again what was undone last, step by step", async () => {
    const { things, change, undo } = openJournal();
    await change("a", "first");
    await change("a", "second");
    await undo.undo({});
    await undo.undo({});
    await undo.undo({ redo: true });
    expect(things).toEqual(new Map([["a", "first"]]));
    await undo.undo({ redo: true });
    expect(things).toEqual(new Map([["a", "second"]]));
    await expect(undo.undo({ redo: true })).rejects.toThrow("Nothing was undone");
    await undo.undo({});
    expect(things).toEqual(new Map([["a", "first"]]));
  });

  it("refuses where the thing was changed again since, and leaves it alone", async () => {
    const { things, change, undo } = openJournal();
    await change("a", "first");
    things.set("a", "by hand");
    await expect(undo.undo({})).rejects.toThrow("That was changed again since (watch a), so it stays as it is.");
    expect(things).toEqual(new Map([["a", "by hand"]]));
  });

  it("undoes a change that is named, also when it is not the last", async () => {
    const { things, change, undo } = openJournal();
    await change("a", "first");
    await change("b", "second");
    await undo.undo({ step: undo.list()[1]!.id });
    expect(things).toEqual(new Map([["b", "second"]]));
    await expect(undo.undo({ step: undo.list()[1]!.id })).rejects.toThrow("It was undone already");
  });

  it("passes over what cannot be undone, and says so", async () => {
    const { things, change, tell, undo } = openJournal();
    await change("a", "first");
    await tell();
    const { passed } = await undo.undo({});
    expect(passed).toEqual(['Sent alert "x". That cannot be undone.']);
    expect(things).toEqual(new Map());
    await expect(undo.undo({})).rejects.toThrow('There is nothing to undo from the last 24 hours. Sent alert "x".');
  });

  it("is over after a day", async () => {
    const { change, undo, wait } = openJournal();
    await change("a", "first");
    wait(24 * 3600_000 + 1);
    expect(undo.list()).toEqual([]);
    await expect(undo.undo({})).rejects.toThrow("nothing to undo");
  });

  it("knows everything again after a restart", async () => {
    const first = openJournal();
    await first.change("a", "first");
    const lines = first.entries.map((step) => keptStepSchema.parse(JSON.parse(JSON.stringify(step))));
    const second = openJournal({ entries: lines, things: first.things });
    await second.undo.undo({});
    expect(first.things).toEqual(new Map());
  });

  it("takes a step that was put back before a crash for undone", async () => {
    const { things, change, undo } = openJournal();
    await change("a", "first");
    things.delete("a");
    expect(await undo.undo({})).toMatchObject({ effects: [], step: { undone_at: expect.any(String) } });
  });

  it("puts back all of one call or nothing", async () => {
    const { things, undo } = openJournal({
      things: new Map([
        ["a", "1"],
        ["b", "2"],
      ]),
      stubborn: "a",
    });
    await undo.during(
      "anna",
      async () => things.clear(),
      () => ["a", "b"].map((id) => watchEffect("removed", { id, words: id, cameras: [] })),
    );
    await expect(undo.undo({})).rejects.toThrow("a does not come back");
    expect(things).toEqual(new Map());
    expect(undo.list()).toHaveLength(1);
    expect(undo.list()[0]).not.toHaveProperty("undone_at");
  });

  it("takes back all calls of one order, and does them again together", async () => {
    const { things, change, undo } = openJournal();
    await change("a", "first");
    await change("a", "second", "turn");
    await change("b", "new", "turn");
    await change("a", "third", "turn");
    expect(undo.list()).toHaveLength(2);
    expect(undo.list()[0]).toMatchObject({
      lines: ['Changed watch "a".', 'Created watch "b".'],
    });
    await undo.undo({});
    expect(things).toEqual(new Map([["a", "first"]]));
    await undo.undo({ redo: true });
    expect(Object.fromEntries(things)).toEqual({ a: "third", b: "new" });
    await undo.undo({});
    await undo.undo({});
    expect(things).toEqual(new Map());
  });

  it("takes back what can be of an order, says what could not, and goes on with the order before", async () => {
    const { things, change, tell, undo } = openJournal();
    await change("z", "before");
    await change("a", "1", "turn");
    await change("b", "2", "turn");
    await tell("turn");
    things.set("a", "by hand");
    expect((await undo.undo({})).passed).toEqual([
      'Sent alert "x". That cannot be undone.',
      'Created watch "a". That was changed again since (watch a), so it stays as it is.',
    ]);
    expect(Object.fromEntries(things)).toEqual({ z: "before", a: "by hand" });
    await undo.undo({});
    expect(Object.fromEntries(things)).toEqual({ a: "by hand" });
  });

  it("goes on with an order whose undo a crash cut off, and does all of it again", async () => {
    const { things, change, undo, entries } = openJournal();
    await change("a", "1", "turn");
    await change("a", "2", "turn");
    await change("b", "3", "turn");
    await undo.undo({});
    // The crash came after the first call was marked.
    entries.splice(0, 2, ...entries.slice(0, 2).map(({ undone_at: _, ...step }) => step));
    things.set("a", "2");
    await undo.undo({});
    expect(things).toEqual(new Map());
    await undo.undo({ redo: true });
    expect(Object.fromEntries(things)).toEqual({ a: "2", b: "3" });
  });

  it("says once what cannot be undone, not with every step", async () => {
    const { change, tell, undo } = openJournal();
    await change("a", "1");
    await change("b", "2");
    await tell();
    await tell();
    expect((await undo.undo({})).passed).toEqual(['Sent alert "x". That cannot be undone.']);
    expect((await undo.undo({})).passed).toEqual([]);
  });

  it("tells of many changes of a kind in one line", async () => {
    const { change, undo } = openJournal();
    for (const id of ["a", "b", "c", "d"]) await change(id, "1", "turn");
    expect(undo.list()[0]?.lines).toEqual(["Created 4 watches."]);
    expect((await undo.undo({})).lines).toEqual(["Removed 4 watches."]);
  });

  it.each(["", "undo_x", "x".repeat(10_000)])("does not repeat the id of a change that there is not", async (step) => {
    const { undo } = openJournal();
    await expect(undo.undo({ step })).rejects.toThrow(
      /^There is no such change in the last 24 hours; the list of changes to undo has their ids\.$/,
    );
  });

  it("knows the step of a change that a crash cut off before it was kept", async () => {
    const files = memoryFiles();
    const first = openJournal({ intents: await openUndoIntents(files, "/undo-open.json") });
    await first.change("a", "1");
    await first.crashDuring("b", "2", "turn");
    const second = openJournal({
      things: first.things,
      entries: first.entries,
      intents: await openUndoIntents(files, "/undo-open.json"),
    });
    await second.undo.recover();
    expect(second.undo.list().map(({ lines }) => lines)).toEqual([["Created watch b."], ['Created watch "a".']]);
    await second.undo.undo({});
    expect(Object.fromEntries(first.things)).toEqual({ a: "1" });
    const third = openJournal({ entries: first.entries, intents: await openUndoIntents(files, "/undo-open.json") });
    await third.undo.recover();
    expect(third.undo.list()).toHaveLength(2);
  });

  it("keeps no secret of a change under way", async () => {
    const files = memoryFiles();
    const { change, crashDuring } = openJournal({ intents: await openUndoIntents(files, "/undo-open.json") });
    await change("a", "hidden77");
    await change("hidden77", "1");
    await crashDuring("b", "2");
    expect(files.text()).toContain('"found"');
    expect(files.text()).not.toContain("hidden77");
  });

  it("can undo what a call changed before it failed", async () => {
    const { things, undo } = openJournal();
    const failing = undo.during(
      "agent",
      async () => {
        things.set("a", "first");
        throw new PartialFailure(new Error("then it broke"), [effectOf("created", "a")]);
      },
      () => [],
    );
    await expect(failing).rejects.toThrow("then it broke");
    await undo.undo({});
    expect(things).toEqual(new Map());
  });

  it("keeps no step for a call that changed nothing, as one that is made again after a crash", async () => {
    const { change, undo } = openJournal();
    await change("a", "first");
    await change("a", "first");
    expect(undo.list()).toHaveLength(1);
  });

  it("keeps no secret, and says why that change cannot be undone", async () => {
    const { change, undo, entries } = openJournal();
    await change("a", "hidden77");
    expect(JSON.stringify(entries)).not.toContain("hidden77");
    await expect(undo.undo({})).rejects.toThrow("nothing to undo");
    expect(undo.list()[0]?.blocked).toContain("it holds a secret");
  });

  it("makes the change also where it cannot be kept, and tells of that", async () => {
    const problems: string[] = [];
    const { things, undo } = openJournal({ problems, brokenLog: true });
    await undo.during(
      "anna",
      () => void things.set("a", "1"),
      () => [effectOf("created", "a")],
    );
    expect(things.get("a")).toBe("1");
    expect(problems).toEqual(["A change cannot be undone after a restart: the disk is full"]);
  });

  it("forgets notes about a camera in a time, and nothing else", async () => {
    const entries: KeptStep[] = [
      {
        id: "u1",
        at: "2026-01-01T09:00:00.000Z",
        by: "agent",
        items: [{ effect: noteEffect({ path: "m", line: 1 }, "a van", "dock") }],
      },
      { id: "u2", at: "2026-01-01T09:00:00.000Z", by: "agent", items: [{ effect: cameraEffect("saved", "dock") }] },
    ];
    const { undo } = openJournal({ entries });
    const target = {
      camera: "dock",
      fromMs: 0,
      toMs: Infinity,
      events: new Set<string>(),
      pictures: new Set<string>(),
    };
    expect(await undo.forget(target, { preview: true })).toMatchObject({ count: 1 });
    expect(entries).toHaveLength(2);
    await undo.forget(target, { preview: false });
    expect(entries.map(({ id }) => id)).toEqual(["u2"]);
  });
});

function effectOf(kind: Effect["kind"], id: string): Effect {
  return watchEffect(kind, { id, words: id, cameras: [] });
}

function openJournal(
  options: {
    readonly entries?: KeptStep[];
    readonly things?: Map<string, string>;
    readonly stubborn?: string;
    readonly brokenLog?: boolean;
    readonly problems?: string[];
    readonly intents?: UndoIntents;
  } = {},
) {
  const { entries = [], things = new Map<string, string>(), problems = [] } = options;
  let nowMs = Date.UTC(2026, 0, 1, 10);
  const watch: UndoKind = {
    all: async () => new Map(things),
    async put(from, to) {
      if (to.state === undefined) {
        things.delete(from.id);
        return effectOf("removed", from.id);
      }
      if (to.id === options.stubborn) throw new Error(`${to.id} does not come back`);
      things.set(to.id, String(to.state));
      return effectOf(from.state === undefined ? "created" : "changed", to.id);
    },
  };
  const log = memoryLog(entries);
  const broken = { ...log, append: async () => Promise.reject(new Error("the disk is full")) };
  const undo = fakeUndo({
    log: options.brokenLog ? broken : log,
    kinds: { watch },
    ...(options.intents && { intents: options.intents }),
    now: () => {
      nowMs += 1;
      return nowMs;
    },
    redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("hidden77", "***")),
    onProblem: (message) => problems.push(message),
  });
  return {
    things,
    entries,
    undo,
    wait: (ms: number) => {
      nowMs += ms;
    },
    change: (id: string, state: string, order?: string) => {
      const kind = things.has(id) ? "changed" : "created";
      return undo.during(
        "anna",
        () => void things.set(id, state),
        () => [effectOf(kind, id)],
        order,
      );
    },
    /** Changes it and never comes back. */
    crashDuring: (id: string, state: string, order?: string) =>
      new Promise<void>((resolve) => {
        void undo.during(
          "anna",
          () => {
            things.set(id, state);
            resolve();
            return new Promise<void>(() => undefined);
          },
          () => [],
          order,
        );
      }),
    tell: (order?: string) =>
      undo.during(
        "agent",
        () => undefined,
        () => [{ kind: "sent", what: "alert", id: "al_1", name: "x", text: 'Sent alert "x".', link: "/" }],
        order,
      ),
  };
}

function memoryFiles() {
  let kept: string | undefined;
  return {
    text: () => kept,
    readText: async () => kept,
    writeAtomic: async (_path: string, text: string) => {
      kept = text;
    },
  };
}
