import { ClientError, type ServerFleet } from "@vision-agent/inference-client";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { CAMERA, MODEL, startFakeFleet } from "../testing/fake-fleet.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createServerRuns } from "./server-runs.ts";

const PICTURE = { kind: "source", sourceId: "cam", address: CAMERA } as const;
const NOTIFYING: WorkflowSpec = {
  ...detectionWorkflow({ modelId: MODEL }),
  steps: [{ type: "roboflow_core/webhook_sink@v1", name: "tell" }],
};

describe("questions to several servers", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const open = async () => {
    const parts = await startFakeFleet();
    closing.push(() => parts.server.close());
    const failed: string[] = [];
    const runs = createServerRuns({ ...parts, fleet: withDeadServer(parts.fleet, failed) });
    return { ...parts, runs, failed };
  };

  it("go to the next one when the first cannot be reached, which is remembered against it", async () => {
    const { runs, failed } = await open();
    const { result } = await runs.run({ kind: "model", modelId: MODEL }, PICTURE);
    expect(result.outputs.predictions?.kind).toBe("detections");
    expect(await runs.validate(detectionWorkflow({ modelId: MODEL }))).toEqual([]);
    expect(failed).toEqual(["dead", "dead"]);
  });

  it.each([
    ["a workflow that tells people", { kind: "workflow", spec: NOTIFYING }],
    ["a saved one, which may", { kind: "saved_workflow", workspace: "local", workflowId: "look" }],
  ] as const)("are put once with %s", async (_what, job) => {
    const { runs, server } = await open();
    await expect(runs.run(job, PICTURE)).rejects.toMatchObject({ kind: "unavailable" });
    expect(server.calls.filter(({ path }) => path.includes("workflow"))).toEqual([]);
  });
});

/** The dead one is chosen first. */
function withDeadServer(fleet: ServerFleet, failed: string[]): ServerFleet {
  const fail = () => Promise.reject(new ClientError({ kind: "network", message: "Nobody listens there." }));
  return {
    ...fleet,
    labels: ["dead", ...fleet.labels],
    noteFailure: (label) => void failed.push(label),
    choose: async (wanted, signal) => {
      const live = await fleet.choose({ for: wanted.for }, signal);
      if (wanted.avoid?.has("dead")) return live;
      const workflows = { ...live.client.workflows, run: fail, runSaved: fail, validate: fail };
      return { label: "dead", client: { ...live.client, workflows }, reason: "It comes first." };
    },
  };
}
