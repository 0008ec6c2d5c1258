import { EngineError, type EngineErrorKind } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { backendContract } from "../testing/backend-contract.ts";
import { createFakeEngine, fakeSavedWorkflows } from "../testing/fake-engine.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createDirectBackend } from "./direct.ts";

backendContract("direct on a fake engine", async () => {
  const spec = detectionWorkflow({ modelId: "sim/truth" });
  const { engine, backend } = create(fakeSavedWorkflows({ "home/look": { spec } }));
  const tick = (): void => {
    for (const pipeline of engine.pipelines) if (!pipeline.stopped) pipeline.emit();
  };
  const savedWorkflow = { workspace: "home", workflowId: "look" };
  return { backend, address: "sim://street", modelId: "sim/truth", savedWorkflow, tick };
});

describe("S000-2.1 the direct backend", () => {
  it.each<[EngineErrorKind, string]>([
    ["workflow", "invalid_workflow"],
    ["input", "invalid_workflow"],
    ["source", "source"],
    ["model", "model"],
    ["internal", "internal"],
  ])("says the engine's %s as %s and keeps its sentence", async (kind, expected) => {
    const { engine, backend } = create();
    engine.failure = new EngineError({ kind, message: "Because." });
    const job = { kind: "model", modelId: "m" } as const;
    const failure = backend.run(job, { kind: "source", sourceId: "cam", address: "sim://street" });
    await expect(failure).rejects.toMatchObject({ kind: expected, message: "Because." });
  });

  it("looks at a picture by its bytes", async () => {
    const { backend, engine } = create();
    const picture = { kind: "bytes", bytes: Uint8Array.of(1, 2, 3), mimeType: "image/png" } as const;
    const { result } = await backend.run({ kind: "model", modelId: "m" }, picture);
    expect(engine.looks[0]).toMatchObject({ picture: picture.bytes });
    expect(result.frame.source_id).toBe("picture");
  });

  it("F-07 a confidence beside a model id is used", async () => {
    const { backend, engine } = create();
    const job = { kind: "model", modelId: "coco/3", confidence: 0.7, classes: ["person", "car"] } as const;
    await backend.run(job, { kind: "source", sourceId: "c", address: "sim://street" });
    const detection = engine.looks[0]?.workflow.steps.find(({ model_id }) => model_id === "coco/3");
    expect(detection).toMatchObject({ confidence: 0.7, class_filter: ["person", "car"] });
  });

  it("S000-2.1.2 runs a saved workflow with its parameters, and says when the copy is an old one", async () => {
    const spec = detectionWorkflow({ modelId: "acme/3" });
    const { backend, engine } = create(fakeSavedWorkflows({ "acme/count": { spec, note: "An old copy." } }));
    const job = { kind: "saved_workflow", workspace: "acme", workflowId: "count", parameters: { limit: 3 } } as const;
    const { note } = await backend.run(job, { kind: "source", sourceId: "c", address: "sim://street" });
    expect(note).toBe("An old copy.");
    expect(engine.looks[0]).toMatchObject({ workflow: spec, parameters: { limit: 3 } });
    const missing = backend.run({ ...job, workflowId: "gone" }, { kind: "source", sourceId: "c", address: "sim://s" });
    await expect(missing).rejects.toMatchObject({ kind: "not_found" });
  });
});

function create(savedWorkflows = fakeSavedWorkflows()) {
  const engine = createFakeEngine();
  return { engine, backend: createDirectBackend({ engine, savedWorkflows }) };
}
