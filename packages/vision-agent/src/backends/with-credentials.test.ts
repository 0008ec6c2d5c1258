import { describe, expect, it } from "vitest";
import { createFakeEngine } from "../testing/fake-engine.ts";
import { createMemoryFiles } from "../testing/memory-files.ts";
import { openCredentialStore } from "../workspace/credential-store.ts";
import { withCredentials } from "./backend.ts";
import { createDirectBackend } from "./direct.ts";

const FULL = "rtsp://u:hunter22@h/1";
const HOOK = "https://h/hook?token=t0ken-77";

describe("a backend with credentials", () => {
  it("opens shown addresses with their passwords and sends to those with keys, and lets no message carry one away", async () => {
    const engine = createFakeEngine();
    engine.opens = /hunter22/;
    const store = await openCredentialStore({ files: createMemoryFiles(), path: "/w/c", onNotice: () => undefined });
    const savedWorkflows = { load: () => Promise.reject(new Error("none")) };
    const backend = withCredentials(createDirectBackend({ engine, savedWorkflows }), store);
    const json_payload = { camera: "rtsp://h/1" };
    const steps = [{ type: "roboflow_core/webhook_sink@v1", name: "hook", url: HOOK, json_payload }];
    const spec = { version: "1.0", inputs: [], steps, outputs: [] };
    const { address, spec: shown } = await store.take({ address: FULL, spec });
    const heard = { onResult: () => undefined, onState: () => undefined };
    const pipeline = await backend.open({ pipelineId: "p", sourceId: "h", address, spec: shown, ...heard });
    await backend.run({ kind: "workflow", spec: shown }, { kind: "source", sourceId: "h", address });
    expect(JSON.stringify([address, shown])).not.toMatch(/hunter22|t0ken/);
    expect(engine.pipelines[0]?.options).toMatchObject({ source: FULL, workflow: spec });
    expect(engine.looks[0]).toMatchObject({ source: FULL, workflow: spec });
    await pipeline.stop();
  });
});
