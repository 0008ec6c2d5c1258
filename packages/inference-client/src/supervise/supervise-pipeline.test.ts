import { describe, expect, it } from "vitest";
import { ClientError } from "../errors.ts";
import { createSupervisionSetup } from "../testing/supervision-setup.ts";

const FILE = {
  isFile: true,
  start: {
    workflow: { specification: { version: "1.0", inputs: [], steps: [], outputs: [] } },
    source: "/data/yard.mp4",
  },
};

describe("a supervised stream", () => {
  it("validates, counts, starts and consumes, in this order", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results, states } = supervise();
    await clock.finish(pipeline.started);
    await clock.until(() => results.length === 3);
    const calls = servers.a!.calls.filter((name) => !["info", "health"].includes(name));
    expect(calls.slice(0, 5)).toEqual(["list", "validate", "list", "initialise", "status"]);
    expect(results.map(({ frameNumber }) => frameNumber)).toEqual([1, 2, 3]);
    expect(states.map(({ state }) => state)).toEqual(["running"]);
    await clock.finish(pipeline.stop());
  });

  it("tells the server to drop the oldest frames and to end itself 30 s after our last look", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline } = supervise({ start: { ...FILE.start, source: "rtsp://camera/1", maxFps: 5 } });
    await clock.finish(pipeline.started);
    expect([...servers.a!.pipelines.values()][0]?.start).toMatchObject({
      filling: "DROP_OLDEST",
      consumption: "EAGER",
      consumptionTimeoutS: 30,
      resultsBufferSize: 64,
      maxFps: 5,
    });
    await clock.finish(pipeline.stop());
  });

  it("writes the server's id down before it consumes", async () => {
    const { clock, servers, ledger, supervise } = createSupervisionSetup("a");
    const { pipeline } = supervise();
    await clock.until(() => servers.a!.calls.includes("consume"));
    expect(ledger.entries).toMatchObject([{ pipelineId: "door", server: "a", serverId: "a-1", state: "running" }]);
    await clock.finish(pipeline.stop());
  });

  it("F-03 the list of active pipelines is filled", async () => {
    const { clock, servers, ledger, supervise } = createSupervisionSetup("a");
    const both = [supervise({ pipelineId: "door" }), supervise({ pipelineId: "yard" })];
    await clock.finish(Promise.all(both.map(({ pipeline }) => pipeline.started)));
    expect(ledger.entries.map(({ pipelineId }) => pipelineId).sort()).toEqual(["door", "yard"]);
    expect(ledger.entries.map(({ serverId }) => serverId).sort()).toEqual([...servers.a!.pipelines.keys()].sort());
    expect(both.map(({ pipeline }) => pipeline.figures().serverId).sort()).toEqual(["a-1", "a-2"]);
    await clock.finish(Promise.all(both.map(({ pipeline }) => pipeline.stop())));
    expect(ledger.entries).toEqual([]);
  });

  it("asks faster while results come than while none do", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const server = servers.a!;
    const { pipeline, results } = supervise();
    await clock.until(() => results.length > 0);
    server.workflowError = "no";
    await clock.advance(1000);
    const before = server.calls.filter((name) => name === "consume").length;
    await clock.advance(2000);
    expect(server.calls.filter((name) => name === "consume").length - before).toBeLessThanOrEqual(11);
    await clock.finish(pipeline.stop());
  });

  it("counts frames on when the source is opened again, and never delivers one twice", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results } = supervise();
    await clock.until(() => results.length === 5);
    servers.a!.pipelines.clear();
    await clock.until(() => results.length === 8);
    expect(results.map(({ frameNumber }) => frameNumber)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(pipeline.figures()).toMatchObject({ restarts: 1, framesDropped: 0, state: "running" });
    await clock.finish(pipeline.stop());
  });

  it("leaves pictures out unless somebody wants them", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.picture = "AAAA";
    let wanted: readonly string[] = [];
    const { pipeline, results } = supervise({ wantsImages: () => wanted });
    await clock.until(() => results.length === 3);
    expect(results.slice(1).map(({ outputs }) => Object.keys(outputs))).toEqual([["count"], ["count"]]);
    wanted = ["viz"];
    await clock.until(() => results.length === 5);
    expect(Object.keys(results[4]!.outputs)).toEqual(["count", "viz"]);
    await clock.finish(pipeline.stop());
  });

  it("learns from the first result which outputs are pictures", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.picture = "AAAA";
    const { pipeline, results } = supervise();
    await clock.until(() => results.length === 2);
    expect(results.map(({ outputs }) => "viz" in outputs)).toEqual([true, false]);
    await clock.finish(pipeline.stop());
  });

  it("is let go by its signal: nothing is stopped and the ledger keeps it", async () => {
    const { clock, servers, ledger, supervise } = createSupervisionSetup("a");
    const letGo = new AbortController();
    const { pipeline, results } = supervise({ signal: letGo.signal });
    await clock.until(() => results.length === 1);
    letGo.abort();
    await clock.finish(pipeline.ended);
    expect([...servers.a!.pipelines.keys()]).toEqual(["a-1"]);
    expect(ledger.entries).toMatchObject([{ serverId: "a-1", state: "running" }]);
  });

  it("goes on with a pipeline that is handed over, without starting another", async () => {
    const { clock, servers, ledger, supervise } = createSupervisionSetup("a");
    const letGo = new AbortController();
    const first = supervise({ signal: letGo.signal });
    await clock.until(() => first.results.length === 2);
    letGo.abort();
    await clock.finish(first.pipeline.ended);
    const second = supervise({ adopt: ledger.entries[0]! });
    await clock.until(() => second.results.length === 2);
    expect(servers.a!.calls.filter((name) => name === "initialise")).toHaveLength(1);
    await clock.finish(second.pipeline.stop());
  });
});

describe("a start that fails", () => {
  it("says what is wrong with the workflow and does not try again", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.problems = [{ step: "det", property: "model_id", message: "is missing." }];
    const { pipeline, states } = supervise();
    await expect(clock.finish(pipeline.started)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining("det.model_id: is missing."),
    });
    await clock.finish(pipeline.ended);
    expect(states.at(-1)?.state).toBe("failed");
    expect(servers.a!.calls).not.toContain("initialise");
  });

  it("asks the next server when one cannot run the workflow", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a", "b");
    servers.a!.problems = [{ step: "det", property: null, message: "unknown block." }];
    const { pipeline } = supervise();
    await clock.finish(pipeline.started);
    expect(pipeline.figures().server).toBe("b");
    await clock.finish(pipeline.stop());
  });

  it("does not bother the server with a camera that the probe cannot read, and tries again", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    let isDead = true;
    const probe = async () => {
      if (isDead) throw new Error("nobody answers on port 554.");
      return undefined;
    };
    const { pipeline, results, states } = supervise({ probe });
    await expect(clock.finish(pipeline.started)).rejects.toThrow("nobody answers on port 554.");
    expect(servers.a!.calls).not.toContain("initialise");
    expect(states.at(-1)?.state).toBe("reconnecting");
    isDead = false;
    await clock.until(() => results.length > 0);
    await clock.finish(pipeline.stop());
  });

  it("counts the server's pipelines first and does not ask for a ninth", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const eight = Array.from({ length: 8 }, (_, index) => supervise({ pipelineId: `p${index}` }));
    await clock.finish(Promise.all(eight.map(({ pipeline }) => pipeline.started)));
    const ninth = supervise({ pipelineId: "p8" });
    await expect(clock.finish(ninth.pipeline.started)).rejects.toThrow("full: 8 of 8 pipelines");
    expect(servers.a!.calls.filter((name) => name === "initialise")).toHaveLength(8);
    await clock.finish(eight[0]!.pipeline.stop());
    await clock.until(() => ninth.results.length > 0);
    await clock.finish(Promise.all([...eight, ninth].map(({ pipeline }) => pipeline.stop())));
  });

  it("removes the phantom that a failed initialise leaves, and nothing that others run", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const server = servers.a!;
    await clock.finish(server.client.pipelines.initialise({ ...FILE.start, consumptionTimeoutS: 900 }));
    server.initialiseFails = 1;
    const { pipeline } = supervise();
    await expect(clock.finish(pipeline.started)).rejects.toThrow("Unknown internal error.");
    expect([...server.pipelines.values()].map(({ id, phantom }) => ({ id, phantom }))).toEqual([
      { id: "a-1", phantom: false },
    ]);
    await clock.finish(pipeline.stop());
    expect([...server.pipelines.keys()]).toEqual(["a-1"]);
  });

  it("ends on the server what could not be written down", async () => {
    const { clock, servers, ledger, supervise } = createSupervisionSetup("a");
    const save = ledger.save;
    ledger.save = async () => {
      throw new Error("The disk is full.");
    };
    const { pipeline } = supervise();
    await expect(clock.finish(pipeline.started)).rejects.toThrow("The disk is full.");
    expect(servers.a!.pipelines.size).toBe(0);
    ledger.save = save;
    await clock.finish(pipeline.stop());
  });
});

describe("a supervised file", () => {
  it("arrives whole, because the server is told WAIT, LAZY and a decoding buffer of 1", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 50, frames: 100, alive: true };
    const { pipeline, results } = supervise(FILE);
    await clock.until(() => servers.a!.pipelines.size === 1);
    expect([...servers.a!.pipelines.values()][0]?.start).toMatchObject({
      filling: "WAIT",
      consumption: "LAZY",
      decodingBufferSize: 1,
    });
    const figures = await clock.finish(pipeline.ended);
    expect(results.map(({ frameNumber }) => frameNumber)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(figures).toMatchObject({ state: "ended", reason: undefined, framesProcessed: 100, totalFrames: 100 });
  });

  it("ends with a word about the tail when the last frames never came", async () => {
    const { clock, servers, ledger, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 50, frames: 100, alive: true };
    const { pipeline } = supervise({ ...FILE, start: { ...FILE.start, decodingBufferSize: 64 } });
    const figures = await clock.finish(pipeline.ended);
    expect(figures).toMatchObject({ state: "ended", reason: "The last 60 of 100 frames are missing." });
    expect(ledger.entries).toEqual([]);
  });

  it("fails with the server's reason when it is not there, although the server said yes", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 50, frames: 100, alive: false };
    const { pipeline } = supervise(FILE);
    const figures = await clock.finish(pipeline.ended);
    expect(figures).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("Cannot connect to video source"),
    });
  });

  it("fails when it is gone before its first frame and before the server said why", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 1, frames: 100, alive: true };
    const { pipeline } = supervise(FILE);
    await clock.until(() => servers.a!.pipelines.size === 1);
    servers.a!.pipelines.clear();
    const figures = await clock.finish(pipeline.ended);
    expect(figures).toMatchObject({ state: "failed", reason: expect.stringContaining("before its first frame") });
  });

  it("is run again after a restart of the server, without delivering a frame twice", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const server = servers.a!;
    server.source = { fps: 10, frames: 60, alive: true };
    const { pipeline, results } = supervise(FILE);
    await clock.until(() => results.length === 20);
    server.trouble = "dead";
    await clock.advance(5000);
    server.restart();
    const figures = await clock.finish(pipeline.ended);
    expect(figures).toMatchObject({ state: "ended", reason: undefined, framesProcessed: 60, restarts: 1 });
    expect(results.map(({ frameNumber }) => frameNumber)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  it("has no consumption timeout, which would block the server's stream manager", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 50, frames: 100, alive: true };
    const { pipeline } = supervise(FILE);
    await clock.finish(pipeline.started);
    expect([...servers.a!.pipelines.values()][0]?.start.consumptionTimeoutS).toBeUndefined();
    await clock.finish(pipeline.ended);
  });

  it("is stopped by letting it run out muted, never by terminating a decoder that waits", async () => {
    const { clock, servers, ledger, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 10, frames: 600, alive: true };
    const { pipeline, results } = supervise(FILE);
    await clock.until(() => results.length === 10);
    const { length } = results;
    await clock.finish(pipeline.stop());
    expect(servers.a!.trouble).toBe("none");
    expect(servers.a!.pipelines.size).toBe(0);
    expect(results).toHaveLength(length);
    expect(ledger.entries).toEqual([]);
    expect(pipeline.figures().state).toBe("stopped");
  });

  it("is not called stopped while a long one still runs out", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 10, frames: 60_000, alive: true };
    servers.a!.runOutMs = 60_000;
    const { pipeline, results } = supervise(FILE);
    await clock.until(() => results.length === 10);
    await expect(clock.finish(pipeline.stop())).rejects.toMatchObject({
      kind: "busy",
      message: expect.stringContaining("runs to the end of its file"),
    });
    expect(pipeline.figures().state).toBe("failed");
    expect((await clock.finish(pipeline.ended)).state).toBe("stopped");
    expect(servers.a!.trouble).toBe("none");
  });

  it("is never paused on the server: it runs on, its results are left out, and the state says so", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 10, frames: 60, alive: true };
    const { pipeline, results, states } = supervise(FILE);
    await clock.until(() => results.length === 10);
    await clock.finish(pipeline.pause());
    expect(states.at(-1)).toMatchObject({ state: "paused", reason: expect.stringContaining("runs on") });
    await clock.advance(2000);
    expect(results).toHaveLength(10);
    await clock.finish(pipeline.resume());
    await clock.finish(pipeline.ended);
    expect(servers.a!.calls).not.toContain("pause");
    expect(results.at(-1)?.frameNumber).toBe(60);
    expect(pipeline.figures().framesDropped).toBe(0);
  });
});

describe("a stream that breaks", () => {
  it("is started again with growing pauses when its pipeline vanishes, and says why", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const server = servers.a!;
    const { pipeline, results, states } = supervise();
    await clock.until(() => results.length === 3);
    server.source.alive = false;
    await clock.until(() => states.at(-1)?.state === "reconnecting");
    const before = server.calls.filter((name) => name === "initialise").length;
    await clock.advance(60_000);
    const attempts = server.calls.filter((name) => name === "initialise").length - before;
    expect(attempts).toBeGreaterThan(2);
    expect(attempts).toBeLessThan(10);
    expect(states.at(-1)?.reason).toContain("Cannot connect to video source");
    server.source.alive = true;
    await clock.until(() => states.at(-1)?.state === "running");
    await clock.finish(pipeline.stop());
  });

  it("surfaces the words of a workflow that fails on every frame while the server calls it running", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.workflowError = "Model coco/99 is unknown.";
    const { pipeline, states } = supervise();
    await clock.until(() => states.length > 0);
    expect(states[0]).toMatchObject({
      state: "starting",
      reason: expect.stringContaining("Model coco/99 is unknown."),
    });
    await clock.finish(pipeline.stop());
  });

  it("waits longer for the first result when the consumption timeout ended a start that said nothing", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    servers.a!.source = { fps: 0, alive: true };
    const { pipeline } = supervise();
    await clock.until(() => servers.a!.pipelines.get("a-2") !== undefined);
    expect(servers.a!.pipelines.get("a-2")?.start.consumptionTimeoutS).toBe(60);
    await clock.finish(pipeline.stop());
  });
});

describe("pause and resume", () => {
  it("mutes a stream on the server and counts no pause as dropped frames", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results } = supervise();
    await clock.until(() => results.length === 5);
    await clock.finish(pipeline.pause());
    const { length } = results;
    await clock.advance(3000);
    expect(results).toHaveLength(length);
    expect(servers.a!.calls.filter((name) => name === "pause")).toHaveLength(1);
    await clock.finish(pipeline.pause());
    expect(servers.a!.calls.filter((name) => name === "pause")).toHaveLength(1);
    await clock.finish(pipeline.resume());
    await clock.until(() => results.length > length);
    expect(pipeline.figures().state).toBe("running");
    await clock.finish(pipeline.stop());
  });

  it("starts anew on resume when the server ended the paused pipeline", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results } = supervise();
    await clock.until(() => results.length === 5);
    await clock.finish(pipeline.pause());
    const { length } = results;
    await clock.advance(60_000);
    expect(servers.a!.pipelines.size).toBe(0);
    expect(pipeline.figures().state).toBe("paused");
    await clock.finish(pipeline.resume());
    await clock.until(() => results.length > length);
    await clock.finish(pipeline.stop());
  });

  it("says that it could not pause, and goes on", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results } = supervise();
    await clock.until(() => results.length === 2);
    servers.a!.trouble = "busy";
    await expect(clock.finish(pipeline.pause())).rejects.toBeInstanceOf(ClientError);
    servers.a!.trouble = "none";
    await clock.until(() => results.length > 5);
    await clock.finish(pipeline.stop());
    await expect(pipeline.pause()).rejects.toMatchObject({ kind: "not_found" });
  });
});
