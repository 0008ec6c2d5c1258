import {
  createInferenceClient,
  createServerFleet,
  type LedgerEntry,
  type ServerFleet,
  systemClock,
} from "@vision-agent/inference-client";
import { afterEach, describe, expect, it } from "vitest";
import { CAMERA, MODEL, startFakeFleet } from "../testing/fake-fleet.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createPipelineLedger, endForgotten } from "./pipeline-ledger.ts";

const clock = { ...systemClock, sleep: async () => undefined };
const closes: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

describe("what an earlier run left on servers", () => {
  it("asks nobody when nothing was left", async () => {
    const { end, asked } = await app([]);
    await (await end()).ended;
    expect(asked()).toBe(0);
  });

  it("keeps what is wanted and tells what may still run where no server answers", async () => {
    const { end, ledger, problems } = await app([entry("kept"), entry("dropped"), entry("kept", "stopping")]);
    const { ended } = await end();
    const states = async () => (await ledger.load()).map(({ pipelineId, state }) => [pipelineId, state]);
    const expected = [
      ["kept", "running"],
      ["dropped", "stopping"],
      ["kept", "stopping"],
    ];
    expect(await states()).toEqual(expected);
    await ended;
    expect(await states()).toEqual(expected);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^The pipeline dropped of an earlier run may still run on main: /);
  });
});

describe("a server that still runs what an earlier run left", () => {
  it("ends what nobody wants, and leaves the rest and what is not ours alone", async () => {
    const { server, client, fleet } = await startFakeFleet();
    closes.push(
      () => fleet.close(),
      () => client.close(),
      () => server.close(),
    );
    const start = { source: CAMERA, workflow: { specification: detectionWorkflow({ modelId: MODEL }) } };
    const [kept, dropped, foreign] = [
      await client.pipelines.initialise(start),
      await client.pipelines.initialise(start),
      await client.pipelines.initialise(start),
    ];
    const hosted = (pipelineId: string, serverId: string) => ({ ...entry(pipelineId), server: "cellar", serverId });
    const { end, ledger, problems } = await app([hosted("kept", kept), hosted("dropped", dropped)], fleet);
    await (await end()).ended;
    expect([...(await client.pipelines.list())].sort()).toEqual([kept, foreign].sort());
    expect((await ledger.load()).map(({ pipelineId }) => pipelineId)).toEqual(["kept"]);
    expect(problems).toEqual([]);
  });
});

function entry(pipelineId: string, state: LedgerEntry["state"] = "running"): LedgerEntry {
  return { pipelineId, server: "main", serverId: `id of ${pipelineId} ${state}`, fingerprint: "f", state, since: 0 };
}

async function app(entries: readonly LedgerEntry[], fleet = nobody()) {
  const problems: string[] = [];
  const onProblem = (message: string): void => void problems.push(message);
  const ledger = createPipelineLedger({ files: createMemoryFiles(), path: "/w/l.json", now: Date.now, onProblem });
  await ledger.save(entries);
  let asked = 0;
  const wanted = async () => {
    asked += 1;
    return new Set(["kept"]);
  };
  return {
    problems,
    ledger,
    asked: () => asked,
    end: () => endForgotten({ fleet, ledger, wanted, clock, onProblem }),
  };
}

/** Nobody listens on the port of a discarded service. */
function nobody(): ServerFleet {
  const client = createInferenceClient({ url: "http://127.0.0.1:9", clock });
  const fleet = createServerFleet({ servers: [{ label: "main", client }], clock });
  closes.push(
    () => client.close(),
    () => fleet.close(),
  );
  return fleet;
}
