import { EngineError, type EngineErrorKind } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { backendContract } from "./backend-contract.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { createDirectBackend } from "./direct.ts";
import { createFakeEngine } from "./fake-engine.ts";
import { selectBackend } from "./select-backend.ts";

backendContract("direct on a fake engine", async () => {
  const engine = createFakeEngine();
  const tick = (): void => {
    for (const pipeline of engine.pipelines) if (!pipeline.stopped) pipeline.emit();
  };
  return { backend: createDirectBackend({ engine }), address: "sim://street", modelId: "sim/truth", tick };
});

describe("the direct backend", () => {
  it.each<[EngineErrorKind, string]>([
    ["workflow", "invalid_workflow"],
    ["input", "invalid_workflow"],
    ["source", "source"],
    ["model", "model"],
    ["internal", "internal"],
  ])("says the engine's %s as %s and keeps its sentence", async (kind, expected) => {
    const engine = createFakeEngine();
    engine.failure = new EngineError({ kind, message: "Because." });
    const backend = createDirectBackend({ engine });
    const job = { kind: "model", modelId: "m" } as const;
    const failure = backend.run(job, { kind: "source", sourceId: "cam", address: "sim://street" });
    await expect(failure).rejects.toMatchObject({ kind: expected, message: "Because." });
  });

  it("stops a pipeline that is still being started", async () => {
    const engine = createFakeEngine();
    const backend = createDirectBackend({ engine });
    const starting = backend.startPipeline({
      pipelineId: "p1",
      sourceId: "cam",
      address: "sim://street",
      spec: detectionWorkflow({ modelId: "m" }),
      onResult: () => undefined,
      onState: () => undefined,
    });
    await Promise.all([starting, backend.stopPipeline("p1")]);
    expect(engine.pipelines.map(({ stopped }) => stopped)).toEqual([true]);
    expect(await backend.listPipelines()).toEqual([]);
  });

  it("says that it cannot look at a picture without a camera", async () => {
    const backend = createDirectBackend({ engine: createFakeEngine() });
    const picture = { kind: "bytes", bytes: new Uint8Array(1), mimeType: "image/png" } as const;
    await expect(backend.run({ kind: "model", modelId: "m" }, picture)).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("says that a saved workflow needs a server", async () => {
    const backend = createDirectBackend({ engine: createFakeEngine() });
    const job = { kind: "saved_workflow", workspace: "w", workflowId: "f" } as const;
    const failure = backend.run(job, { kind: "source", sourceId: "c", address: "sim://street" });
    await expect(failure).rejects.toMatchObject({ kind: "unavailable" });
  });
});

describe("selectBackend", () => {
  const direct = createDirectBackend({ engine: createFakeEngine() });

  it("takes what the configuration asks for and says why", () => {
    const choice = selectBackend({ mode: "direct", backends: { direct } });
    expect(choice.backend).toBe(direct);
    expect(choice.reason).toBe("Pipelines run on this machine because inference.mode is direct.");
  });

  it.each(["http", "webrtc"] as const)("says that %s is not there yet and what to set", (mode) => {
    expect(() => selectBackend({ mode, backends: { direct } })).toThrow(
      `The ${mode} backend is not available yet: set inference.mode to direct.`,
    );
  });
});
