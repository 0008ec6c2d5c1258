import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IdSource } from "@vision-agent/agent-core";
import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import { type SceneEvent, sceneEventSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { createMemoryFiles, type MemoryFiles } from "../testing/memory-files.ts";
import type { PictureStore } from "./event-retention.ts";
import { type OpenSceneEventLog, openSceneEventLog, type SceneEventDraft } from "./open-scene-event-log.ts";

const T0 = Date.UTC(2026, 0, 10, 12);
const DAY_MS = 86_400_000;

describe("the log of scene events", () => {
  it("gives each event an id and its picture, then tells of it", async () => {
    const { log, pictures } = await openApp();
    const told: SceneEvent[] = [];
    log.onEvent((event) => told.push(event));
    log.add(draft(), Promise.resolve(new Uint8Array(10)));
    await log.settled();
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
    await log.settled();
    expect(log.list().map(({ text }) => text)).toEqual(["second", "first"]);
  });

  it("filters by camera, class, kind and time, newest first", async () => {
    const { log } = await openApp();
    const at = (minute: number): string => new Date(T0 + minute * 60_000).toISOString();
    log.add(draft({ text: "a", class_name: "car", timestamp: at(0) }), nothing());
    log.add(draft({ text: "b", kind: "left", timestamp: at(1) }), nothing());
    log.add(draft({ text: "c", camera: "yard", timestamp: at(2) }), nothing());
    log.add(draft({ text: "d", timestamp: at(3) }), nothing());
    await log.settled();
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
    await app.log.settled();
    await app.pass(DAY_MS);
    app.log.add(draft({ text: "tuesday" }), nothing());
    await app.log.settled();
    const [, tuesday = ""] = [...app.files.contents.keys()].filter((path) => path.includes("2026"));
    app.files.contents.set(tuesday, `${app.files.contents.get(tuesday)}{"id":"event_9","ki`);
    const again = await openApp({ ...app, nowMs: T0 + DAY_MS });
    expect(again.log.list().map(({ text }) => text)).toEqual(["tuesday", "monday"]);
    again.log.add(draft({ text: "later" }), nothing());
    await again.log.settled();
    const third = await openApp({ ...app, nowMs: T0 + DAY_MS });
    expect(third.log.list().map(({ text }) => text)).toEqual(["later", "tuesday", "monday"]);
  });
});

describe("a failing disk", () => {
  it("costs no event, and what could not be written is written later", async () => {
    const { log, files, ids, problems } = await openApp();
    files.fault = { code: "ENOSPC" };
    let told = 0;
    log.onEvent(() => {
      told += 1;
    });
    log.add(draft(), nothing());
    log.add(draft(), nothing());
    await log.settled();
    expect(told).toBe(2);
    expect(log.list()).toHaveLength(2);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("no space left");
    files.fault = undefined;
    log.add(draft(), nothing());
    await log.settled();
    expect((await openApp({ files, ids })).log.list()).toHaveLength(3);
  });

  it("is told once in ten minutes, though it refuses only now and then", async () => {
    const { log, files, problems, pass } = await openApp();
    const refuse = async (): Promise<void> => {
      files.fault = { code: "ENOSPC" };
      log.add(draft(), nothing());
      await log.settled();
      files.fault = undefined;
      log.add(draft(), nothing());
      await log.settled();
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
    await log.settled();
    expect(log.list()[0]).not.toHaveProperty("picture");
    expect(problems).toHaveLength(1);
  });
});

describe("making room", () => {
  it("removes days that are too old with their pictures, and records why", async () => {
    const app = await openApp({ keepDays: 3 });
    for (let day = 0; day < 5; day += 1) {
      app.log.add(draft({ text: `day ${day}` }), Promise.resolve(new Uint8Array(5)));
      await app.log.settled();
      await app.pass(DAY_MS);
    }
    const again = await openApp({ ...app, keepDays: 3, nowMs: T0 + 4 * DAY_MS });
    const days = [...app.files.contents.keys()].flatMap((path) => /2026-\d\d-\d\d/.exec(path)?.[0] ?? []);
    expect(days).toEqual(["2026-01-12", "2026-01-13", "2026-01-14"]);
    expect(app.pictures.kept.size).toBe(3);
    expect(again.log.removals()).toMatchObject([
      { day: "2026-01-10", reason: "older than 3 days", events: 1, pictures: 0 },
      { day: "2026-01-10", reason: "older than 3 days", events: 0, pictures: 1 },
      { day: "2026-01-11", reason: "older than 3 days", events: 1, pictures: 0 },
      { day: "2026-01-11", reason: "older than 3 days", events: 0, pictures: 1 },
    ]);
    expect(again.log.count({}).total).toBe(3);
  });

  it("removes the oldest pictures first when all of it takes too much room, and those of alerts last", async () => {
    const app = await openApp({ maxBytes: 1_000_000, alertPictures: ["art_1"] });
    for (let count = 0; count < 5; count += 1) {
      app.log.add(draft(), Promise.resolve(new Uint8Array(240_000)));
      await app.log.settled();
    }
    expect([...app.pictures.kept.keys()]).toEqual(["art_1", "art_4", "art_5"]);
    expect(app.log.count({}).total).toBe(5);
    const [removal] = app.log.removals();
    expect(removal).toMatchObject({ reason: "events and pictures took more than 1 MB", events: 0, pictures: 1 });
  });

  it("then removes the oldest days, of which counts stay, and the pictures of alerts when nothing else is left", async () => {
    const alertPictures = ["art_1", "art_2"];
    const app = await openApp({ maxBytes: 650_000, alertPictures });
    for (let day = 0; day < 3; day += 1) {
      const picture = day < 2 ? Promise.resolve(new Uint8Array(10_000)) : nothing();
      const timestamp = new Date(T0 + day * DAY_MS).toISOString();
      for (let count = 0; count < 500; count += 1) {
        app.log.add(
          draft({ timestamp, box_xyxy: [1.23456, 2.34567, 3.45678, 4.56789] }),
          count > 0 ? nothing() : picture,
        );
      }
      await app.log.settled();
      await app.pass(DAY_MS);
    }
    const days = [...app.files.contents.keys()].flatMap((path) => /2026-\d\d-\d\d/.exec(path)?.[0] ?? []);
    expect(days).toEqual(["2026-01-11", "2026-01-12"]);
    expect([...app.pictures.kept.keys()]).toEqual(alertPictures);
    expect(app.log.list({ limit: 1, order: "oldest" })).toMatchObject([{ timestamp: "2026-01-11T12:00:00.000Z" }]);
    expect(app.log.count({}, ["day"]).groups.map(({ count }) => count)).toEqual([500, 500, 500]);
    const tight = await openApp({ ...app, maxBytes: 10_000, alertPictures, nowMs: T0 + 2 * DAY_MS });
    expect([...tight.pictures.kept.keys()]).toEqual([]);
    expect(tight.log.list({ limit: 1, order: "oldest" })).toMatchObject([{ timestamp: "2026-01-12T12:00:00.000Z" }]);
  });
});

describe("the index of events", () => {
  it("VA-19 is built anew when it is missing or damaged, and says so", async () => {
    const folder = await mkdtemp(join(tmpdir(), "events-"));
    const indexPath = join(folder, "events.sqlite");
    const app = await openApp({ indexPath });
    for (let count = 0; count < 3; count += 1) app.log.add(draft({ text: `event ${count}` }), nothing());
    await app.log.close();
    await writeFile(indexPath, "this is no database, whatever its name says ".repeat(200));
    const damaged = await openApp({ ...app, indexPath });
    expect(damaged.log.list().map(({ text }) => text)).toEqual(["event 2", "event 1", "event 0"]);
    expect(damaged.problems).toEqual([expect.stringContaining("damaged and is built anew")]);
    await damaged.log.close();
    await rm(indexPath);
    const missing = await openApp({ ...app, indexPath });
    expect(missing.log.count({}).total).toBe(3);
    await missing.log.close();
    await rm(folder, { recursive: true });
  });

  it("VA-19 catches up with what was written without it, and drops what is no longer in the files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "events-"));
    const indexPath = join(folder, "events.sqlite");
    const app = await openApp({ indexPath });
    app.log.add(draft({ text: "kept" }), nothing());
    app.log.add(draft({ text: "edited away" }), nothing());
    await app.log.close();
    const [[path = "", text = ""] = []] = [...app.files.contents].filter(([name]) => name.includes("2026"));
    const [first = ""] = text.split("\n");
    app.files.contents.set(path, `${first}\n${first.replace("event_1", "event_7").replace("kept", "added")}\n`);
    const again = await openApp({ ...app, indexPath });
    expect(again.log.list().map((event) => event.text)).toEqual(["added", "kept"]);
    expect(again.log.count({}).total).toBe(2);
    await again.log.close();
    await rm(folder, { recursive: true });
  });

  it("refuses to count while it is being built, and lists what it has", async () => {
    const files = createMemoryFiles();
    const app = await openApp({ files });
    for (let count = 0; count < 3; count += 1) app.log.add(draft(), nothing());
    await app.log.settled();
    const held = Promise.withResolvers<void>();
    const readText = async (path: string) => {
      if (path.includes("2026")) await held.promise;
      return files.readText(path);
    };
    const { log } = await openApp({ ...app, files: { ...files, readText }, isHurried: true });
    expect(() => log.count({})).toThrow("The index of events is being built (0 %): ask again in a minute.");
    expect(log.list()).toEqual([]);
    held.resolve();
    await log.settled();
    expect(log.count({}).total).toBe(3);
  });

  it("leaves no byte of a forgotten event, its visit included", async () => {
    const folder = await mkdtemp(join(tmpdir(), "events-"));
    const indexPath = join(folder, "events.sqlite");
    const { log } = await openApp({ indexPath });
    for (let count = 0; count < 200; count += 1) {
      const text = count % 2 === 0 ? `Zebrafinch-7741 number ${count}` : `Kingfisher-2093 number ${count}`;
      log.add(draft({ text, visit_id: `visit_${text.replaceAll(" ", "_")}` }), nothing());
    }
    await log.settled();
    expect(await bytesOf(folder)).toContain("Zebrafinch");
    const going = await log.find(({ text }) => text.startsWith("Zebrafinch"));
    const events = new Set(going.map(({ id }) => id));
    const target = { fromMs: 0, toMs: 0, events, pictures: new Set<string>() };
    expect((await log.forget(target, { preview: true })).count).toBe(100);
    expect(log.count({}).total).toBe(200);
    expect((await log.forget(target, { preview: false })).count).toBe(100);
    expect(await bytesOf(folder)).not.toContain("Zebrafinch");
    expect(await bytesOf(folder)).toContain("Kingfisher");
    expect(log.count({}).total).toBe(100);
    expect(log.visits({ limit: 1000 })).toHaveLength(100);
    await log.close();
    await rm(folder, { recursive: true });
  });
});

it("forgets counts of a camera whose events had made room", async () => {
  const app = await openApp({ maxBytes: 400_000 });
  for (const [day, camera] of ["door", "yard", "yard"].entries()) {
    const timestamp = new Date(T0 + day * DAY_MS).toISOString();
    app.log.add(draft({ timestamp, camera, text: `${day}`.repeat(80_000) }), nothing());
    await app.log.settled();
    await app.pass(DAY_MS);
  }
  expect(app.log.list({ camera: "door" })).toEqual([]);
  expect(app.log.count({ camera: "door" }).total).toBe(1);
  const target = { camera: "DOOR", fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
  await app.log.forget({ ...target, events: new Set(), pictures: new Set() }, { preview: false });
  expect(app.log.count({}, ["camera"]).groups).toEqual([{ camera: "yard", count: 2 }]);
});

describe("visits", () => {
  const visit = (id: string, kind: SceneEventDraft["kind"], second: number): SceneEventDraft =>
    draft({ kind, visit_id: id, tracker_id: 1, class_name: "person", timestamp: timeOf(second) });

  it("go from the first event to the leaving, with the best picture in all of their events", async () => {
    const { log, pictures } = await openApp();
    const told: (string | undefined)[] = [];
    log.onEvent(({ picture }) => told.push(picture));
    log.add(visit("v1", "appeared", 0), Promise.resolve(new Uint8Array(1)));
    await log.settled();
    expect(log.visits()).toMatchObject([{ id: "v1", begin: timeOf(0), end: null, picture: "art_1", events: 1 }]);
    log.add(visit("v1", "line_crossed", 5), nothing());
    log.add(visit("v1", "left", 9), Promise.resolve(new Uint8Array(2)));
    await log.settled();
    expect(log.visits()).toMatchObject([{ id: "v1", end: timeOf(9), picture: "art_2", events: 3 }]);
    expect(log.list().map(({ picture }) => picture)).toEqual(["art_2", "art_2", "art_2"]);
    expect([...pictures.kept.keys()]).toEqual(["art_2"]);
    expect(told).toEqual(["art_1", "art_1", "art_2"]);
    expect(log.list({ visit: "v1", order: "oldest" }).map(({ kind }) => kind)).toEqual([
      ...["appeared", "line_crossed", "left"],
    ]);
  });

  it("keep their first picture where an alert or another visit shows it", async () => {
    const { log, pictures } = await openApp({ alertPictures: ["art_1"] });
    for (const [at, id] of ["told", "alone"].entries()) {
      log.add(visit(id, "appeared", at * 10), Promise.resolve(new Uint8Array(1)));
      log.add(visit(id, "left", at * 10 + 5), Promise.resolve(new Uint8Array(2)));
    }
    await log.settled();
    expect([...pictures.kept.keys()]).toEqual(["art_1", "art_2", "art_4"]);
  });

  it("that nobody follows any more end with their last event, also after a restart", async () => {
    const app = await openApp();
    app.log.add(visit("v1", "appeared", 0), nothing());
    app.log.add(visit("v2", "appeared", 1), nothing());
    await app.log.settled();
    const again = await openApp(app);
    expect(again.log.visits().map(({ end }) => end)).toEqual([timeOf(1), timeOf(0)]);
    expect(app.log.visits().map(({ end }) => end)).toEqual([null, null]);
    app.log.endVisits("street");
    await app.log.settled();
    expect(app.log.visits().map(({ end }) => end)).toEqual([timeOf(1), timeOf(0)]);
  });
});

function timeOf(second: number): string {
  return new Date(T0 + second * 1000).toISOString();
}

async function bytesOf(folder: string): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")))).join("");
}

interface FakePictures extends PictureStore {
  readonly kept: Map<string, number>;
  failing: boolean;
}

interface App {
  readonly log: OpenSceneEventLog;
  readonly files: MemoryFiles;
  readonly pictures: FakePictures;
  readonly ids: IdSource;
  readonly problems: string[];
  pass(ms: number): Promise<void>;
}

async function openApp(
  options: {
    readonly files?: MemoryFiles;
    readonly pictures?: FakePictures;
    readonly ids?: IdSource;
    readonly keepDays?: number;
    readonly maxBytes?: number;
    readonly nowMs?: number;
    /** Nothing is waited for. */
    readonly isHurried?: boolean;
    readonly indexPath?: string;
    readonly alertPictures?: readonly string[];
  } = {},
): Promise<App> {
  const { files = createMemoryFiles(), ids = createCountingIds(), keepDays = 14, maxBytes = 1e9 } = options;
  const clock = createFakeClock(options.nowMs ?? T0);
  const pictures = options.pictures ?? fakePictures(clock.now);
  const problems: string[] = [];
  const onProblem = (message: string): void => void problems.push(message);
  const folder = "/w/events";
  const log = await openSceneEventLog({
    ...{ files, folder, pictures, keepDays, maxBytes, ids, onProblem },
    clock: options.isHurried ? { ...clock, sleep: async () => undefined } : clock,
    indexPath: options.indexPath ?? ":memory:",
    timeZone: "Europe/Berlin",
    alertPictures: () => new Set(options.alertPictures),
  });
  if (!options.isHurried) await log.settled();
  return { log, files, pictures, ids, problems, pass: (ms) => clock.advance(ms) };
}

function fakePictures(now: () => number): FakePictures {
  const kept = new Map<string, number>();
  const takenAt = new Map<string, string>();
  let count = 0;
  const store: FakePictures = {
    kept,
    failing: false,
    put: async (bytes) => {
      if (store.failing) throw new Error("the picture store is full");
      count += 1;
      kept.set(`art_${count}`, bytes.length);
      takenAt.set(`art_${count}`, new Date(now()).toISOString());
      return { id: `art_${count}` };
    },
    list: async () => [...kept].map(([id, bytes]) => ({ id, bytes, createdAt: takenAt.get(id) ?? "" })),
    ref: async (id) => (kept.has(id) ? { namespace: "event_picture" } : undefined),
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
