import type { ServerStatus } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { detectionWorkflow } from "../../backends/detection-workflow.ts";
import type { ParityReport } from "../../backends/parity.ts";
import type { BackendTools, ParityFlags } from "./app-flags.ts";
import { compareBackends, listBackends } from "./backend-commands.ts";
import { UsageError } from "./exit-codes.ts";

const UP: ServerStatus = {
  label: "main",
  url: "http://localhost:9001",
  reachable: true,
  version: "1.8.3",
  latency_ms: 3.6,
  pipelines: 2,
  note: null,
};
const DOWN: ServerStatus = {
  label: "basement",
  url: "http://10.0.0.7:9001",
  reachable: false,
  version: null,
  latency_ms: null,
  pipelines: null,
  note: "Nobody answers.",
};
const AGREED: ParityReport = {
  agrees: true,
  runs: [
    {
      backend: "direct",
      boxes: 0,
      outputs: {},
      first_ms: 812.4,
      again_ms: 40.2,
      latency_ms: 31,
      notes: ["Another model stands in."],
    },
    { backend: "http", boxes: 0, outputs: {}, first_ms: 120, again_ms: null, latency_ms: 0, notes: [] },
    { backend: "webrtc", failure: "It has no WebRTC worker." },
  ],
  comparisons: [
    {
      output: "predictions",
      backends: ["direct", "http"],
      agrees: true,
      counts: [7, 7],
      matched: 7,
      worst_px: 0.84,
      worst_score: 0.0031,
    },
  ],
};

describe("backend list", () => {
  it("shows the servers with what is wrong, and is content when one answers", async () => {
    const { run, output } = commands({ servers: [UP, DOWN] });
    expect(await run.list()).toBe(0);
    expect(output()).toBe(
      [
        "inference.backend is http.",
        "",
        "server    address                reachable  version  latency  pipelines",
        "main      http://localhost:9001  yes        1.8.3    4 ms     2",
        "basement  http://10.0.0.7:9001   no         -        -        -",
        "basement: Nobody answers.",
        "",
      ].join("\n"),
    );
  });

  it("fails when none answers, and prints JSON when asked", async () => {
    const { run, output } = commands({ servers: [DOWN] });
    expect(await run.list({ json: true })).toBe(1);
    expect(JSON.parse(output())).toEqual({ configured: "http", servers: [DOWN] });
  });
});

describe("backend parity", () => {
  it("shows times, boxes and what could not run side by side", async () => {
    const { run, output, asked, closed } = commands({ servers: [UP], report: AGREED });
    expect(await run.parity({ image: "a b.jpg", model: "acme/1" })).toBe(0);
    expect(output()).toBe(
      [
        "backend  boxes  first   again  itself",
        "direct   0      812 ms  40 ms  31 ms",
        "http     0      120 ms  -      -",
        "webrtc   -      -       -      -       did not run: It has no WebRTC worker.",
        "",
        "compared         output       same          apart",
        "direct and http  predictions  7 of 7 and 7  0.8 px, 0.003  agrees",
        "",
        "direct: Another model stands in.",
        "direct, http agree.",
        "",
      ].join("\n"),
    );
    expect(asked).toEqual([[detectionWorkflow({ modelId: "acme/1" }), "a b.jpg"]]);
    expect(closed()).toBe(1);
  });

  it("fails when they differ or only one ran, and says so", async () => {
    const [comparison] = AGREED.comparisons;
    const differing = { ...AGREED, agrees: false, comparisons: [{ ...comparison!, agrees: false }] };
    const first = commands({ report: differing });
    expect(await first.run.parity({ image: "a.jpg" })).toBe(1);
    expect(first.output()).toContain("DIFFERS\n\ndirect: Another model stands in.\ndirect, http do not agree.");
    const second = commands({ report: { agrees: false, runs: [AGREED.runs[0]!], comparisons: [] } });
    expect(await second.run.parity({ image: "a.jpg" })).toBe(1);
    expect(second.output()).toContain("There is nothing to compare: direct alone could run.");
  });

  it("takes a picture of a camera and a workflow of a file", async () => {
    const spec = detectionWorkflow({ modelId: "m" });
    const { run, asked, output } = commands({ files: { "s.json": JSON.stringify(spec) }, report: AGREED });
    expect(await run.parity({ camera: "door", spec: "s.json", json: true })).toBe(0);
    expect(asked).toEqual([[spec, "a picture of door"]]);
    expect(JSON.parse(output())).toMatchObject({
      agrees: true,
      runs: [{ first_ms: 812.4 }, {}, { failure: "It has no WebRTC worker." }],
      comparisons: [{ matched: 7, worst_px: 0.84 }],
    });
  });

  it.each<[string, ParityFlags]>([
    ["no picture", { json: false }],
    ["a picture and a camera", { image: "a.jpg", camera: "door", json: false }],
    ["a workflow and a model", { image: "a.jpg", spec: "s.json", model: "m", json: false }],
    ["a file that is no workflow", { image: "a.jpg", spec: "s.json", json: false }],
  ])("refuses %s before anything is opened", async (_, flags) => {
    const { run, opened } = commands({ files: { "s.json": "{}" } });
    await expect(run.parity(flags)).rejects.toThrow(UsageError);
    expect(opened()).toBe(0);
  });

  it("closes what it opened when it fails", async () => {
    const { run, closed } = commands({});
    await expect(run.parity({ image: "a.jpg" })).rejects.toThrow("No report.");
    expect(closed()).toBe(1);
  });
});

interface Setup {
  readonly servers?: readonly ServerStatus[];
  readonly report?: ParityReport;
  readonly files?: Readonly<Record<string, string>>;
}

function commands({ servers = [], report, files = {} }: Setup) {
  const asked: unknown[] = [];
  let [opened, closed, output] = [0, 0, ""];
  const setup: BackendTools = {
    configured: "http",
    servers: async () => servers,
    capture: async (camera) => new TextEncoder().encode(`a picture of ${camera}`),
    compare: async (spec, picture) => {
      if (report === undefined) throw new Error("No report.");
      asked.push([spec, new TextDecoder().decode(picture)]);
      return report;
    },
    close: async () => {
      closed += 1;
    },
  };
  const launcher = {
    openBackends: async () => {
      opened += 1;
      return setup;
    },
  };
  const write = (text: string): void => {
    output += text;
  };
  const readFile = async (path: string) => new TextEncoder().encode(files[path] ?? path);
  const options = { launcher, write, notice: () => undefined, readFile };
  return {
    asked,
    output: () => output,
    opened: () => opened,
    closed: () => closed,
    run: {
      list: (flags: { json?: boolean } = {}) => listBackends(options, { json: false, ...flags }),
      parity: (flags: Partial<ParityFlags>) => compareBackends(options, { json: false, ...flags }),
    },
  };
}
