import type { ServerReport } from "@vision-agent/inference-client";
import { describe, expect, it } from "vitest";
import { loadServerStatus } from "./server-status.ts";

describe("the state of the servers", () => {
  it("is told with version, latency and pipelines", async () => {
    const [status] = await loadServerStatus(fleetOf([report("a")]));
    expect(status).toEqual({
      label: "a",
      url: "http://a:9001",
      reachable: true,
      version: "1.8.3",
      latency_ms: 12,
      pipelines: 2,
      note: null,
    });
  });

  it("names every kind of skew: among servers, to this client and to the language of this machine", async () => {
    const reports = [report("a", { version: "1.10.0" }), report("b", { version: "1.9.2", skew: "It is newer." })];
    const found = await loadServerStatus(fleetOf(reports, { b: ["1.15.0"] }));
    expect(found.map(({ note }) => note)).toEqual([
      null,
      "It is newer. Another of the servers has version 1.10.0: the same workflow may give something else there. It speaks workflow language 1.15.0, this machine 1.17.0.",
    ]);
  });

  it("says why a server is not reached, and does not ask it further", async () => {
    const ill = { healthy: false, version: undefined, latencyMs: undefined, pipelines: undefined };
    const [status] = await loadServerStatus(fleetOf([report("a", { ...ill, reason: "Nobody answers." })]));
    expect(status).toMatchObject({ reachable: false, version: null, latency_ms: null, note: "Nobody answers." });
  });

  it("tells a server that hides its language", async () => {
    const [status] = await loadServerStatus(fleetOf([report("a")], { a: new Error("It is busy.") }));
    expect(status?.note).toContain("It is busy.");
  });
});

function report(label: string, over: Partial<ServerReport> = {}): ServerReport {
  return {
    label,
    url: `http://${label}:9001`,
    healthy: true,
    version: "1.8.3",
    skew: undefined,
    latencyMs: 12,
    pipelines: 2,
    takesPipelines: true,
    pipelineLimit: 8,
    reason: undefined,
    ...over,
  };
}

function fleetOf(reports: readonly ServerReport[], versions: Readonly<Record<string, readonly string[] | Error>> = {}) {
  const client = (label: string) => ({
    workflows: {
      versions: async () => {
        const found = versions[label] ?? ["1.17.0"];
        if (found instanceof Error) throw found;
        return found;
      },
    },
  });
  return { fleet: { report: async () => reports, client }, engineVersion: "1.17.0" };
}
