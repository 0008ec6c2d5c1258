import { describe, expect, it } from "vitest";
import { ClientError } from "../errors.ts";
import { createSupervisionSetup, SPEC } from "../testing/supervision-setup.ts";
import { versionSkew } from "./check-server.ts";
import { createServerFleet } from "./server-fleet.ts";

const START = { workflow: { specification: SPEC }, source: "rtsp://camera/1", consumptionTimeoutS: 900 };

describe("createServerFleet", () => {
  it("refuses an empty list and two servers of the same name", () => {
    const { clock, servers } = createSupervisionSetup("a");
    const { client } = servers.a!;
    expect(() => createServerFleet({ servers: [], clock })).toThrow("at least one server");
    const twins = [
      { label: "a", client },
      { label: "a", client },
    ];
    expect(() => createServerFleet({ servers: twins, clock })).toThrow('Two servers are called "a"');
  });

  it("chooses the least loaded of the healthy and says why", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a", "b", "c");
    await clock.finish(servers.a!.client.pipelines.initialise(START));
    servers.c!.trouble = "dead";
    const chosen = await clock.finish(fleet.choose({ for: "pipeline" }));
    expect(chosen.label).toBe("b");
    expect(chosen.reason).toBe('"b" has 0 of 8 pipelines and answers in 2 ms. "a" has 1. "c": c is not there.');
  });

  it("spreads pipelines that are placed before the next look", async () => {
    const { clock, fleet } = createSupervisionSetup("a", "b");
    const chosen = [];
    for (let round = 0; round < 4; round += 1) chosen.push(await clock.finish(fleet.choose({ for: "pipeline" })));
    expect(chosen.map(({ label }) => label)).toEqual(["a", "b", "a", "b"]);
  });

  it("keeps a good check for a few seconds", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a");
    await clock.finish(fleet.choose({ for: "run" }));
    await clock.finish(fleet.choose({ for: "run" }));
    expect(servers.a!.calls.filter((name) => name === "info")).toHaveLength(1);
    await clock.advance(3500);
    await clock.finish(fleet.choose({ for: "run" }));
    expect(servers.a!.calls.filter((name) => name === "info")).toHaveLength(2);
  });

  it("leaves an ill server alone for longer and longer while another can do the work", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a", "b");
    servers.a!.trouble = "hung";
    for (let second = 0; second < 120; second += 1) {
      const { label } = await clock.finish(fleet.choose({ for: "run" }));
      expect(label).toBe("b");
      await clock.advance(1000);
    }
    expect(servers.a!.calls.filter((name) => name === "info").length).toBeLessThan(9);
  });

  it("looks again at an ill server when nobody else can", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a");
    servers.a!.trouble = "dead";
    await expect(clock.finish(fleet.choose({ for: "run" }))).rejects.toBeInstanceOf(ClientError);
    servers.a!.trouble = "none";
    await clock.advance(3100);
    expect((await clock.finish(fleet.choose({ for: "run" }))).label).toBe("a");
  });

  it("names every server and its reason when none can", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a", "b", "c");
    servers.a!.trouble = "dead";
    servers.b!.trouble = "wedged";
    await expect(clock.finish(fleet.choose({ for: "pipeline", avoid: new Set(["c"]) }))).rejects.toMatchObject({
      kind: "network",
      message:
        'No Inference server can take the pipeline. "a": a is not there. "b": Its stream manager does not answer: b did not answer in time. "c": it failed a moment ago.',
    });
  });

  it("still runs single pictures on a server whose stream manager is silent", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a");
    servers.a!.trouble = "wedged";
    expect((await clock.finish(fleet.choose({ for: "run" }))).label).toBe("a");
    const before = clock.monotonic();
    await clock.finish(fleet.choose({ for: "run" }));
    expect(clock.monotonic() - before).toBeLessThan(100);
  });

  it("gives no ninth pipeline to a server", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a");
    for (let count = 0; count < 8; count += 1) await clock.finish(servers.a!.client.pipelines.initialise(START));
    await expect(clock.finish(fleet.choose({ for: "pipeline" }))).rejects.toThrow("It is full: 8 of 8 pipelines.");
    expect((await clock.finish(fleet.choose({ for: "run" }))).label).toBe("a");
  });

  it("uses a server of 1.5 and names the difference", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a", "b");
    servers.b!.version = "1.5.0";
    const [a, b] = await clock.finish(fleet.report());
    expect(a).toMatchObject({ label: "a", healthy: true, version: "1.8.3", skew: undefined, pipelines: 0 });
    expect(b).toMatchObject({ label: "b", healthy: true, version: "1.5.0", skew: expect.stringContaining("1.5.0") });
    const chosen = await clock.finish(fleet.choose({ for: "pipeline", avoid: new Set(["a"]) }));
    expect(chosen).toMatchObject({ label: "b", reason: expect.stringContaining("older than 1.8") });
  });

  it("reports a dead server instead of throwing", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a", "b");
    servers.a!.trouble = "dead";
    const reports = await clock.finish(fleet.report());
    expect(reports.map(({ label, healthy, reason }) => ({ label, healthy, reason }))).toEqual([
      { label: "a", healthy: false, reason: "a is not there." },
      { label: "b", healthy: true, reason: undefined },
    ]);
  });

  it("passes over a server that a caller saw failing", async () => {
    const { clock, fleet } = createSupervisionSetup("a", "b");
    await clock.finish(fleet.report());
    fleet.noteFailure("a", "It answered nonsense.");
    const { label, reason } = await clock.finish(fleet.choose({ for: "run" }));
    expect(label).toBe("b");
    expect(reason).toContain('"a": It answered nonsense.');
  });

  it("asks for the WebRTC worker before it gives a server for a session", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a", "b");
    Object.assign(servers.a!.client, {
      capabilities: async () => ({ version: "1.8.3", families: new Set(), paths: new Set() }),
    });
    const { label, reason } = await clock.finish(fleet.choose({ for: "webrtc" }));
    expect(label).toBe("b");
    expect(reason).toContain('"a": It has no WebRTC worker.');
  });

  it("stops waiting when the caller does", async () => {
    const { clock, servers, fleet } = createSupervisionSetup("a");
    servers.a!.trouble = "hung";
    const given = new AbortController();
    const choice = fleet.choose({ for: "run" }, given.signal);
    given.abort();
    await expect(clock.finish(choice, 10)).rejects.toMatchObject({ kind: "cancelled" });
    fleet.close();
    fleet.close();
  });
});

describe("versionSkew", () => {
  it.each([
    ["1.8.3", undefined],
    ["1.8.0", undefined],
    ["1.5.0", "older than 1.8"],
    ["0.59.1", "older than 1.5"],
    ["1.9.0", "newer than 1.8"],
    ["2.0.0", "newer than 1.8"],
    ["nightly", "cannot be read"],
  ])("of %s is named where there is one", (version, words) => {
    if (words === undefined) expect(versionSkew(version)).toBeUndefined();
    else expect(versionSkew(version)).toContain(words);
  });
});
