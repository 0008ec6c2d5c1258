import { createMemoryArtifactStore } from "@vision-agent/agent-core";
import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { type OpenSceneEventLog, openSceneEventLog } from "./store/open-scene-event-log.ts";
import { originOf, withCameraNames } from "./store/picture-origin.ts";
import { createRecordings } from "./store/recordings.ts";
import { openSceneTrace } from "./store/scene-trace.ts";
import { fakeCameraAdmin } from "./testing/fake-undo.ts";
import { createMemoryFiles } from "./testing/memory-files.ts";
import type { CameraAdmin, CameraAdminOptions } from "./tools/camera-admin.ts";
import { openCameraRenames } from "./workspace/camera-names.ts";
import { createPassingCameras } from "./workspace/camera-store.ts";

describe("what a renamed camera saw", () => {
  it("is found under its new name, also after a restart and when the index is built anew", async () => {
    const app = createApp("yard", "dock");
    const first = await app.open();
    await app.see(first.events, "yard", 2);
    await app.see(first.events, "dock", 1);
    await first.admin.change("yard", { name: "garden" });
    await app.see(first.events, "garden", 1);
    for (const { events } of [first, await app.open()]) {
      expect([seenBy(events, "garden"), seenBy(events, "yard"), seenBy(events, "dock")]).toEqual([3, 0, 1]);
      expect(events.visits({ camera: "garden" })).toHaveLength(3);
      expect(events.countCrossings({ camera: "garden" }).in).toBe(0);
      expect(events.list({ camera: "garden" }).map(({ camera }) => camera)).toEqual(Array(3).fill("garden"));
    }
  });

  it("stays with it when two cameras swap their names, and when a new one gets the old name", async () => {
    const app = createApp("a", "b");
    const { admin, events, cameras } = await app.open();
    await app.see(events, "a", 1);
    await app.see(events, "b", 2);
    await admin.change("a", { name: "x" });
    await admin.change("b", { name: "a" });
    await admin.change("x", { name: "b" });
    expect([seenBy(events, "a"), seenBy(events, "b"), seenBy(events, "x")]).toEqual([2, 1, 0]);
    await admin.change("a", { name: "c" });
    await cameras.add({ name: "a", address: "sim://street" });
    await app.see(events, "a", 5);
    for (const { events: log } of [{ events }, await app.open()])
      expect([seenBy(log, "a"), seenBy(log, "b"), seenBy(log, "c")]).toEqual([5, 1, 2]);
  });

  it("is under its old name again when the rename is undone", async () => {
    const app = createApp("yard");
    const { admin, events } = await app.open();
    await app.see(events, "yard", 1);
    await admin.change("yard", { name: "garden" });
    await app.see(events, "garden", 1);
    await admin.change("garden", { name: "yard" });
    for (const { events: log } of [{ events }, await app.open()])
      expect([seenBy(log, "yard"), seenBy(log, "garden")]).toEqual([2, 0]);
  });

  it("is in the trace and in recordings", async () => {
    const app = createApp("yard");
    const { admin, names } = await app.open();
    const { files, clock } = app;
    const trace = await openSceneTrace({ ...TRACE, files, clock, names });
    const frame = { pipelineId: "p", width: 9, height: 9, things: [], weak: [], values: {} };
    const beganMs = clock.now();
    trace.note({ ...frame, camera: "yard", atMs: clock.now() });
    await clock.advance(20_000);
    await admin.change("yard", { name: "garden" });
    await clock.advance(20_000);
    trace.note({ ...frame, camera: "garden", atMs: clock.now() });
    const found = async (camera: string) => {
      const cameras: string[] = [];
      const period = { camera, fromMs: 0, toMs: clock.now() + 1 };
      for await (const frames of trace.frames(period)) cameras.push(...frames.map((one) => one.camera));
      return cameras;
    };
    expect([await found("garden"), await found("yard")]).toEqual([["garden", "garden"], []]);
    const recordings = createRecordings({
      files: {
        ...files,
        list: async (folder) => (folder.endsWith("/yard") ? [{ name: `${beganMs / 1000}.mkv`, bytes: 9 }] : []),
      },
      ...{ folder: "/w/recordings", keepHours: 2, maxBytes: 100, clock, names, onProblem: () => undefined },
    });
    const pieces = (camera: string) => recordings.piecesIn({ camera, fromMs: 0, toMs: clock.now() });
    expect(await pieces("garden")).toMatchObject([{ camera: "garden", path: expect.stringContaining("/yard/") }]);
    expect(await pieces("yard")).toEqual([]);
  });

  it("are pictures of the camera as it is called now, for whoever asks what may be shown", async () => {
    const app = createApp("yard");
    const { admin, names } = await app.open();
    const store = withCameraNames(createMemoryArtifactStore({ clock: app.clock }), names);
    const { id } = await store.put(new TextEncoder().encode("{}"), {
      mimeType: "application/json",
      namespace: "t",
      sources: ["camera:yard", "given"],
    });
    await app.clock.advance(1000);
    await admin.change("yard", { name: "garden" });
    expect(originOf(await store.ref(id))).toEqual({ cameras: ["garden"] });
  });
});

const STEPS = ["names", "row", "accounts", "rules", "recordings", "pipelines", "places", "watches", "events"] as const;

describe("a rename that a kill cuts off", () => {
  it.each(STEPS)("at its step %s is done wholly or not at all after the next start", async (step) => {
    const app = createApp("yard");
    const first = await app.open({ dieAt: step });
    await app.see(first.events, "yard", 1);
    void first.admin.change("yard", { name: "garden" });
    await first.dead;
    const { admin, events, cameras, names } = await app.open();
    await admin.resume();
    expect(names.underWay()).toBeUndefined();
    const name = cameras.find("garden") ? "garden" : "yard";
    expect(name).toBe(step === "names" || step === "row" ? "yard" : "garden");
    expect(seenBy(events, name)).toBe(1);
    const all = name === "garden" ? STEPS.slice(2) : [];
    expect([...app.renamed].toSorted()).toEqual([...all].toSorted());
    await admin.change(name, { name: "park" });
    expect(seenBy(events, "park")).toBe(1);
  });

  it("that cannot be made leaves everything as it was", async () => {
    const app = createApp("yard", "dock");
    const { admin, names } = await app.open();
    await expect(admin.change("yard", { name: "dock" })).rejects.toThrow("There is a camera called dock already.");
    expect([names.underWay(), names.nameOf("yard", 0)]).toEqual([undefined, "yard"]);
    await admin.change("yard", { name: "Yard" });
    expect([names.underWay(), names.nameOf("yard", 0)]).toEqual([undefined, "Yard"]);
  });
});

const TRACE = { folder: "/w/trace", keepHours: 24, maxBytes: 1e9, onProblem: () => undefined };

function seenBy(events: OpenSceneEventLog, camera: string): number {
  return events.count({ camera }).total;
}

/** A disk, and cameras, that outlive what is opened on them. */
function createApp(...cameraNames: readonly string[]) {
  const files = createMemoryFiles();
  const clock = createFakeClock(Date.UTC(2026, 0, 1, 12));
  const ids = createCountingIds();
  const cameras = createPassingCameras(cameraNames.map((name) => ({ name, address: `sim://${name}` })));
  const renamed = new Set<string>();
  const onNotice = (message: string): never => {
    throw new Error(message);
  };
  const open = async ({ dieAt }: { readonly dieAt?: (typeof STEPS)[number] } = {}) => {
    const names = await openCameraRenames({ files, path: "/w/names.json", now: clock.now, onNotice });
    await names.settle((name) => cameras.find(name)?.name === name);
    const events = await openSceneEventLog({
      ...{ files, clock, ids, nameOf: names.nameOf, folder: "/w/events", indexPath: ":memory:", timeZone: "UTC" },
      ...{ keepDays: 14, maxBytes: 1e9, alertPictures: () => new Set<string>(), onProblem: onNotice },
      pictures: createMemoryArtifactStore() as never,
    });
    await events.settled();
    const dead = Promise.withResolvers<void>();
    /** Comes to the step and goes no further when it is to die there. */
    const at = async (step: (typeof STEPS)[number], work: () => Promise<unknown> = async () => renamed.add(step)) => {
      if (step === dieAt) {
        dead.resolve();
        await new Promise(() => undefined);
      }
      return work();
    };
    const mark = (step: (typeof STEPS)[number]) => async () => void (await at(step));
    const accounts = {
      list: () => [{ name: "guest", role: "viewer", cameras: renamed.has("accounts") ? ["garden"] : ["yard"] }],
      change: mark("accounts"),
    } as unknown as CameraAdminOptions["accounts"];
    const admin: CameraAdmin = fakeCameraAdmin({
      cameras: {
        find: (name) => cameras.find(name),
        add: (entry) => cameras.add(entry),
        remove: (name) => cameras.remove(name),
        change: async (name, entry) => (await at("row", () => cameras.change(name, entry))) as never,
      },
      names: {
        begin: async (from, to) => void (await at("names", () => names.begin(from, to))),
        finish: () => names.finish(),
        settle: (hasName) => names.settle(hasName),
        underWay: () => names.underWay(),
      },
      accounts,
      rules: { moveCamera: mark("rules") },
      recordings: { renameCamera: mark("recordings") },
      pipelines: { list: () => [], stop: onNotice as never, renameCamera: mark("pipelines") },
      places: { renameCamera: mark("places") },
      watches: { list: () => [], update: onNotice as never, remove: onNotice as never, renameCamera: mark("watches") },
      events: {
        renameCamera: async (from, to) => {
          await at("events");
          await events.renameCamera(from, to);
        },
      },
    });
    return { names, events, admin, cameras, dead: dead.promise };
  };
  const see = async (events: OpenSceneEventLog, camera: string, count: number): Promise<void> => {
    for (let number = 0; number < count; number += 1) {
      await clock.advance(1000);
      const timestamp = new Date(clock.now()).toISOString();
      const about = {
        kind: "appeared",
        class_name: "person",
        pipeline_id: "p",
        frame_number: 1,
        text: "Seen.",
      } as const;
      events.add({ ...about, timestamp, camera, visit_id: ids.next("visit") }, Promise.resolve(undefined));
      await events.settled();
    }
    await clock.advance(1000);
  };
  return { files, clock, renamed, open, see };
}
