import { describe, expect, it } from "vitest";
import {
  createMemoryLedger,
  createSupervisionSetup,
  SPEC,
  type SupervisionSetup,
} from "../testing/supervision-setup.ts";
import { addEntry, changeLedger, type LedgerEntry } from "./pipeline-ledger.ts";
import { reconcile } from "./reconcile.ts";
import { fingerprintOf } from "./start-hosted.ts";

const START = { workflow: { specification: SPEC }, source: "rtsp://camera/1" };
const WANTED = { pipelineId: "door", start: START, isFile: false };

describe("reconcile", () => {
  it("goes on with what still runs as it is wanted", async () => {
    const setup = createSupervisionSetup("a");
    const entry = await hostedBefore(setup, "door");
    const report = await setup.clock.finish(reconcile(setup.fleet, setup.ledger, [WANTED], setup));
    expect(report).toMatchObject({ adopted: [entry], terminated: [], lost: [], unreachable: [] });
    expect(setup.ledger.entries).toEqual([entry]);
    expect(setup.servers.a!.calls).not.toContain("terminate");
  });

  it("ends what is no longer wanted, or wanted otherwise, and never what others run", async () => {
    const setup = createSupervisionSetup("a");
    const foreign = await setup.clock.finish(setup.servers.a!.client.pipelines.initialise(START));
    const unwanted = await hostedBefore(setup, "yard");
    const changed = await hostedBefore(setup, "door");
    const wanted = [{ ...WANTED, start: { ...START, maxFps: 2 } }];
    const report = await setup.clock.finish(reconcile(setup.fleet, setup.ledger, wanted, setup));
    expect(report.adopted).toEqual([]);
    expect(report.terminated.map(({ serverId }) => serverId)).toEqual([unwanted.serverId, changed.serverId]);
    expect([...setup.servers.a!.pipelines.keys()]).toEqual([foreign]);
    expect(setup.ledger.entries).toEqual([]);
  });

  it("forgets what the server no longer has", async () => {
    const setup = createSupervisionSetup("a");
    const entry = await hostedBefore(setup, "door");
    setup.servers.a!.restart();
    const report = await setup.clock.finish(reconcile(setup.fleet, setup.ledger, [WANTED], setup));
    expect(report).toMatchObject({ adopted: [], lost: [entry] });
    expect(setup.ledger.entries).toEqual([]);
  });

  it("ends what was still to be stopped, wanted or not", async () => {
    const setup = createSupervisionSetup("a");
    await hostedBefore(setup, "door");
    await changeLedger(setup.ledger, (all) => all.map((entry) => ({ ...entry, state: "stopping" })));
    const report = await setup.clock.finish(reconcile(setup.fleet, setup.ledger, [WANTED], setup));
    expect(report.terminated).toHaveLength(1);
    expect(setup.servers.a!.pipelines.size).toBe(0);
  });

  it("keeps as stopping what a silent server may still run, and says so", async () => {
    const setup = createSupervisionSetup("a", "b");
    const onA = await hostedBefore(setup, "door", "a");
    const onB = await hostedBefore(setup, "yard", "b");
    setup.servers.a!.trouble = "dead";
    const wanted = [WANTED, { ...WANTED, pipelineId: "yard" }];
    const report = await setup.clock.finish(reconcile(setup.fleet, setup.ledger, wanted, setup));
    expect(report.adopted).toEqual([onB]);
    expect(report.unreachable).toMatchObject([{ entry: { serverId: onA.serverId }, reason: "a is not there." }]);
    expect(setup.ledger.entries.map(({ state }) => state)).toEqual(["stopping", "running"]);
  });

  it("drops entries of a server that left the fleet and does not call them stopped", async () => {
    const setup = createSupervisionSetup("a");
    await hostedBefore(setup, "door");
    await changeLedger(setup.ledger, (all) => all.map((entry) => ({ ...entry, server: "attic" })));
    const report = await setup.clock.finish(reconcile(setup.fleet, setup.ledger, [WANTED], setup));
    expect(report).toMatchObject({ adopted: [], terminated: [], forgotten: [{ server: "attic" }] });
    expect(setup.ledger.entries).toEqual([]);
  });

  it("adopts only the newest of two that are the same", async () => {
    const setup = createSupervisionSetup("a");
    await hostedBefore(setup, "door");
    await setup.clock.advance(10);
    const newest = await hostedBefore(setup, "door");
    const report = await setup.clock.finish(reconcile(setup.fleet, setup.ledger, [WANTED], setup));
    expect(report.adopted).toEqual([newest]);
    expect(report.terminated).toHaveLength(1);
  });
});

describe("the ledger", () => {
  it("loses no entry when two pipelines write at once", async () => {
    const ledger = createMemoryLedger();
    const slow = {
      ...ledger,
      save: (entries: readonly LedgerEntry[]) => pause().then(() => ledger.save(entries)),
      load: async () => ledger.entries,
    };
    const entry = (serverId: string): LedgerEntry => ({
      pipelineId: serverId,
      server: "a",
      serverId,
      fingerprint: "",
      state: "running",
      since: 0,
    });
    await Promise.all([addEntry(slow, entry("1")), addEntry(slow, entry("2")), addEntry(slow, entry("3"))]);
    expect(ledger.entries.map(({ serverId }) => serverId)).toEqual(["1", "2", "3"]);
  });

  it("goes on after a write that failed", async () => {
    const ledger = createMemoryLedger();
    const failing = changeLedger(ledger, () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await changeLedger(ledger, (entries) => entries);
  });
});

describe("fingerprintOf", () => {
  it("is the same whatever the order of the keys, and shows nothing of the source", () => {
    const turned = { source: START.source, workflow: START.workflow };
    expect(fingerprintOf(turned, false)).toBe(fingerprintOf(START, false));
    expect(fingerprintOf(START, false)).not.toContain("camera");
  });

  it("differs by source, workflow, settings and kind", () => {
    const prints = [
      fingerprintOf(START, false),
      fingerprintOf(START, true),
      fingerprintOf({ ...START, source: "rtsp://camera/2" }, false),
      fingerprintOf({ ...START, maxFps: 3 }, false),
      fingerprintOf({ ...START, workflow: { specification: { ...SPEC, version: "1.1" } } }, false),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });
});

async function hostedBefore(setup: SupervisionSetup, pipelineId: string, server = "a"): Promise<LedgerEntry> {
  const serverId = await setup.clock.finish(setup.servers[server]!.client.pipelines.initialise(START));
  const since = setup.clock.now();
  const entry: LedgerEntry = {
    pipelineId,
    server,
    serverId,
    fingerprint: fingerprintOf(START, false),
    state: "running",
    since,
  };
  await addEntry(setup.ledger, entry);
  return entry;
}

function pause(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
