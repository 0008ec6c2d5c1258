import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import { type SceneEvent, sceneEventSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { createMemoryFiles, type MemoryFiles } from "../testing/memory-files.ts";
import type { PictureStore } from "./event-files.ts";
import { type OpenSceneEventLog, openSceneEventLog, type SceneEventDraft } from "./open-scene-event-log.ts";

const T0 = Date.UTC(2026, 0, 10, 12);
const DAY_MS = 86_400_000;

describe("the log of scene events", () => {
  it("gives each event an id and its picture, then tells of it", async () => {
    const { log, pictures } = await openApp();
    const told: SceneEvent[] = [];
    log.onEvent((event) => told.push(event));
    log.add(draft(), Promise.resolve(new Uint8Array(10)));
    await log.close();
    expect(told).toEqual([{ id: "event_1", ...draft(), picture: "art_1" }]);
    expect(sceneEventSchema.parse(told[0])).toEqual(told[0]);
    expect(pictures.kept.size).toBe(1);
    expect(log.get("event_1")).toEqual(told[0]);
  });

  it("keeps the order of the calls when a picture is late", async () => {
    const { log } = await openApp();
    const late = Promise.withResolvers<Uint8Array | undefined>();
    log.add(draft({ text: "first" }), late.promise);
    log.add(draft({ text: "second" }), Promise.resolve(undefined));
    late.resolve(undefined);
    await log.close();
    expect(log.list().map(({ text }) => text)).toEqual(["second", "first"]);
  });

  it("filters by camera, class, kind and time, newest first", async () => {
    const { log } = await openApp();
    const at = (minute: number): string => new Date(T0 + minute * 60_000).toISOString();
    log.add(draft({ text: "a", class_name: "car", timestamp: at(0) }), nothing());
    log.add(draft({ text: "b", kind: "left", timestamp: at(1) }), nothing());
    log.add(draft({ text: "c", camera: "yard", timestamp: at(2) }), nothing());
    log.add(draft({ text: "d", timestamp: at(3) }), nothing());
    await log.close();
    const texts = (filter: Parameters<typeof log.list>[0]): string =>
      log
        .list(filter)
        .map(({ text }) => text)
        .join("");
    expect(texts({})).toBe("dcba");
    expect(texts({ camera: "YARD" })).toBe("c");
    expect(texts({ className: "Car" })).toBe("a");
    expect(texts({ kind: "left" })).toBe("b");
    expect(texts({ from: at(1), to: at(3) })).toBe("cb");
    expect(texts({ limit: 2 })).toBe("dc");
    expect(texts({ limit: 2, order: "oldest" })).toBe("ab");
    expect(texts({ limit: 0 })).toBe("");
  });

  it("VA-19 is there after a restart, days and a torn tail included", async () => {
    const app = await openApp();
    app.log.add(draft({ text: "monday" }), nothing());
    await app.log.close();
    await app.pass(DAY_MS);
    app.log.add(draft({ text: "tuesday" }), nothing());
    await app.log.close();
    const [, tuesday = ""] = [...app.files.contents.keys()].filter((path) => path.includes("2026"));
    app.files.contents.set(tuesday, `${app.files.contents.get(tuesday)}{"id":"event_9","ki`);
    const again = await openApp({ files: app.files, nowMs: T0 + DAY_MS });
    expect(again.log.list().map(({ text }) => text)).toEqual(["tuesday", "monday"]);
    again.log.add(draft({ text: "later" }), nothing());
    await again.log.close();
    const third = await openApp({ files: app.files, nowMs: T0 + DAY_MS });
    expect(third.log.list().map(({ text }) => text)).toEqual(["later", "tuesday", "monday"]);
  });
});

describe("a failing disk", () => {
  it("costs no event, and what could not be written is written later", async () => {
    const { log, files, problems } = await openApp();
    files.fault = { code: "ENOSPC" };
    let told = 0;
    log.onEvent(() => {
      told += 1;
    });
    log.add(draft(), nothing());
    log.add(draft(), nothing());
    await log.close();
    expect(told).toBe(2);
    expect(log.list()).toHaveLength(2);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("no space left");
    files.fault = undefined;
    log.add(draft(), nothing());
    await log.close();
    expect((await openApp({ files })).log.list()).toHaveLength(3);
  });

  it("is told once in ten minutes, though it refuses only now and then", async () => {
    const { log, files, problems, pass } = await openApp();
    const refuse = async (): Promise<void> => {
      files.fault = { code: "ENOSPC" };
      log.add(draft(), nothing());
      await log.close();
      files.fault = undefined;
      log.add(draft(), nothing());
      await log.close();
    };
    await refuse();
    await refuse();
    expect(problems).toHaveLength(1);
    await pass(600_000);
    await refuse();
    expect(problems).toHaveLength(2);
  });

  it("costs the picture, not the event, when the picture cannot be kept", async () => {
    const { log, pictures, problems } = await openApp();
    pictures.failing = true;
    log.add(draft(), Promise.resolve(new Uint8Array(1)));
    await log.close();
    expect(log.list()[0]).not.toHaveProperty("picture");
    expect(problems).toHaveLength(1);
  });
});

describe("making room", () => {
  it("removes days that are too old with their pictures, and records why", async () => {
    const app = await openApp({ keepDays: 3 });
    for (let day = 0; day < 5; day += 1) {
      app.log.add(draft({ text: `day ${day}` }), Promise.resolve(new Uint8Array(5)));
      await app.log.close();
      await app.pass(DAY_MS);
    }
    const again = await openApp({ ...app, keepDays: 3, nowMs: T0 + 4 * DAY_MS });
    const days = [...app.files.contents.keys()].flatMap((path) => /2026-\d\d-\d\d/.exec(path)?.[0] ?? []);
    expect(days).toEqual(["2026-01-12", "2026-01-13", "2026-01-14"]);
    expect(app.pictures.kept.size).toBe(3);
    expect(again.log.removals()).toMatchObject([
      { day: "2026-01-10", reason: "older than 3 days", events: 1, pictures: 1 },
      { day: "2026-01-11", reason: "older than 3 days", events: 1, pictures: 1 },
    ]);
  });

  it("removes the oldest day first when all of it takes too much room, then today's oldest pictures", async () => {
    const app = await openApp({ maxBytes: 1_000_000 });
    app.log.add(draft(), Promise.resolve(new Uint8Array(400_000)));
    await app.log.close();
    await app.pass(DAY_MS);
    for (let count = 0; count < 4; count += 1) {
      app.log.add(draft(), Promise.resolve(new Uint8Array(280_000)));
    }
    await app.log.close();
    const again = await openApp({ ...app, maxBytes: 1_000_000, nowMs: T0 + DAY_MS });
    expect(again.log.removals()).toMatchObject([
      { day: "2026-01-10", reason: "events and pictures took more than 1 MB", events: 1, pictures: 1 },
      { day: "2026-01-11", events: 0, pictures: 1 },
    ]);
    expect([...app.pictures.kept.keys()]).toEqual(["art_3", "art_4", "art_5"]);
  });
});

interface FakePictures extends PictureStore {
  readonly kept: Map<string, number>;
  failing: boolean;
}

interface App {
  readonly log: OpenSceneEventLog;
  readonly files: MemoryFiles;
  readonly pictures: FakePictures;
  readonly problems: string[];
  pass(ms: number): Promise<void>;
}

async function openApp(
  options: {
    readonly files?: MemoryFiles;
    readonly pictures?: FakePictures;
    readonly keepDays?: number;
    readonly maxBytes?: number;
    readonly nowMs?: number;
  } = {},
): Promise<App> {
  const { files = createMemoryFiles(), pictures = fakePictures(), keepDays = 14, maxBytes = 1e9 } = options;
  const clock = createFakeClock(options.nowMs ?? T0);
  const problems: string[] = [];
  const ids = createCountingIds();
  const onProblem = (message: string): void => void problems.push(message);
  const folder = "/w/events";
  const log = await openSceneEventLog({ files, folder, pictures, keepDays, maxBytes, clock, ids, onProblem });
  return { log, files, pictures, problems, pass: (ms) => clock.advance(ms) };
}

function fakePictures(): FakePictures {
  const kept = new Map<string, number>();
  let count = 0;
  const store: FakePictures = {
    kept,
    failing: false,
    put: async (bytes) => {
      if (store.failing) throw new Error("the picture store is full");
      count += 1;
      kept.set(`art_${count}`, bytes.length);
      return { id: `art_${count}` };
    },
    list: async () => [...kept].map(([id, bytes]) => ({ id, bytes })),
    remove: async (id) => kept.delete(id),
  };
  return store;
}

function draft(more: Partial<SceneEventDraft> = {}): SceneEventDraft {
  return {
    kind: "appeared",
    timestamp: new Date(T0).toISOString(),
    camera: "street",
    pipeline_id: "pipe_1",
    frame_number: 1,
    text: "It happened.",
    ...more,
  };
}

function nothing(): Promise<undefined> {
  return Promise.resolve(undefined);
}
