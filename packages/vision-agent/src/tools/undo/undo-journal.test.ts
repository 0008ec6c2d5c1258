import type { Effect } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { fakeUndo, memoryLog } from "../../testing/fake-undo.ts";
import { cameraEffect, noteEffect, watchEffect } from "../effects.ts";
import { PartialFailure } from "../graded-tool.ts";
import { keptStepSchema, type UndoJournalOptions } from "./undo-journal.ts";
import type { UndoKind } from "./undo-kind.ts";

type KeptStep = ReturnType<UndoJournalOptions["log"]["entries"]>[number];

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
    await expect(undo.undo({})).rejects.toThrow("That was changed again since (watch a), so nothing was undone.");
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
    change: (id: string, state: string) => {
      const kind = things.has(id) ? "changed" : "created";
      return undo.during(
        "anna",
        () => void things.set(id, state),
        () => [effectOf(kind, id)],
      );
    },
    tell: () =>
      undo.during(
        "agent",
        () => undefined,
        () => [{ kind: "sent", what: "alert", id: "al_1", name: "x", text: 'Sent alert "x".', link: "/" }],
      ),
  };
}
