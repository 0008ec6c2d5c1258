import { createJobSpec } from "@vision-agent/agent-core/jobs";
import { describe, expect, it } from "vitest";
import type { ParsedNote } from "../../memory/note-text.ts";
import { fakeCameras, fakeContext, fakePipelines, textOf } from "../../testing/fake-app.ts";
import { fakeLimits } from "../../testing/fake-limits.ts";
import { fakeModes, fakePlaces } from "../../testing/fake-places.ts";
import { fakeCameraAdmin, fakeUndo } from "../../testing/fake-undo.ts";
import { createPassingCameras } from "../../workspace/camera-store.ts";
import { limitEffect, noteEffect, pipelineEffect, removedNoteEffect, taskEffect } from "../effects.ts";
import { asksFirst } from "../graded-tool.ts";
import { createUndoKinds } from "./undo-kinds.ts";
import { undoTool } from "./undo-tool.ts";

describe("undo of", () => {
  it("a note finds it by what it says, wherever it stands by now", async () => {
    const { undo, notes, remember } = setUp();
    await remember("The van comes at two.");
    notes.unshift(noteOf("Written by hand."));
    await undo.undo({});
    expect(notes.map(({ text }) => text)).toEqual(["Written by hand."]);
    await undo.undo({ redo: true });
    expect(notes.map(({ text }) => text)).toEqual(["Written by hand.", "The van comes at two."]);
  });

  it("a note that was forgotten is not possible, and no other note goes instead", async () => {
    const { undo, notes, remember } = setUp();
    notes.push(noteOf("first"), noteOf("second"));
    await undo.during(
      "agent",
      () => void notes.shift(),
      () => [removedNoteEffect({ path: "memory/KNOWLEDGE.md", line: 1, text: "first" })],
    );
    await expect(undo.undo({})).rejects.toThrow('Removed note "first". That cannot be undone.');
    expect(notes.map(({ text }) => text)).toEqual(["second"]);
    await remember("third");
    await undo.undo({});
    expect(notes.map(({ text }) => text)).toEqual(["second"]);
  });

  it("a task that was cancelled schedules it again under its id", async () => {
    const { undo, jobs } = setUp();
    const spec = createJobSpec({
      id: "task_1",
      kind: "cron",
      trigger: { type: "every", ms: 60_000 },
      instructions: "Look.",
      principal: { id: "owner", type: "user" } as never,
    });
    jobs.push(spec);
    await undo.during(
      "agent",
      () => void jobs.pop(),
      () => [taskEffect("cancelled", { id: "task_1", instructions: "Look." })],
    );
    await undo.undo({});
    expect(jobs).toEqual([JSON.parse(JSON.stringify(spec))]);
  });

  it("a limit of spending sets the one before", async () => {
    const { undo, spendingLimits } = setUp();
    const before = await spendingLimits.current();
    await undo.during(
      "anna",
      () => spendingLimits.change({ daily_usd: before.daily_usd + 5 }),
      () => [limitEffect("more")],
    );
    await undo.undo({});
    expect(await spendingLimits.current()).toEqual(before);
  });

  it("a camera that was removed brings its password back, which stands in no step", async () => {
    const { undo, cameras, cameraAdmin, entries } = setUp();
    await undo.during(
      "anna",
      () => cameraAdmin.remove("street"),
      ({ effects }) => effects,
    );
    expect(JSON.stringify(entries())).not.toContain("password");
    await undo.undo({});
    expect(cameras.find("street")?.address).toBe("rtsp://owner:password@street.local/stream");
  });
});

describe("the tool undo", () => {
  it("says what was undone, and needs no yes for what needed none", async () => {
    const { tool, undo, pipelines } = setUp();
    await undo.during(
      "agent",
      () => pipelines.start({ videoReference: "street", spec: SPEC }),
      (one) => [pipelineEffect("started", one)],
    );
    const grade = await tool.gradeOf({}, fakeContext());
    expect(grade).toMatchObject({ grade: "change", always: false });
    expect([asksFirst("supervised", grade, false), asksFirst("supervised", grade, true)]).toEqual([false, true]);
    expect(textOf(await tool.execute({}, fakeContext()))).toBe(
      "Undone: Started pipeline street on street.\nStopped pipeline street on street.",
    );
  });

  it.each<[string, boolean]>([
    ["address", true],
    ["notes", false],
    ["masks", true],
  ])("asks on every level before a camera gets back its %s: %s", async (key, always) => {
    const { tool, undo, cameraAdmin } = setUp();
    const mask = [
      [
        [0, 0],
        [1, 0],
        [1, 1],
      ],
    ] as const;
    const changes = { address: "sim://street", notes: "wet", masks: mask.map((one) => one.map(([x, y]) => [x, y])) };
    await undo.during(
      "anna",
      () => cameraAdmin.change("street", { [key]: changes[key as keyof typeof changes] }),
      ({ effects }) => effects,
    );
    expect(await tool.gradeOf({}, fakeContext())).toMatchObject({ always });
  });

  it("asks on every level before a removal is done again", async () => {
    const { tool, undo, cameraAdmin } = setUp();
    await undo.during(
      "anna",
      () => cameraAdmin.remove("street"),
      ({ effects }) => effects,
    );
    await undo.undo({});
    expect(await tool.gradeOf({ redo: true }, fakeContext())).toMatchObject({
      always: true,
      question: "May I do this again: Removed camera street.",
    });
  });

  it("asks nobody where there is nothing to undo, and says so", async () => {
    const { tool } = setUp();
    expect(await tool.gradeOf({}, fakeContext())).toEqual({ grade: "look" });
    await expect(tool.execute({}, fakeContext())).rejects.toThrow("There is nothing to undo");
  });
});

const SPEC = { version: "1.0", inputs: [], steps: [{ type: "x", name: "x" }], outputs: [] };

function noteOf(text: string): ParsedNote {
  return { path: "memory/KNOWLEDGE.md", line: 1, category: "knowledge", text, heading: "" };
}

function setUp() {
  const notes: ParsedNote[] = [];
  const jobs: object[] = [];
  const cameras = createPassingCameras(fakeCameras("street", "dock").list());
  const pipelines = fakePipelines();
  const kept = new Map<string, string>();
  const cameraAdmin = fakeCameraAdmin({
    cameras,
    credentials: {
      take: async (value) => {
        const address = String(value);
        kept.set(address.replace("owner:password@", ""), address);
        return value;
      },
    },
  });
  const spendingLimits = fakeLimits();
  const kinds = createUndoKinds({
    watches: { list: () => [], remove: never, putBack: never },
    pipelines,
    cameras,
    cameraAdmin,
    credentials: { complete: (address) => kept.get(address) ?? address },
    places: fakePlaces(),
    modes: fakeModes(),
    spendingLimits,
    jobs: {
      list: async () => jobs as never,
      upsert: async (spec) => void jobs.push(spec),
      remove: async () => jobs.pop() !== undefined,
    },
    memory: {
      notesIn: async () => notes.map((note, at) => ({ ...note, line: at + 1 })),
      removeNote: async (_path, text) =>
        notes.splice(
          notes.findLastIndex((one) => one.text === text),
          1,
        ).length > 0,
      store: async ({ content }) => {
        notes.push(noteOf(content));
        return { path: "memory/KNOWLEDGE.md", line: notes.length };
      },
    },
  });
  const stored: unknown[] = [];
  let nowMs = Date.UTC(2026, 0, 1, 10);
  const undo = fakeUndo({
    kinds,
    now: () => {
      nowMs += 1;
      return nowMs;
    },
    redact: (value) => {
      stored.push(value);
      return value;
    },
  });
  return {
    notes,
    jobs,
    cameras,
    cameraAdmin,
    pipelines,
    spendingLimits,
    undo,
    entries: () => stored,
    tool: undoTool(undo, { list: () => [] }),
    remember: (text: string) =>
      undo.during(
        "agent",
        () => void notes.push(noteOf(text)),
        () => [noteEffect({ path: "memory/KNOWLEDGE.md", line: notes.length }, text)],
      ),
  };
}

async function never(): Promise<never> {
  throw new Error("Nobody asks here.");
}
