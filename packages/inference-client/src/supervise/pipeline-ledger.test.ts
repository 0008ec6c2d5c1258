import { describe, expect, it } from "vitest";
import {
  createMemoryLedger,
  createSupervisionSetup,
  SPEC,
  type SupervisionSetup,
} from "../testing/supervision-setup.ts";
import { sweepLedger } from "./end-hosted.ts";
import { addEntry, changeLedger, type LedgerEntry } from "./pipeline-ledger.ts";
import { fingerprintOf } from "./start-hosted.ts";

const START = { workflow: { specification: SPEC }, source: "rtsp://camera/1" };

describe("sweepLedger", () => {
  it("ends what was to be stopped, and never what others run or what is to go on", async () => {
    const setup = createSupervisionSetup("a");
    const foreign = await setup.clock.finish(setup.servers.a!.client.pipelines.initialise(START));
    const kept = await hostedBefore(setup, "door");
    const dropped = await hostedBefore(setup, "yard", { state: "stopping" });
    const report = await setup.clock.finish(sweepLedger({ ...setup, timeoutMs: 15_000 }));
    expect(report).toMatchObject({ ended: [dropped], left: [], forgotten: [] });
    expect([...setup.servers.a!.pipelines.keys()]).toEqual([foreign, kept.serverId]);
    expect(setup.ledger.entries).toEqual([kept]);
  });

  it("forgets what the server no longer has", async () => {
    const setup = createSupervisionSetup("a");
    const entry = await hostedBefore(setup, "door", { state: "stopping" });
    setup.servers.a!.restart();
    const report = await setup.clock.finish(sweepLedger({ ...setup, timeoutMs: 15_000 }));
    expect(report).toMatchObject({ ended: [entry], left: [] });
    expect(setup.ledger.entries).toEqual([]);
  });

  it("keeps what a silent server may still run, and says so", async () => {
    const setup = createSupervisionSetup("a");
    const entry = await hostedBefore(setup, "door", { state: "stopping" });
    setup.servers.a!.trouble = "dead";
    const report = await setup.clock.finish(sweepLedger({ ...setup, timeoutMs: 15_000 }));
    expect(report).toMatchObject({ ended: [], left: [{ entry, failure: { message: "a is not there." } }] });
    expect(setup.ledger.entries).toEqual([entry]);
  });

  it("drops entries of a server that left the fleet and does not call them ended", async () => {
    const setup = createSupervisionSetup("a");
    await hostedBefore(setup, "door", { state: "stopping", server: "attic" });
    const report = await setup.clock.finish(sweepLedger({ ...setup, timeoutMs: 15_000 }));
    expect(report).toMatchObject({ ended: [], left: [], forgotten: [{ server: "attic" }] });
    expect(setup.ledger.entries).toEqual([]);
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

async function hostedBefore(
  setup: SupervisionSetup,
  pipelineId: string,
  changed: Partial<LedgerEntry> = {},
): Promise<LedgerEntry> {
  const serverId = await setup.clock.finish(setup.servers.a!.client.pipelines.initialise(START));
  const fingerprint = fingerprintOf(START, false);
  const entry: LedgerEntry = {
    ...{ pipelineId, server: "a", serverId, fingerprint, state: "running", since: setup.clock.now() },
    ...changed,
  };
  await addEntry(setup.ledger, entry);
  return entry;
}

function pause(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
