import { createCountingIds, createFakeClock, type FakeClock } from "@vision-agent/agent-core/testing";
import type { FrameResult, PipelineStatus } from "@vision-agent/protocol";
import { EngineError } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { type Admission, AdmissionError, type RunningFigures } from "../access/admission.ts";
import { detectionWorkflow } from "../backends/detection-workflow.ts";
import { backendsOn, createFakeEngine, type FakeEngine } from "../testing/fake-engine.ts";
import { createMemoryFiles, type MemoryFiles } from "../testing/memory-files.ts";
import { createCameraRegistry } from "../workspace/camera-registry.ts";
import { type ActiveState, createActiveState } from "./active-state.ts";
import { createPipelineRegistry, type PipelineRegistry } from "./pipeline-registry.ts";
import { startDemo } from "./start-demo.ts";

const spec = detectionWorkflow({ modelId: "sim/truth" });
const statePath = "/w/active_state.json";

describe("a pipeline that is put back", () => {
  it("runs under its own id and name again, also after a restart", async () => {
    const { pipelines, engine, files } = app();
    await pipelines.start({ videoReference: "street", spec, name: "count", maxFps: 5 });
    const [active] = pipelines.actives();
    await pipelines.stop("count");
    expect(await pipelines.putBack(active!)).toMatchObject({ pipeline_id: "pipe_1", name: "count", status: "running" });
    expect(engine.pipelines.at(-1)?.options).toMatchObject({ source: "sim://street", maxFps: 5 });
    await pipelines.close();
    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.list()).toMatchObject([{ pipeline_id: "pipe_1", name: "count" }]);
  });

  it("is paused or runs as it did", async () => {
    const { pipelines } = app();
    await pipelines.start({ videoReference: "street", spec });
    const [running] = pipelines.actives();
    await pipelines.pause("street");
    const [paused] = pipelines.actives();
    expect((await pipelines.putBack(running!)).status).toBe("running");
    expect((await pipelines.putBack(paused!)).status).toBe("paused");
    await pipelines.stop("street");
    expect((await pipelines.putBack(paused!)).status).toBe("paused");
  });

  it("is refused where its camera or a block is gone, and nothing is listed", async () => {
    const { pipelines } = app();
    await pipelines.start({ videoReference: "street", spec });
    const [active] = pipelines.actives();
    await pipelines.stop("street");
    await expect(pipelines.putBack({ ...active!, video_reference: "gone" })).rejects.toMatchObject({
      kind: "not_found",
    });
    const wrong = { ...spec, steps: [{ type: "nonsense", name: "x" }] };
    await expect(pipelines.putBack({ ...active!, spec: wrong })).rejects.toMatchObject({ kind: "invalid_workflow" });
    expect(pipelines.list()).toEqual([]);
  });
});

describe("a camera with another name", () => {
  it("keeps its pipelines, which are opened anew under it, also after a restart", async () => {
    const { pipelines, engine, files } = app();
    await pipelines.start({ videoReference: "street", spec });
    await pipelines.start({ videoReference: "yard", spec });
    await pipelines.renameCamera("street", "yard");
    expect(pipelines.list().map((one) => [one.pipeline_id, one.video_reference])).toEqual([
      ["pipe_1", "yard"],
      ["pipe_2", "yard"],
    ]);
    expect(engine.pipelines.at(-1)?.options).toMatchObject({ sourceId: "yard", source: "sim://yard" });
    await pipelines.close();
    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.get("pipe_1").video_reference).toBe("yard");
  });
});

describe("a pipeline with another workflow", () => {
  it("goes on under its id, also after a restart", async () => {
    const { pipelines, engine, files } = app();
    await pipelines.start({ videoReference: "street", spec });
    const [step] = spec.steps;
    const other = { ...spec, steps: [{ ...step!, confidence: 0.9 }, ...spec.steps.slice(1)] };
    await pipelines.changeSpec("pipe_1", other);
    expect(engine.pipelines).toHaveLength(2);
    await pipelines.close();
    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.actives()).toMatchObject([{ id: "pipe_1", spec: other }]);
  });
});

describe("starting a pipeline", () => {
  it("S000-3.3.2 runs it on the camera, under the camera's own name, and says what it does", async () => {
    const { pipelines, engine } = app();
    const status = await pipelines.start({ videoReference: "STREET", spec, maxFps: 5 });
    expect(status).toMatchObject({
      pipeline_id: "pipe_1",
      name: "street",
      backend: "direct",
      video_reference: "street",
      status: "running",
      started_at: "2026-01-01T00:00:00.000Z",
      models: ["sim/truth"],
    });
    expect(engine.pipelines[0]?.options).toMatchObject({ sourceId: "street", source: "sim://street", maxFps: 5 });
    expect(pipelines.get("Street")).toEqual(pipelines.get("pipe_1"));
  });

  it("makes a name unique with a number", async () => {
    const { pipelines } = app();
    for (let count = 0; count < 3; count += 1) await pipelines.start({ videoReference: "street", spec });
    expect(pipelines.list().map(({ name }) => name)).toEqual(["street", "street-2", "street-3"]);
  });

  it("shows an address without its password", async () => {
    const { pipelines, engine } = app();
    const status = await pipelines.start({ videoReference: "sim://me:secret@street", spec });
    expect(status.video_reference).toBe("sim://street");
    expect(engine.pipelines[0]?.options).toMatchObject({ source: "sim://me:secret@street", sourceId: "sim://street" });
  });

  it("takes the address of a known camera for that camera", async () => {
    const { pipelines, engine } = app();
    await pipelines.start({ videoReference: "street", spec });
    const address = "sim://street";
    const second = await pipelines.start({ videoReference: address, spec });
    expect(second.video_reference).toBe("street");
    expect(engine.pipelines.map(({ options }) => [options.sourceId, options.source])).toEqual([
      ["street", address],
      ["street", address],
    ]);
  });

  it("names the cameras that exist when one does not", async () => {
    const failure = app().pipelines.start({ videoReference: "strete", spec });
    await expect(failure).rejects.toMatchObject({
      kind: "not_found",
      message: "There is no camera strete. Cameras are: street, yard.",
    });
  });

  it("refuses a wrong workflow and a dead source, and remembers neither", async () => {
    const { pipelines, files } = app();
    const wrong = { ...spec, steps: [{ type: "nonsense", name: "x" }] };
    await expect(pipelines.start({ videoReference: "street", spec: wrong })).rejects.toMatchObject({
      kind: "invalid_workflow",
      problems: [{ step: "x" }],
    });
    await expect(pipelines.start({ videoReference: "dead://x", spec })).rejects.toMatchObject({ kind: "source" });
    expect(pipelines.list()).toEqual([]);
    expect(files.contents.has(statePath)).toBe(false);
  });

  it("runs on when the state cannot be saved, and says so", async () => {
    const { pipelines, files, problems } = app();
    files.fault = { code: "ENOSPC" };
    expect((await pipelines.start({ videoReference: "street", spec })).status).toBe("running");
    expect(problems).toEqual([expect.stringContaining("no space left")]);
  });
});

describe("a running pipeline", () => {
  it("gives results, pictures and what it was started with", async () => {
    const { pipelines, engine } = app();
    await pipelines.start({ videoReference: "street", spec, alertOn: ["appeared"] });
    const heard: [PipelineStatus, FrameResult][] = [];
    const leave = pipelines.onResult((status, result) => heard.push([status, result]));
    engine.pipelines[0]?.emit();
    leave();
    engine.pipelines[0]?.emit();
    expect(heard.map(([status, result]) => [status.name, result.frame.frame_number])).toEqual([["street", 1]]);
    expect(await pipelines.results("street", 5)).toHaveLength(2);
    expect((await pipelines.picture("street"))?.frame.frame_number).toBe(2);
    expect(pipelines.definition("street")).toEqual({ spec, alertOn: ["appeared"] });
  });

  it("pauses, resumes and stops with the state read back", async () => {
    const { pipelines, engine } = app();
    await pipelines.start({ videoReference: "street", spec });
    expect((await pipelines.pause("street")).status).toBe("paused");
    expect(engine.pipelines[0]?.figures().state).toBe("paused");
    expect((await pipelines.resume("street")).status).toBe("running");
    engine.pipelines[0]?.emit();
    expect(await pipelines.stop("street")).toMatchObject({ status: "stopped", frames_processed: 1 });
    expect(pipelines.list()).toEqual([]);
    await expect(pipelines.stop("street")).rejects.toMatchObject({
      kind: "not_found",
      message: "There is no pipeline street. No pipeline is there.",
    });
  });

  it("is told to listeners at each change and once a second", async () => {
    const { pipelines, engine, clock } = app();
    await pipelines.start({ videoReference: "street", spec });
    const told: string[] = [];
    pipelines.onChange((list) => told.push(list.map(({ status }) => status).join()));
    engine.pipelines[0]?.become("reconnecting", "The camera is silent.");
    expect(told).toEqual(["reconnecting"]);
    expect(pipelines.get("street").reason).toBe("The camera is silent.");
    engine.pipelines[0]?.become("running");
    expect(told).toEqual(["reconnecting", "running"]);
    await clock.advance(3000);
    expect(told).toHaveLength(5);
    await pipelines.close();
  });

  it("gives a picture of its camera while it watches, and of a recording also when it is paused or has ended", async () => {
    const { pipelines, engine } = app();
    await pipelines.start({ videoReference: "street", spec });
    const seen = engine.pipelines[0]!.emit();
    expect(await pipelines.pictureOn("street")).toMatchObject({ frame: { frame_number: seen.frame.frame_number } });
    await pipelines.pause("street");
    expect(await pipelines.pictureOn("street")).toBeUndefined();
    await pipelines.resume("street");
    const { onResult } = engine.pipelines[0]!.options;
    onResult?.({ ...seen, frame: { ...seen.frame, comes_from_video_file: true } });
    for (const state of ["paused", "ended"] as const) {
      engine.pipelines[0]!.become(state);
      expect(await pipelines.pictureOn("street")).toBeDefined();
    }
    expect(await pipelines.pictureOn("yard")).toBeUndefined();
  });

  it("is found by its camera, the newest first, while it watches", async () => {
    const { pipelines } = app();
    await pipelines.start({ videoReference: "street", spec, name: "first" });
    await pipelines.start({ videoReference: "street", spec, name: "second" });
    expect(pipelines.onCamera("Street")?.name).toBe("second");
    await pipelines.pause("second");
    expect(pipelines.onCamera("street")?.name).toBe("first");
    expect(pipelines.onCamera("yard")).toBeUndefined();
  });

  it("is started again, later and later, when it fails", async () => {
    const { pipelines, engine, clock } = app();
    await pipelines.start({ videoReference: "street", spec });
    engine.pipelines[0]?.become("failed", "The thread died.");
    expect(pipelines.get("street")).toMatchObject({ status: "failed", reason: "The thread died." });
    await clock.advance(1000);
    expect(pipelines.get("street")).toMatchObject({ status: "running", pipeline_id: "pipe_1" });
    engine.pipelines[1]?.become("failed");
    await clock.advance(1900);
    expect(engine.pipelines).toHaveLength(2);
    await clock.advance(100);
    expect(engine.pipelines).toHaveLength(3);
    expect(engine.pipelines.map(({ stopped }) => stopped)).toEqual([true, true, false]);
  });
});

describe("a restart", () => {
  it("S000-4.1.6 runs again what ran, under the same id, and leaves paused what was paused", async () => {
    const { pipelines, files } = app();
    await pipelines.start({ videoReference: "street", spec, name: "a", maxFps: 3, alertOn: ["line_crossed"] });
    await pipelines.start({ videoReference: "yard", spec, name: "b" });
    await pipelines.start({ videoReference: "yard", spec, name: "c" });
    await pipelines.pause("b");
    await pipelines.stop("c");
    const before = pipelines.list().map(({ pipeline_id, name, started_at }) => ({ pipeline_id, name, started_at }));
    await pipelines.close();

    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.list()).toMatchObject(before);
    expect(again.pipelines.list().map(({ status }) => status)).toEqual(["running", "paused"]);
    expect(again.pipelines.definition("a").alertOn).toEqual(["line_crossed"]);
    expect(again.engine.pipelines.map(({ options }) => options.maxFps)).toEqual([3]);
    expect((await again.pipelines.resume("b")).status).toBe("running");
  });

  it("doubts its lines and zones since its camera was moved, also after a restart", async () => {
    const { pipelines, engine, files, clock } = app();
    await pipelines.start({ videoReference: "street", spec });
    pipelines.onChange(() => undefined);
    engine.pipelines[0]?.emit();
    expect(pipelines.get("street").zones_doubtful_since).toBeUndefined();
    engine.pipelines[0]?.find("moved");
    await clock.advance(2000);
    const since = pipelines.get("street").zones_doubtful_since;
    expect(since).toMatch(/^\d{4}-/);
    engine.pipelines[0]?.find(undefined);
    await clock.advance(2000);
    await pipelines.close();
    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.get("street").zones_doubtful_since).toBe(since);
  });

  it("lists what cannot start as failed with its reason, and tries again until it can", async () => {
    const { pipelines, files } = app();
    await pipelines.start({ videoReference: "street", spec });
    await pipelines.close();
    const again = app({ files });
    again.engine.failure = new EngineError({ kind: "source", message: "Nobody answers at 10.0.0.5." });
    await again.pipelines.restore();
    expect(again.pipelines.get("street")).toMatchObject({ status: "failed", reason: "Nobody answers at 10.0.0.5." });
    await again.clock.advance(8000);
    again.engine.failure = undefined;
    await again.clock.advance(8000);
    expect(again.pipelines.get("street").status).toBe("running");
    expect(again.pipelines.get("street").reason).toBeUndefined();
  });

  it("does not try a workflow again that is wrong", async () => {
    const { pipelines, files } = app();
    await pipelines.start({ videoReference: "street", spec });
    await pipelines.close();
    const again = app({ files });
    again.engine.failure = new EngineError({ kind: "workflow", message: "There is no such block." });
    await again.pipelines.restore();
    again.engine.failure = undefined;
    await again.clock.advance(120_000);
    expect(again.pipelines.get("street").status).toBe("failed");
  });

  it("forgets what came to its own end", async () => {
    const { pipelines, engine, files } = app();
    await pipelines.start({ videoReference: "street", spec, name: "file" });
    engine.pipelines[0]?.become("ended");
    expect(pipelines.get("file").status).toBe("ended");
    await pipelines.start({ videoReference: "yard", spec });
    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.list().map(({ name }) => name)).toEqual(["yard"]);
  });

  it("puts an unreadable state aside, says so and saves what could be read", async () => {
    const { pipelines, files } = app();
    await pipelines.start({ videoReference: "street", spec });
    const text = files.contents.get(statePath) ?? "";
    const damaged = text.replace('"pipelines": [', '"pipelines": [{"id": 7},');
    files.contents.set(statePath, damaged);
    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.list().map(({ name }) => name)).toEqual(["street"]);
    expect(again.problems[0]).toContain("1 of 2 pipelines are damaged");
    const aside = [...files.contents.keys()].find((path) => path.includes(".broken-"));
    expect(files.contents.get(aside ?? "")).toBe(damaged);
  });

  it("VA-19 loses nothing when the state file is cut at any byte", async () => {
    const { pipelines, files } = app();
    await pipelines.start({ videoReference: "street", spec });
    const whole = (files.contents.get(statePath) ?? "").trimEnd();
    for (let cut = 0; cut < whole.length; cut += 7) {
      const torn = createMemoryFiles({ [statePath]: whole.slice(0, cut) });
      const { pipelines: read, problem } = await stateOn(torn).load();
      expect(read).toEqual([]);
      expect(problem).toContain("could not be read");
      expect([...torn.contents.values()]).toContain(whole.slice(0, cut));
    }
  });
});

describe("a pipeline on another backend", () => {
  const rtsp = "rtsp://me:secret@yard/1";

  it("says which one runs it and why, and only that one does", async () => {
    const { pipelines, engine, server } = app();
    server.opens = /^rtsp:/;
    const status = await pipelines.start({ videoReference: rtsp, spec, backend: "http" });
    expect(status).toMatchObject({
      backend: "http",
      backend_reason: "It runs on an Inference server (http) because it was asked for.",
    });
    expect([engine.pipelines.length, server.pipelines.length]).toEqual([0, 1]);
    await pipelines.pause(status.pipeline_id);
    expect(server.pipelines[0]?.figures().state).toBe("paused");
  });

  it("is on the same one after a restart", async () => {
    const { pipelines, server, files } = app();
    server.opens = /^rtsp:/;
    await pipelines.start({ videoReference: rtsp, spec, name: "far", backend: "http" });
    await pipelines.start({ videoReference: "street", spec, name: "near" });
    await pipelines.close();
    const again = app({ files });
    again.server.opens = /^rtsp:/;
    await again.pipelines.restore();
    const named = again.pipelines.list().map(({ name, backend, status }) => [name, backend, status]);
    expect(named).toEqual([
      ["far", "http", "running"],
      ["near", "direct", "running"],
    ]);
    expect([again.server.pipelines.length, again.engine.pipelines.length]).toEqual([1, 1]);
  });

  it("is looked through where it runs, and by a view of this machine when it is gone", async () => {
    const { pipelines, engine, server } = app();
    server.opens = engine.opens = /^rtsp:/;
    const { pipeline_id } = await pipelines.start({ videoReference: rtsp, spec, backend: "http" });
    const leave = await pipelines.view(rtsp, () => undefined);
    expect(server.pipelines[0]?.viewers).toBe(1);
    await pipelines.stop(pipeline_id);
    await expect.poll(() => engine.pipelines[0]?.viewers).toBe(1);
    leave();
  });

  it("is refused for a camera that a server cannot read", async () => {
    const refused = app().pipelines.start({ videoReference: "street", spec, backend: "http" });
    await expect(refused).rejects.toMatchObject({
      kind: "source",
      message: expect.stringContaining("simulated camera"),
    });
  });

  it("is the direct one for a state file that was written before there were others", async () => {
    const { pipelines, files } = app();
    await pipelines.start({ videoReference: "street", spec });
    const { backend: _, backend_reason: __, ...old } = JSON.parse(files.contents.get(statePath) ?? "").pipelines[0];
    files.contents.set(statePath, JSON.stringify({ version: 1, pipelines: [old] }));
    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.get("street")).toMatchObject({ backend: "direct", status: "running" });
  });
});

describe("what an earlier attempt got wrong", () => {
  it("F-03 active pipelines are filled", async () => {
    const { pipelines, state } = app();
    await pipelines.start({ videoReference: "street", spec, name: "a" });
    await pipelines.start({ videoReference: "yard", spec, name: "b" });
    expect(pipelines.list().map(({ name }) => name)).toEqual(["a", "b"]);
    expect((await state.load()).pipelines.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(pipelines.onCamera("yard")?.name).toBe("b");
    await pipelines.stop("a");
    expect((await state.load()).pipelines.map(({ name }) => name)).toEqual(["b"]);
  });

  it("F-04 a stop that fails is told, and what may still run stays listed", async () => {
    const { pipelines, engine, state, problems } = app();
    await pipelines.start({ videoReference: "street", spec, name: "a" });
    engine.pipelines[0]!.stopFailure = new Error("The server does not answer.");
    await expect(pipelines.stop("a")).rejects.toThrow("The server does not answer.");
    expect(pipelines.get("a")).toMatchObject({
      status: "running",
      reason: "It may still run: The server does not answer.",
    });
    expect((await state.load()).pipelines).toHaveLength(1);
    engine.pipelines[0]!.stopFailure = undefined;
    expect((await pipelines.stop("a")).status).toBe("stopped");
    expect(pipelines.list()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("F-09 a pipeline keeps its name", async () => {
    const { pipelines, files } = app();
    const { pipeline_id } = await pipelines.start({ videoReference: "street", spec, name: "Front door count" });
    await pipelines.pause(pipeline_id);
    expect((await pipelines.resume("front door COUNT")).name).toBe("Front door count");
    await pipelines.close();
    const again = app({ files });
    await again.pipelines.restore();
    expect(again.pipelines.get(pipeline_id).name).toBe("Front door count");
    expect((await again.pipelines.stop("Front door count")).pipeline_id).toBe(pipeline_id);
  });
});

describe("the demo", () => {
  it("counts on the street, and is known to have run after it was stopped", async () => {
    const { pipelines, state, files } = app();
    expect(await state.exists()).toBe(false);
    const status = await startDemo(pipelines, "sim/truth");
    expect(status).toMatchObject({ name: "street-count", video_reference: "street" });
    expect(pipelines.definition("street-count").alertOn).toEqual(["line_crossed"]);
    await pipelines.stop("street-count");
    expect(await app({ files }).state.exists()).toBe(true);
  });
});

describe("looking at a camera", () => {
  it("shares the pipeline that runs on it", async () => {
    const { pipelines, engine, clock } = app();
    await pipelines.start({ videoReference: "street", spec });
    const seen: number[] = [];
    const leave = await pipelines.view("street", ({ result }) => seen.push(result.frame.frame_number));
    engine.pipelines[0]?.emit();
    leave();
    leave();
    await clock.advance(0);
    engine.pipelines[0]?.emit();
    expect(seen).toEqual([1]);
    expect(engine.pipelines).toHaveLength(1);
    expect(engine.pipelines[0]?.viewers).toBe(0);
  });

  it("has a pipeline of its own, not listed, while somebody looks and five seconds longer", async () => {
    const { pipelines, engine, clock } = app();
    const seen: number[] = [];
    const look = (): Promise<() => void> =>
      pipelines.view("yard", ({ result }) => seen.push(result.frame.frame_number));
    const leaves = [await look(), await look()];
    engine.pipelines[0]?.emit();
    expect(seen).toEqual([1, 1]);
    expect(pipelines.list()).toEqual([]);
    for (const leave of leaves) leave();
    await clock.advance(4900);
    expect(engine.pipelines[0]?.stopped).toBe(false);
    const leave = await look();
    await clock.advance(10_000);
    expect(engine.pipelines.map(({ stopped }) => stopped)).toEqual([false]);
    leave();
    await clock.advance(5000);
    expect(engine.pipelines.map(({ stopped }) => stopped)).toEqual([true]);
  });

  it("moves to a pipeline that starts and back to its own when that stops", async () => {
    const { pipelines, engine, clock } = app();
    let seen = 0;
    await pipelines.view("street", () => {
      seen += 1;
    });
    await pipelines.start({ videoReference: "street", spec });
    await clock.advance(0);
    expect(engine.pipelines.map(({ stopped, viewers }) => [stopped, viewers])).toEqual([
      [true, 0],
      [false, 1],
    ]);
    await pipelines.stop("street");
    await clock.advance(0);
    engine.pipelines[2]?.emit();
    expect(seen).toBe(1);
  });

  it("says why when the camera gives no picture, and tries anew for the next one", async () => {
    const { pipelines, engine } = app();
    engine.failure = new EngineError({ kind: "source", message: "Nobody answers." });
    await expect(pipelines.view("yard", () => undefined)).rejects.toMatchObject({ kind: "source" });
    engine.failure = undefined;
    await pipelines.view("yard", () => undefined);
    expect(engine.pipelines[0]?.viewers).toBe(1);
  });
});

describe("a machine without room", () => {
  const full = new AdmissionError("full", "This machine is busy.");

  it("starts nothing more, and says so with what runs already in view", async () => {
    const asked: RunningFigures[] = [];
    const { pipelines, engine } = app({
      admit(running) {
        asked.push(running);
        if (running.pipelines > 0) throw full;
      },
    });
    await pipelines.start({ videoReference: "street", spec });
    await expect(pipelines.start({ videoReference: "yard", spec })).rejects.toThrow(full);
    expect(asked.map(({ pipelines: count }) => count)).toEqual([0, 1]);
    expect(pipelines.list().map(({ name }) => name)).toEqual(["street"]);
    expect(engine.pipelines).toHaveLength(1);
  });

  it("tries later what ran before a restart", async () => {
    const first = app();
    await first.pipelines.start({ videoReference: "street", spec });
    await first.pipelines.close();
    let isFull = true;
    const { pipelines, clock } = app({
      files: first.files,
      admit() {
        if (isFull) throw full;
      },
    });
    await pipelines.restore();
    expect(pipelines.list()).toMatchObject([{ status: "failed", reason: "This machine is busy." }]);
    isFull = false;
    await clock.advance(1000);
    expect(pipelines.list()).toMatchObject([{ status: "running" }]);
    await pipelines.close();
  });
});

describe("closing", () => {
  it("S000-3.1.5 stops everything without forgetting it, twice", async () => {
    const { pipelines, engine, files, clock } = app();
    await pipelines.start({ videoReference: "street", spec });
    await pipelines.view("yard", () => undefined);
    await Promise.all([pipelines.close(), pipelines.close()]);
    expect(engine.pipelines.every(({ stopped }) => stopped)).toBe(true);
    expect(files.contents.get(statePath)).toContain('"street"');
    expect(clock.sleepers).toBe(0);
  });
});

interface App {
  readonly pipelines: PipelineRegistry;
  readonly engine: FakeEngine;
  /** Runs what is started on the http backend. */
  readonly server: FakeEngine;
  readonly files: MemoryFiles;
  readonly state: ActiveState;
  readonly clock: FakeClock;
  readonly problems: string[];
}

interface AppSettings {
  readonly files?: MemoryFiles;
  readonly admit?: Admission["pipeline"];
}

function app({ files = createMemoryFiles(), admit = () => undefined }: AppSettings = {}): App {
  const [engine, server] = [createFakeEngine(), createFakeEngine()];
  const problems: string[] = [];
  const state = stateOn(files);
  const clock = createFakeClock();
  const pipelines = createPipelineRegistry({
    admit,
    backends: backendsOn({ direct: engine, http: server }),
    cameras: createCameraRegistry({ markdown: "", extra: ["street=sim://street", "yard=sim://yard"] }),
    state,
    clock,
    ids: createCountingIds(),
    workflows: {
      describeWorkflow: () => "Finds things.",
      shapesOf: () => [],
      modelsOf: () => ["sim/truth"],
    },
    onProblem: (message) => problems.push(message),
  });
  return { pipelines, engine, server, files, state, clock, problems };
}

function stateOn(files: MemoryFiles): ActiveState {
  return createActiveState({ files, path: statePath, now: () => Date.UTC(2026, 0, 1) });
}
