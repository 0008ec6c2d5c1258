import { describe, expect, it } from "vitest";
import { ClientError } from "../errors.ts";
import type { PipelineCalls } from "../http/pipeline-calls.ts";
import type { Trouble } from "../testing/stand-in-server.ts";
import { createSupervisionSetup, type SupervisionSetup, type Watched } from "../testing/supervision-setup.ts";

describe("a server in trouble", () => {
  it.each<[Trouble, string]>([
    ["dead", "is not there"],
    ["hung", "did not answer in time"],
    ["wedged", "Stream manager wedged"],
    ["garbage", "says nonsense"],
    ["busy", "says 503"],
  ])("%s: the pipeline says why, and comes back when the server is well again", async (trouble, words) => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results, states } = await running({ clock, supervise });
    servers.a!.trouble = trouble;
    await clock.until(() => states.at(-1)?.state === "reconnecting", 60_000);
    expect(states.at(-1)?.reason).toContain(words);
    await clock.advance(120_000);
    expect(pipeline.figures().state).toBe("reconnecting");
    servers.a!.restart();
    const { length } = results;
    await clock.until(() => results.length > length, 90_000);
    expect(pipeline.figures()).toMatchObject({ state: "running", reason: undefined });
    await clock.finish(pipeline.stop());
  });

  it("is asked less and less often while it does not answer", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, states } = await running({ clock, supervise });
    servers.a!.trouble = "dead";
    await clock.until(() => states.at(-1)?.state === "reconnecting");
    const before = servers.a!.calls.length;
    await clock.advance(300_000);
    expect(servers.a!.calls.length - before).toBeLessThan(30);
    servers.a!.restart();
    await clock.finish(pipeline.stop());
  });

  it("keeps its pipeline when it was only out of reach for a moment", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results, states } = await running({ clock, supervise });
    servers.a!.trouble = "dead";
    await clock.until(() => states.at(-1)?.state === "reconnecting");
    servers.a!.trouble = "none";
    const { length } = results;
    await clock.until(() => results.length > length);
    expect(servers.a!.calls.filter((name) => name === "initialise")).toHaveLength(1);
    expect(pipeline.figures()).toMatchObject({ state: "running", restarts: 0 });
    await clock.finish(pipeline.stop());
  });

  it.each<Trouble>(["dead", "hung", "wedged", "garbage"])("%s: the pipeline moves to another one", async (trouble) => {
    const { clock, servers, ledger, supervise } = createSupervisionSetup("a", "b");
    const { pipeline, results } = await running({ clock, supervise });
    expect(pipeline.figures().server).toBe("a");
    servers.a!.trouble = trouble;
    const { length } = results;
    await clock.until(() => results.length > length, 60_000);
    expect(pipeline.figures()).toMatchObject({ server: "b", state: "running", restarts: 1 });
    expect(ledger.entries.map(({ server, state }) => [server, state]).sort()).toEqual([
      ["a", "stopping"],
      ["b", "running"],
    ]);
    servers.a!.trouble = "none";
    await clock.until(() => ledger.entries.length === 1, 120_000);
    expect(servers.a!.pipelines.size).toBe(0);
    await clock.finish(pipeline.stop());
  });

  it("replaced by an older version: the pipeline runs there, and the skew is named", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results, states } = await running({ clock, supervise });
    servers.a!.trouble = "dead";
    await clock.until(() => states.at(-1)?.state === "reconnecting");
    servers.a!.restart("1.5.0");
    const { length } = results;
    await clock.until(() => results.length > length);
    expect(pipeline.figures().placement).toContain("Version 1.5.0 is older than 1.8");
    await clock.finish(pipeline.stop());
  });

  it("replaced by a version that lacks a block: the pipeline says so and comes back after the upgrade", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results, states } = await running({ clock, supervise });
    servers.a!.restart("1.5.0");
    servers.a!.problems = [{ step: "blur", property: null, message: "no such block." }];
    await clock.until(() => states.at(-1)?.reason?.includes("blur: no such block.") === true);
    expect(states.at(-1)?.state).toBe("reconnecting");
    servers.a!.restart("1.8.3");
    servers.a!.problems = [];
    const { length } = results;
    await clock.until(() => results.length > length);
    await clock.finish(pipeline.stop());
  });

  it("never keeps a call waiting longer than its limit", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const limits = { validateMs: 1000, initialiseMs: 1000, controlMs: 1000, consumeMs: 1000 };
    const { pipeline, states } = await running({ clock, supervise: () => supervise({ timeouts: limits }) });
    servers.a!.trouble = "hung";
    const begun = clock.monotonic();
    await clock.until(() => states.at(-1)?.state === "reconnecting");
    expect(clock.monotonic() - begun).toBeLessThan(2500);
    const asked = clock.monotonic();
    await expect(clock.finish(pipeline.stop())).rejects.toMatchObject({ kind: "timeout" });
    expect(clock.monotonic() - asked).toBeLessThan(2500);
    servers.a!.restart();
    await clock.finish(pipeline.ended);
  });
});

describe("what the stream manager is known to do", () => {
  it("answers 404 to a call that races the end of a pipeline, which is no trouble of the server", async () => {
    const { clock, servers, supervise, fleet } = createSupervisionSetup("a");
    const { pipeline, results } = await running({ clock, supervise });
    servers.a!.pipelines.clear();
    const { length } = results;
    await clock.until(() => results.length > length);
    expect((await clock.finish(fleet.report()))[0]).toMatchObject({ healthy: true });
    await clock.finish(pipeline.stop());
  });

  it("says ConnectivityError with a time limit of its own, which counts as silence", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, states } = await running({ clock, supervise });
    const { consume } = servers.a!.client.pipelines;
    replaceCalls(servers, {
      consume: async () => {
        throw new ClientError({ kind: "server", message: "Connection refused.", errorType: "ConnectivityError" });
      },
    });
    await clock.until(() => states.at(-1)?.state === "reconnecting");
    expect(states.at(-1)?.reason).toContain("Stream manager wedged");
    replaceCalls(servers, { consume });
    await clock.until(() => states.at(-1)?.state === "running");
    await clock.finish(pipeline.stop());
  });

  it("takes a single lost answer without a word", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline, results, states } = await running({ clock, supervise });
    servers.a!.trouble = "hung";
    await clock.advance(500);
    servers.a!.trouble = "none";
    const { length } = results;
    await clock.until(() => results.length > length);
    expect(states.map(({ state }) => state)).toEqual(["running"]);
    await clock.finish(pipeline.stop());
  });

  it("does not know what it ended by itself, which is as good as stopped", async () => {
    const { clock, servers, supervise, ledger } = createSupervisionSetup("a");
    const { pipeline } = await running({ clock, supervise });
    servers.a!.pipelines.clear();
    await clock.finish(pipeline.stop());
    expect(pipeline.figures().state).toBe("stopped");
    expect(ledger.entries).toEqual([]);
  });

  it("may take the order to terminate and keep the pipeline, which is not stopped then", async () => {
    const { clock, servers, supervise, ledger } = createSupervisionSetup("a");
    const { pipeline, states } = await running({ clock, supervise });
    servers.a!.ignoresTerminate = true;
    await expect(clock.finish(pipeline.stop())).rejects.toThrow("still lists it");
    expect(states.map(({ state }) => state)).not.toContain("stopped");
    expect(ledger.entries).toMatchObject([{ state: "stopping" }]);
    servers.a!.ignoresTerminate = false;
    await clock.finish(pipeline.ended);
    expect(pipeline.figures().state).toBe("stopped");
  });
});

describe("stop", () => {
  it("resolves when the server's list is without the pipeline, twice", async () => {
    const { clock, servers, supervise, ledger } = createSupervisionSetup("a");
    const { pipeline, states } = await running({ clock, supervise });
    await clock.finish(Promise.all([pipeline.stop(), pipeline.stop()]));
    await clock.finish(pipeline.stop());
    expect(servers.a!.pipelines.size).toBe(0);
    expect(servers.a!.calls.filter((name) => name === "terminate")).toHaveLength(1);
    expect(ledger.entries).toEqual([]);
    expect(states.at(-1)).toEqual({ state: "stopped", reason: undefined });
    expect(await pipeline.ended).toMatchObject({ state: "stopped" });
  });

  it("F-04 a stop that fails says so", async () => {
    const { clock, servers, supervise, ledger } = createSupervisionSetup("a");
    const { pipeline, states } = await running({ clock, supervise });
    servers.a!.trouble = "dead";
    await expect(clock.finish(pipeline.stop())).rejects.toMatchObject({
      kind: "network",
      message: expect.stringMatching(/may still run on server "a".*a is not there/),
    });
    expect(states.at(-1)).toMatchObject({ state: "failed", reason: expect.stringContaining("may still run") });
    expect(ledger.entries).toMatchObject([{ pipelineId: "door", state: "stopping" }]);
    expect(servers.a!.pipelines.size).toBe(1);
  });

  it("is made good in the background when the server is back", async () => {
    const { clock, servers, supervise, ledger } = createSupervisionSetup("a");
    const { pipeline, states } = await running({ clock, supervise });
    servers.a!.trouble = "dead";
    await expect(clock.finish(pipeline.stop())).rejects.toBeInstanceOf(ClientError);
    await clock.advance(5000);
    servers.a!.trouble = "none";
    await clock.finish(pipeline.ended, 60_000);
    expect(states.at(-1)?.state).toBe("stopped");
    expect(servers.a!.pipelines.size).toBe(0);
    expect(ledger.entries).toEqual([]);
  });

  it("tries at once when it is called again", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a");
    const { pipeline } = await running({ clock, supervise });
    servers.a!.trouble = "dead";
    await expect(clock.finish(pipeline.stop())).rejects.toBeInstanceOf(ClientError);
    servers.a!.trouble = "none";
    await clock.finish(pipeline.stop(), 100);
    expect(pipeline.figures().state).toBe("stopped");
  });

  it("during a start waits for the server's id, so that nothing is left behind", async () => {
    const { clock, servers, supervise, ledger } = createSupervisionSetup("a");
    const { pipeline } = supervise();
    await clock.until(() => servers.a!.calls.includes("initialise"));
    const started = expect(pipeline.started).resolves.toBeUndefined();
    await clock.finish(pipeline.stop());
    await started;
    expect(servers.a!.pipelines.size).toBe(0);
    expect(ledger.entries).toEqual([]);
  });

  it("delivers nothing afterwards", async () => {
    const { clock, supervise } = createSupervisionSetup("a");
    const { pipeline, results } = await running({ clock, supervise });
    const stopping = pipeline.stop();
    const { length } = results;
    await clock.finish(stopping);
    await clock.advance(5000);
    expect(results).toHaveLength(length);
  });

  it("ends what a move left behind on the other server too", async () => {
    const { clock, servers, supervise } = createSupervisionSetup("a", "b");
    const { pipeline } = await running({ clock, supervise });
    servers.a!.trouble = "dead";
    await clock.until(() => pipeline.figures().server === "b");
    await expect(clock.finish(pipeline.stop())).rejects.toThrow('may still run on server "a"');
    expect(servers.b!.pipelines.size).toBe(0);
    servers.a!.trouble = "none";
    await clock.finish(pipeline.stop());
    expect(servers.a!.pipelines.size).toBe(0);
  });
});

async function running({ clock, supervise }: Pick<SupervisionSetup, "clock" | "supervise">): Promise<Watched> {
  const watched = supervise();
  await clock.until(() => watched.results.length >= 2);
  return watched;
}

function replaceCalls(servers: SupervisionSetup["servers"], calls: Partial<PipelineCalls>): void {
  Object.assign(servers.a!.client.pipelines, calls);
}
