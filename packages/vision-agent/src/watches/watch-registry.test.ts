import { createCountingIds, createFakeClock, type FakeClock } from "@vision-agent/agent-core/testing";
import type { PipelineStatus, WatchRequest } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { BackendError } from "../backends/backend.ts";
import type { StartRequest } from "../pipelines/pipeline-registry.ts";
import type { FollowedView } from "../scene/followed-view.ts";
import type { SceneInterest } from "../scene/scene-interest.ts";
import { sceneResult, thing, viewsOf } from "../testing/fake-scene.ts";
import type { StoredWatch } from "./camera-assignments.ts";
import type { PlaceFinder } from "./condition-reading.ts";
import { createWatchRegistry, type WatchFiring, type WatchRegistry } from "./watch-registry.ts";
import type { QuietReason } from "./watch-times.ts";

const REQUEST: WatchRequest = {
  words: "tell me when a person comes",
  cameras: ["street"],
  classes: ["person"],
  condition: { kind: "appears" },
  cooldown_seconds: 30,
  severity: "info",
};

describe("a watch", () => {
  it("runs on a pipeline that the watches of its camera and model share, which goes with the last of them", async () => {
    const app = openApp();
    const first = await app.watches.create(REQUEST);
    const second = await app.watches.create({ ...REQUEST, classes: ["car"], condition: { kind: "leaves" } });
    expect(app.running()).toEqual(["pipe_1 on street"]);
    expect(second.pipelines).toEqual([{ camera: "street", pipeline_id: "pipe_1", status: "running" }]);
    await app.watches.create({ ...REQUEST, model_id: "other/1" });
    await app.watches.remove(first.id);
    expect(app.running()).toEqual(["pipe_1 on street", "pipe_2 on street"]);
    await app.watches.remove(second.id);
    expect(app.running()).toEqual(["pipe_2 on street"]);
  });

  it("fires with a sentence and who it was, for the camera that saw it", async () => {
    const app = openApp();
    const firings: WatchFiring[] = [];
    app.watches.onFiring((firing) => firings.push(firing));
    await app.watches.create(REQUEST);
    const views = viewsOf([0, 100, 200].map((ms) => sceneResult(ms, [thing(1, "person", 100)])));
    for (const view of views) app.show({ ...view, camera: "yard" });
    for (const view of views) app.show({ ...view, pipelines: new Set(["pipe_9"]) });
    for (const view of views) app.show(view);
    expect(firings).toMatchObject([
      { holds: true, text: "A person appeared on street.", track: { trackerId: 1 }, view: { camera: "street" } },
    ]);
  });

  it("counts when its condition comes true, not when that is over", async () => {
    const app = openApp();
    const told: boolean[] = [];
    app.watches.onFiring(({ holds }) => told.push(holds));
    await app.watches.create({ ...REQUEST, condition: { kind: "count", at_least: 1, for_seconds: 0 } });
    const shown = [0, 100, 200, 5000].map((ms) => sceneResult(ms, ms < 5000 ? [thing(1, "person", 100)] : []));
    for (const view of viewsOf(shown, { interests: [...app.followed].map(({ interest }) => interest) })) app.show(view);
    expect(told).toEqual([true, false]);
  });

  it("has its line or zone followed on its cameras while it is on", async () => {
    const app = openApp();
    const condition = { kind: "stays", seconds: 60 } as const;
    const { id } = await app.watches.create({ ...REQUEST, cameras: ["street", "yard"], condition });
    const followed = () => [...app.followed].map(({ camera, interest }) => [camera, interest.staySeconds]);
    expect(followed()).toEqual([
      ["street", 60],
      ["yard", 60],
    ]);
    await app.watches.setEnabled(id, false);
    expect(followed()).toEqual([]);
    await app.watches.setEnabled(id, true);
    expect(followed()).toHaveLength(2);
    await app.watches.remove(id);
    expect(followed()).toEqual([]);
    await app.watches.create(REQUEST);
    expect(followed()).toEqual([]);
  });

  it("takes the place of another in one step, on the same pipeline, and not at all when it cannot be made", async () => {
    const app = openApp();
    const { id } = await app.watches.create(REQUEST);
    const asked = { ...REQUEST, active_hours: { from: "22:00", to: "06:00" } };
    await expect(app.watches.create({ ...asked, cameras: ["attic"] }, { replaces: id })).rejects.toThrow("attic");
    await expect(app.watches.create(asked, { replaces: "watch_9" })).rejects.toThrow("There is no watch watch_9.");
    expect(app.watches.list()).toMatchObject([{ id }]);
    const successor = await app.watches.create(asked, { replaces: id });
    expect(app.watches.list()).toMatchObject([{ id: successor.id, active_hours: asked.active_hours }]);
    expect(app.running()).toEqual(["pipe_1 on street"]);
  });

  it("follows a sequence over two cameras, and looks at both", async () => {
    const app = openApp();
    const told: string[] = [];
    app.watches.onFiring(({ text, view }) => told.push(`${view.camera}: ${text}`));
    const condition = {
      kind: "sequence" as const,
      steps: [{ when: { kind: "appears" as const } }, { camera: "yard", when: { kind: "appears" as const } }],
      within_seconds: 10,
    };
    const watch = await app.watches.create({ ...REQUEST, condition });
    expect(app.running()).toEqual(["pipe_1 on street", "pipe_2 on yard"]);
    expect(watch.pipelines.map(({ camera }) => camera)).toEqual(["street", "yard"]);
    const coming = (fromMs: number) =>
      viewsOf([0, 100, 200].map((ms) => sceneResult(fromMs + ms, [thing(1, "person", 100)])));
    const onYard = (fromMs: number) => coming(fromMs).map((view) => ({ ...view, camera: "yard" }));
    for (const view of [...onYard(0), ...coming(1000)]) app.show(view);
    expect(told).toEqual([]);
    for (const view of onYard(5000)) app.show(view);
    expect(told).toEqual(["yard: A person appeared on yard."]);
  });

  it("judges the outputs of a pipeline that runs, and starts none for that", async () => {
    const app = openApp();
    const output = {
      kind: "output",
      pipeline: "belt",
      path: "belt",
      comparator: ">",
      value: 2,
      for_seconds: 0,
    } as const;
    const request = { ...REQUEST, classes: [], condition: output };
    await expect(app.watches.create(request)).rejects.toThrow("There is no pipeline belt. Pipelines are: none.");
    app.pipelines.push(toStatus("pipe_2", "belt", "street"));
    await expect(app.watches.create({ ...request, cameras: ["yard"] })).rejects.toThrow("runs on street");
    const { id } = await app.watches.create(request);
    const told: boolean[] = [];
    app.watches.onFiring(({ holds }) => told.push(holds));
    const [view] = viewsOf([sceneResult(0, [], { counts: { belt: 3 } })]);
    app.show({ ...view!, pipelineId: "pipe_2", pipelineName: "belt" });
    expect(told).toEqual([true]);
    expect(app.watches.get(id)).toMatchObject({ pipelines: [{ camera: "street", pipeline_id: "pipe_2" }] });
    await app.watches.remove(id);
    expect(app.running()).toEqual(["pipe_2 on street"]);
  });

  it("runs the detectors of all its parts, and starts one again that has ended", async () => {
    const app = openApp();
    const other = { classes: ["helmet"], model_id: "other/1" };
    const near = { kind: "near" as const, other, distance: 0.1, for_seconds: 0 };
    const first = await app.watches.create({ ...REQUEST, condition: near });
    expect(app.running()).toEqual(["pipe_1 on street", "pipe_2 on street"]);
    expect(app.stored[0]?.pipeline_ids).toEqual({ street: "pipe_1", "street other/1": "pipe_2" });
    app.pipelines[0] = { ...app.pipelines[0]!, status: "ended" };
    const second = await app.watches.create({ ...REQUEST, condition: { kind: "leaves" } });
    expect(second.pipelines).toMatchObject([{ pipeline_id: "pipe_3", status: "running" }]);
    expect(app.watches.get(first.id).pipelines[0]).toMatchObject({ pipeline_id: "pipe_3", status: "running" });
  });

  it("refuses what reads well and cannot be kept, with the reason", async () => {
    const app = openApp();
    const refused = (more: Partial<WatchRequest>) => expect(app.watches.create({ ...REQUEST, ...more })).rejects;
    await refused({ min_size: 0.5, max_size: 0.1 }).toThrow("nothing fits");
    await refused({ max_size: 0 }).toThrow("nothing is that small");
    await refused({ expires_at: "2000-01-01T00:00:00Z" }).toThrow("in the past");
    await refused({ again_seconds: 60 }).toThrow("not for appears");
    await refused({ condition: { kind: "absent", for_seconds: 5 }, again_seconds: 5 }).toThrow("cooldown_seconds");
    await refused({ condition: { kind: "enters", zone: "attic" } }).toThrow("There is no zone called attic on street");
    expect(app.running()).toEqual([]);
  });

  it("is not made twice: the one that tells of the same is named", async () => {
    const app = openApp();
    const { id } = await app.watches.create(REQUEST);
    const same = { ...REQUEST, words: "people!", classes: ["Person"], cooldown_seconds: 5 };
    await expect(app.watches.create(same)).rejects.toThrow(
      `The watch ${id} "tell me when a person comes" tells of the same`,
    );
    await app.watches.setEnabled(id, false);
    await expect(app.watches.create(same)).rejects.toThrow("It is off: resume it.");
    await app.watches.create({ ...same, days: ["mon"] });
    await app.watches.create(same, { replaces: id });
    expect(app.watches.list()).toHaveLength(2);
  });

  it("is changed in place: what is not named stays, and all of it when the change cannot be", async () => {
    const app = openApp();
    const { id, created_at } = await app.watches.create(REQUEST);
    const changed = await app.watches.update(id, { cooldown_seconds: 300, cameras: ["yard"] });
    expect(changed).toMatchObject({ id, created_at, cameras: ["yard"], classes: ["person"], cooldown_seconds: 300 });
    expect(app.running()).toEqual(["pipe_2 on yard"]);
    expect(app.stored).toMatchObject([{ watch: { id, cooldown_seconds: 300 }, pipeline_ids: { yard: "pipe_2" } }]);
    await expect(app.watches.update(id, { cameras: ["attic"] })).rejects.toThrow("attic");
    expect(app.watches.get(id)).toMatchObject({ cameras: ["yard"], pipelines: [{ pipeline_id: "pipe_2" }] });
    await expect(app.watches.update("watch_9", {})).rejects.toThrow("There is no watch watch_9.");
  });

  it("stays muted when it is changed or replaced, until the time is over or it is lifted", async () => {
    const app = openApp();
    const until = "2026-01-01T01:00:00.000Z";
    const { id } = await app.watches.create(REQUEST);
    await app.watches.update(id, { muted_until: until });
    expect(await app.watches.update(id, { cooldown_seconds: 300 })).toMatchObject({ muted_until: until });
    const next = await app.watches.create({ ...REQUEST, cooldown_seconds: 90 }, { replaces: id });
    expect(next).toMatchObject({ muted_until: until, state: { kind: "muted" } });
    await app.clock.advance(3_600_000);
    const last = await app.watches.create({ ...REQUEST, cooldown_seconds: 30 }, { replaces: next.id });
    expect(last).not.toHaveProperty("muted_until");
    await app.watches.update(last.id, { muted_until: "2026-01-01T03:00:00.000Z" });
    expect(await app.watches.update(last.id, { muted_until: null })).not.toHaveProperty("muted_until");
  });

  it("goes when its time is over, with a notice, also after a restart", async () => {
    const app = openApp();
    await app.watches.create({ ...REQUEST, expires_at: "2026-01-01T00:10:00.000Z" });
    await app.clock.advance(9 * 60_000);
    expect(app.watches.list()).toHaveLength(1);
    await app.clock.advance(60_000);
    await app.watches.close();
    expect(app.watches.list()).toEqual([]);
    expect(app.running()).toEqual([]);
    expect(app.problems).toEqual(['The watch "tell me when a person comes" was to last until now and is removed.']);
    const kept = openApp();
    await kept.watches.create({ ...REQUEST, expires_at: "2026-01-01T00:10:00.000Z" });
    const late = openApp(kept);
    await late.clock.advance(3_600_000);
    await late.watches.load();
    await late.watches.restore();
    await late.clock.advance(1);
    await late.watches.close();
    expect(late.watches.list()).toEqual([]);
  });

  it("has one state: on, muted, outside its hours, blind with the reason, off", async () => {
    const app = openApp();
    const { id, state } = await app.watches.create(REQUEST);
    expect(state).toEqual({ kind: "on", text: "on" });
    const until = "2026-01-01T01:00:00.000Z";
    expect((await app.watches.update(id, { muted_until: until })).state).toMatchObject({ kind: "muted", until });
    await app.clock.advance(3_600_000);
    expect(app.watches.get(id).state.kind).toBe("on");
    app.quiet = { gate: "hours", text: "only between 22:00 and 06:00" };
    expect(app.watches.get(id).state).toMatchObject({
      kind: "outside_hours",
      text: "quiet now: it tells only between 22:00 and 06:00",
    });
    const pipeline = app.pipelines[0]!;
    const seen = (status: PipelineStatus["status"], more: Partial<PipelineStatus> = {}) => {
      app.pipelines[0] = { ...pipeline, status, ...more };
      return app.watches.get(id).state.text;
    };
    expect(seen("paused")).toBe("blind: street: its pipeline is paused.");
    expect(seen("ended")).toBe("blind: street: its pipeline has ended.");
    expect(seen("reconnecting", { reason: "Refused." })).toBe("blind: street: the camera gives no pictures: Refused.");
    expect(seen("running", { health: { state: "covered", message: "It is dark." } })).toBe(
      "blind: street: It is dark.",
    );
    app.pipelines.length = 0;
    expect(app.watches.get(id).state.text).toContain("its pipeline was stopped");
    await app.watches.setEnabled(id, false);
    expect(app.watches.get(id).state.kind).toBe("off");
  });

  it("follows a place by its name: an edit moves it, and without it the watch is blind", async () => {
    const app = openApp();
    app.places.set("yard", [
      [0, 0],
      [0.5, 0],
      [0.5, 1],
    ]);
    const { id } = await app.watches.create({ ...REQUEST, condition: { kind: "enters", zone: "yard" } });
    const followed = () => [...app.followed].map(({ interest }) => interest.area.points[1]?.[0]);
    expect(followed()).toEqual([0.5]);
    app.places.set("yard", [
      [0, 0],
      [0.7, 0],
      [0.7, 1],
    ]);
    app.placesChanged();
    expect(followed()).toEqual([0.7]);
    app.places.clear();
    app.placesChanged();
    expect(app.watches.get(id).state).toEqual({
      kind: "blind",
      text: "blind: street: there is no zone called yard any more.",
    });
  });

  it("refuses unknown cameras and classes that its model cannot find, and leaves nothing running", async () => {
    const app = openApp();
    await expect(app.watches.create({ ...REQUEST, cameras: ["attic"] })).rejects.toThrow(
      "There is no camera attic. Cameras are: street, yard.",
    );
    await expect(app.watches.create({ ...REQUEST, classes: ["unicorn"] })).rejects.toThrow(/cannot find unicorn/);
    app.fail = new BackendError({ kind: "source", message: "yard does not answer." });
    await expect(app.watches.create({ ...REQUEST, cameras: ["street", "yard"] })).rejects.toThrow(/does not answer/);
    expect(app.running()).toEqual([]);
    expect(app.watches.list()).toEqual([]);
  });

  it("tells nothing while it is off, and begins anew when it is on again", async () => {
    const app = openApp();
    const { id } = await app.watches.create(REQUEST);
    await app.watches.setEnabled(id, false);
    expect(app.running()).toEqual([]);
    const on = await app.watches.setEnabled(id, true);
    expect(on).toMatchObject({ enabled: true, pipelines: [{ pipeline_id: "pipe_2" }] });
  });

  it("says that crossings may be missed where too few pictures come", async () => {
    const app = openApp();
    const line: [[number, number], [number, number]] = [
      [0.5, 0],
      [0.5, 1],
    ];
    const crosses = await app.watches.create({ ...REQUEST, condition: { kind: "crosses", line, direction: "any" } });
    const appears = await app.watches.create(REQUEST);
    app.pipelines[0] = { ...app.pipelines[0]!, fps: 1, frames_processed: 20 };
    expect(app.watches.get(crosses.id).state).toEqual({
      kind: "on",
      text: "on, but street gives 1 picture a second: crossings may be missed; 3 or more are needed.",
    });
    expect(app.watches.get(appears.id).state.text).toBe("on");
    app.pipelines[0] = { ...app.pipelines[0]!, fps: 9 };
    expect(app.watches.get(crosses.id).state.text).toBe("on");
  });

  it("is there again after a restart, on the pipeline it had, or on a new one where that is gone", async () => {
    const app = openApp();
    const { id } = await app.watches.create(REQUEST);
    const same = openApp(app);
    await same.watches.load();
    await same.watches.restore();
    expect(same.watches.get(id)).toMatchObject({ words: REQUEST.words, pipelines: [{ pipeline_id: "pipe_1" }] });
    expect(same.running()).toEqual(["pipe_1 on street"]);
    app.pipelines.length = 0;
    const anew = openApp(app);
    await anew.watches.load();
    await anew.watches.restore();
    expect(anew.running()).toEqual(["pipe_2 on street"]);
  });

  it("is listed after a restart before it runs, and a change waits until it does", async () => {
    const app = openApp();
    const { id } = await app.watches.create(REQUEST);
    const after = openApp(app);
    await after.watches.load();
    const { promise: started, resolve } = Promise.withResolvers<void>();
    const restored = after.watches.restore(started);
    const removed = after.watches.remove(id);
    expect(after.watches.list().map((watch) => watch.id)).toEqual([id]);
    resolve();
    await Promise.all([restored, removed]);
    expect(after.watches.list()).toEqual([]);
    expect(after.running()).toEqual([]);
  });

  it("is listed with the reason when it cannot run after a restart, and when its pipeline was stopped", async () => {
    const app = openApp();
    const { id } = await app.watches.create(REQUEST);
    app.pipelines.length = 0;
    expect(app.watches.get(id).pipelines).toEqual([{ camera: "street", reason: "Its pipeline was stopped." }]);
    const after = openApp(app);
    after.fail = new BackendError({ kind: "source", message: "street does not answer." });
    await after.watches.load();
    await after.watches.restore();
    expect(after.watches.get(id).pipelines).toEqual([{ camera: "street", reason: "street does not answer." }]);
    expect(after.problems.join()).toContain("does not answer");
  });

  it("names the watches there are when an unknown one is asked for, and can be closed twice", async () => {
    const { watches } = openApp();
    await watches.create(REQUEST);
    expect(() => watches.get("watch_9")).toThrow("There is no watch watch_9. There are: watch_1.");
    await watches.close();
    await watches.close();
  });
});

interface App {
  readonly watches: WatchRegistry;
  readonly pipelines: PipelineStatus[];
  readonly stored: StoredWatch[];
  readonly problems: string[];
  readonly clock: FakeClock;
  quiet: QuietReason | undefined;
  /** Zones of every camera by name. */
  readonly places: Map<string, [number, number][]>;
  placesChanged(): void;
  /** While set, pipelines on the yard, or on any camera after a restart, do not start. */
  fail: BackendError | undefined;
  running(): readonly string[];
  /** What the registry has the scene follow. */
  readonly followed: ReadonlySet<{ readonly camera: string; readonly interest: SceneInterest }>;
  show(view: FollowedView): void;
}

function openApp(before?: Pick<App, "pipelines" | "stored">): App {
  const pipelines = before?.pipelines ?? [];
  const stored = before?.stored ?? [];
  const problems: string[] = [];
  const ids = createCountingIds();
  const followed = new Set<{ readonly camera: string; readonly interest: SceneInterest }>();
  let listener: (view: FollowedView) => void = () => undefined;
  let started = before ? 1 : 0;
  const clock = createFakeClock();
  let placesChanged: () => void = () => undefined;
  const start = async ({ videoReference, name }: StartRequest): Promise<PipelineStatus> => {
    if (app.fail && (videoReference === "yard" || before)) throw app.fail;
    started += 1;
    const status = toStatus(`pipe_${started}`, name ?? "", videoReference);
    pipelines.push(status);
    return status;
  };
  const names = ["street", "yard"].map((name) => ({
    name,
    source: "",
    address: "sim://street",
    location: "",
    notes: "",
  }));
  const watches = createWatchRegistry({
    pipelines: {
      start,
      stop: async (id) =>
        pipelines.splice(
          pipelines.findIndex(({ pipeline_id }) => pipeline_id === id),
          1,
        )[0]!,
      list: () => pipelines,
    },
    scene: {
      follow: (camera, interest) => {
        const asked = { camera, interest };
        followed.add(asked);
        return () => void followed.delete(asked);
      },
      onView: (added) => {
        listener = added;
        return () => undefined;
      },
    },
    cameras: { list: () => names, find: (name) => names.find((camera) => camera.name === name) },
    store: { load: async () => [...stored], save: async (watchesNow) => void stored.splice(0, 99, ...watchesNow) },
    modelFor: () => "sim/truth",
    classesOf: (modelId) => (modelId === "sim/truth" ? ["person", "car"] : undefined),
    clock,
    quiet: () => app.quiet,
    places: {
      placeOf: ((_camera, kind, name) => {
        const points = app.places.get(name);
        return points && kind === "zone" ? { name, kind, points } : undefined;
      }) as PlaceFinder,
      onChange: (added) => {
        placesChanged = added;
        return () => undefined;
      },
    },
    ids,
    onProblem: (message) => problems.push(message),
  });
  const app: App = {
    watches,
    pipelines,
    stored,
    problems,
    fail: undefined,
    clock,
    quiet: undefined,
    places: new Map(),
    placesChanged: () => placesChanged(),
    running: () => pipelines.map(({ pipeline_id, video_reference }) => `${pipeline_id} on ${video_reference}`),
    followed,
    show: (view) => listener(view),
  };
  return app;
}

function toStatus(id: string, name: string, camera: string): PipelineStatus {
  return {
    pipeline_id: id,
    name,
    backend: "direct",
    video_reference: camera,
    workflow_description: "",
    started_at: "2026-01-01T00:00:00.000Z",
    status: "running",
    fps: 10,
    frames_processed: 1,
    frames_dropped: 0,
    models: [],
    shapes: [],
  };
}
