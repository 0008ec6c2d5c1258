import {
  createBudgetLedger,
  createMemoryArtifactStore,
  createMemoryLedgerStore,
  createPayingClient,
  type LLMClient,
  type Price,
} from "@vision-agent/agent-core";
import { createCountingIds, createFakeClock, PNG_1X1, scriptedModel } from "@vision-agent/agent-core/testing";
import { COCO_CLASSES } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { BackendError, type ImageRef, type InferenceJob, type JobResult } from "../backends/backend.ts";
import { fakeCameras, fakeContext, fakePicture, fakeResult, JPEG, SPEC, textOf } from "../testing/fake-app.ts";
import { OPEN_EGRESS } from "../testing/fake-egress.ts";
import { askAboutImageTool, createAskServer } from "./ask-about-image.ts";
import { detectZeroShotTool } from "./detect-zero-shot.ts";
import { createOpenPicture } from "./open-picture.ts";
import { runInferenceTool } from "./run-inference.ts";
import { createVisionModel, type PaidLook, type VisionModel } from "./vision-model.ts";

const PHOTO = "/pictures/photo.png";

describe("run_inference", () => {
  it("S000-5.1.1 runs a named model on a file and shows what it found, drawn", async () => {
    const { backend, parts } = app();
    const context = fakeContext();
    const output = await runInferenceTool(parts).execute({ image: PHOTO, model_id: "my-ws/hard-hat/3" }, context);
    expect(backend.jobs).toEqual([{ kind: "model", modelId: "my-ws/hard-hat/3", confidence: 0.4 }]);
    expect(backend.images[0]).toMatchObject({ kind: "bytes", mimeType: "image/png" });
    expect(output.data.seen).toMatchObject({ subject: "photo.png", counts: [{ class_name: "person", count: 1 }] });
    expect(textOf(output)).toContain("Model: my-ws/hard-hat/3");
    expect(context.images).toEqual(["photo.png: 1 person."]);
  });

  it("looks with the camera's own detector when nothing is named", async () => {
    const { backend, parts } = app();
    await runInferenceTool(parts).execute({ image: "street" }, fakeContext());
    expect(backend.jobs[0]).toMatchObject({ kind: "model", modelId: "for-cameras" });
    expect(backend.images[0]).toMatchObject({ kind: "source", sourceId: "street" });
  });

  it("S000-5.1.1 runs an inline workflow with its parameters, and a saved one by its name", async () => {
    const { backend, parts } = app();
    const tool = runInferenceTool(parts);
    const workflow_spec = { ...SPEC, inputs: [...SPEC.inputs, { type: "WorkflowParameter", name: "limit" }] };
    await tool.execute({ image: PHOTO, workflow_spec, parameters: { limit: 2 } }, fakeContext());
    await tool.execute({ image: PHOTO, workspace_name: "acme", workflow_id: "ppe" }, fakeContext());
    expect(backend.jobs).toMatchObject([
      { kind: "workflow", spec: { inputs: [{}, { name: "limit", default_value: 2 }] } },
      { kind: "workflow", spec: SPEC },
    ]);
  });

  it("runs nothing that cannot run, and tells every problem", async () => {
    const { backend, parts } = app();
    const validate = async () => [{ step: "detect", property: "type", message: "Unknown.", did_you_mean: "x/y@v1" }];
    const tool = runInferenceTool({ ...parts, validate });
    await expect(tool.execute({ image: PHOTO, workflow_spec: SPEC }, fakeContext())).rejects.toThrow(
      'Nothing was run. The workflow has a problem:\n- detect.type: Unknown. Did you mean "x/y@v1"?',
    );
    expect(backend.jobs).toEqual([]);
  });

  it("only looks, unless the workflow sends something out, also a saved one", async () => {
    const { parts } = app();
    const mail = { ...SPEC, steps: [...SPEC.steps, { type: "roboflow_core/slack_notification@v1", name: "tell" }] };
    const loadSaved = async () => ({ spec: mail, fetchedAt: "2026-01-01T00:00:00.000Z" });
    const gradeOf = (args: object, over: object = {}) =>
      runInferenceTool({ ...parts, ...over }).gradeOf({ image: PHOTO, ...args }, fakeContext());
    expect(await gradeOf({ model_id: "m" })).toMatchObject({ grade: "look" });
    expect(await gradeOf({ workflow_spec: SPEC })).toMatchObject({ grade: "look" });
    const sends = { grade: "tell", destinations: [{ kind: "path", target: PHOTO }, { target: "slack_notification" }] };
    expect(await gradeOf({ workflow_spec: mail })).toMatchObject(sends);
    const saved = { workspace_name: "acme", workflow_id: "ppe" };
    expect(await gradeOf(saved)).toMatchObject({ grade: "look" });
    expect(await gradeOf(saved, { loadSaved })).toMatchObject(sends);
  });

  it("runs the workflow that it was judged by, whatever is saved under its name meanwhile", async () => {
    const { backend, parts } = app();
    let steps = SPEC.steps;
    const loadSaved = async () => ({ spec: { ...SPEC, steps }, fetchedAt: "2026-01-01T00:00:00.000Z" });
    const tool = runInferenceTool({ ...parts, loadSaved });
    const args = { image: PHOTO, workspace_name: "acme", workflow_id: "ppe" };
    await tool.gradeOf(args, fakeContext());
    steps = [...steps, { type: "roboflow_core/webhook_sink@v1", name: "out", url: "https://evil.example" }];
    await tool.execute(args, fakeContext());
    expect(backend.jobs).toMatchObject([{ kind: "workflow", spec: { steps: SPEC.steps } }]);
  });

  it("does not run what could not be read when it was judged", async () => {
    const { backend, parts } = app();
    let isReached = false;
    const loadSaved = async () => {
      if (!isReached) throw new Error("Roboflow is not reached.");
      return { spec: SPEC, fetchedAt: "2026-01-01T00:00:00.000Z" };
    };
    const tool = runInferenceTool({ ...parts, loadSaved });
    const args = { image: PHOTO, workspace_name: "acme", workflow_id: "ppe" };
    await tool.gradeOf(args, fakeContext());
    isReached = true;
    await expect(tool.execute(args, fakeContext())).rejects.toThrow("Roboflow is not reached.");
    expect(backend.jobs).toEqual([]);
  });

  it("keeps the summary of a crowded picture within about a hundred tokens and the boxes bounded", async () => {
    const crowd = Array.from({ length: 300 }, () => "person");
    const { parts } = app({ result: fakeResult(crowd) });
    const text = textOf(await runInferenceTool(parts).execute({ image: PHOTO }, fakeContext()));
    expect(text.length).toBeLessThan(700);
    expect(text).toContain("and 292 more");
  });
});

describe("ask_about_image", () => {
  const ask = { image: PHOTO, question: "What is the man holding?" };

  it("S000-5.1.2 asks the configured model where it can see", async () => {
    const { parts, backend } = app();
    const visionModel = fakeVisionModel("A ladder.");
    const text = textOf(await askAboutImageTool({ ...parts, visionModel }).execute(ask, fakeContext()));
    expect(text).toBe("photo.png: A ladder.\nAnswered by: fake-vision");
    expect(visionModel.prompts).toEqual(["What is the man holding?"]);
    expect(backend.jobs).toEqual([]);
  });

  it("asks the model of a server that the call insists on, by its own name", async () => {
    const { parts } = app();
    const asked: string[] = [];
    const askServer = async ({ modelId, prompt }: { readonly modelId: string; readonly prompt: string }) => {
      asked.push(`${modelId}: ${prompt}`);
      return "A ladder.";
    };
    const tool = askAboutImageTool({ ...parts, visionModel: fakeVisionModel("no"), askServer });
    expect(textOf(await tool.execute({ ...ask, model: "paligemma" }, fakeContext()))).toContain("paligemma-3b-mix-224");
    await tool.execute({ ...ask, model: "qwen2.5-vl" }, fakeContext());
    await tool.execute({ ...ask, model: "florence2" }, fakeContext());
    expect(asked).toEqual([
      "paligemma-3b-mix-224: What is the man holding?",
      "qwen25-vl-7b: What is the man holding?",
      "florence-2-base: <MORE_DETAILED_CAPTION>",
    ]);
  });

  it("lets Florence-2 of this machine describe the picture when the model is blind", async () => {
    const caption = { kind: "value", value: '"A man on a ladder."' } as const;
    const { parts, backend } = app({ result: { ...fakeResult([]), outputs: { caption } } });
    const tool = askAboutImageTool({
      ...parts,
      visionModel: { ...fakeVisionModel("no"), canSee: async () => false },
    });
    const text = textOf(await tool.execute(ask, fakeContext()));
    expect(text).toContain("photo.png: A man on a ladder.");
    expect(backend.jobs[0]).toMatchObject({ spec: { steps: [{ type: "roboflow_core/florence_2@v2" }] } });
  });

  it("says what is missing and gives what the detector sees when nobody can answer", async () => {
    const { parts } = app({ refuse: "workflow" });
    const tool = askAboutImageTool(parts);
    const { data, text } = await tool.execute(ask, fakeContext());
    expect(data).toMatchObject({ kind: "detected", seen: { counts: [{ class_name: "person", count: 1 }] } });
    expect(text).toContain("No model here can answer questions about pictures");
    expect(text).toContain("What is missing: No vision model is set up");
    expect(text).toContain("The package is not installed.");
  });
});

describe("detect_zero_shot", () => {
  const find = { image: PHOTO, class_names: ["person", "hard hat"] };

  it("S000-5.1.3 F-06 zero-shot goes through the zero-shot block", async () => {
    const { parts, backend } = app();
    const text = textOf(await detectZeroShotTool(parts).execute(find, fakeContext()));
    expect(backend.jobs).toMatchObject([
      {
        kind: "workflow",
        spec: {
          steps: [
            {
              type: "roboflow_core/yolo_world_model@v1",
              class_names: ["person", "hard hat"],
              images: "$inputs.image",
              confidence: 0.3,
            },
            {},
          ],
        },
      },
    ]);
    expect(JSON.stringify(backend.jobs)).not.toContain("object_detection_model");
    expect(text).toContain("photo.png: 1 person.");
  });

  it("looks with the detector for the names it knows, and says who did not look for the others", async () => {
    const { parts, backend } = app({ refuse: "workflow" });
    const text = textOf(await detectZeroShotTool(parts).execute(find, fakeContext()));
    expect(backend.jobs[1]).toEqual({ kind: "model", modelId: "for-pictures", classes: ["person"], confidence: 0.3 });
    expect(text).toContain("Found by: the detector for-pictures");
    expect(text).toContain("Not looked for, because no model here can: hard hat.");
    expect(text).toContain("There is no zero-shot model: The package is not installed.");
  });

  it("asks the vision model for the rest, and marks it approximate", async () => {
    const { parts } = app({ refuse: "workflow" });
    const visionModel = fakeVisionModel('Sure: [{"class": "hard hat", "box": [0.1, 0.2, 0.3, 0.4]}]');
    const text = textOf(await detectZeroShotTool({ ...parts, visionModel }).execute(find, fakeContext()));
    expect(text).toContain("1 hard hat (approximate: guessed by fake-vision, not measured).");
    expect(text).toContain("hard hat at 0.10,0.20,0.30,0.40");
    const alone = { image: PHOTO, class_names: ["hard hat"] };
    expect(textOf(await detectZeroShotTool({ ...parts, visionModel }).execute(alone, fakeContext()))).toMatch(
      /^photo\.png: 1 hard hat \(approximate/,
    );
  });

  it("says what to use instead when nobody can look", async () => {
    const { parts } = app({ refuse: "workflow" });
    const tool = detectZeroShotTool(parts);
    await expect(tool.execute({ image: PHOTO, class_names: ["forklift"] }, fakeContext())).rejects.toThrow(
      /No model here can look for forklift\..*for-pictures finds: person, bicycle/,
    );
  });

  it("does not blame the model for a camera that gives no picture", async () => {
    const { parts } = app({ refuse: "source" });
    await expect(detectZeroShotTool(parts).execute(find, fakeContext())).rejects.toThrow("No picture.");
  });
});

describe("the vision model", () => {
  const price: Price = {
    tiers: [{ aboveInputTokens: 0, input: 3, output: 15, cacheRead: 0, cacheWrite5m: 3, cacheWrite1h: 3 }],
    asOf: "2026-01-01",
  };
  const image = { type: "image", artifactId: "art_1", mimeType: "image/jpeg" } as const;

  it("see one picture and one question, and are paid for by the run", async () => {
    const clock = createFakeClock();
    const ids = createCountingIds();
    const ledger = createBudgetLedger({
      store: createMemoryLedgerStore(),
      clock,
      timeZone: "UTC",
      limits: { day: 1_000_000 },
    });
    const llm = scriptedModel([{ text: " A ladder. " }], { price });
    const paid: PaidLook[] = [];
    const onPaid = (look: PaidLook): void => void paid.push(look);
    const visionModel = createVisionModel({
      llm,
      model: "scripted-1",
      artifacts: createMemoryArtifactStore(),
      clock,
      ids,
      onPaid,
    });
    const context = {
      ...fakeContext(),
      pay: (client: LLMClient) => createPayingClient({ client, budget: { ledger } }),
    };
    expect(await visionModel.ask({ prompt: "What is it?", image }, context)).toBe("A ladder.");
    expect(paid).toMatchObject([{ runId: context.runId, usage: { inputTokens: 10 } }]);
    expect(llm.requests[0]?.messages[0]?.parts).toEqual([image, { type: "text", text: "What is it?" }]);
    const { spentMicroUsd, reservedMicroUsd } = await ledger.state("day");
    expect([spentMicroUsd, reservedMicroUsd]).toEqual([105, 0]);
  });

  it("are closed when the model takes no pictures", async () => {
    const llm = scriptedModel([], { supportsVision: false });
    const visionModel = createVisionModel({
      llm,
      model: "blind",
      artifacts: createMemoryArtifactStore(),
      clock: createFakeClock(),
      ids: createCountingIds(),
    });
    expect(await visionModel.canSee()).toBe(false);
  });
});

describe("a vision model of a server", () => {
  it("answers with words, and with what Florence-2 keys by its task", async () => {
    const answers = ["A ladder.", { "<CAPTION>": "A man on a ladder." }];
    const lmm = async () => ({ kind: "text", response: answers.shift() ?? null }) as never;
    const ask = createAskServer(
      { choose: async () => ({ client: { url: "http://localhost:9001", foundation: { lmm } } }) },
      OPEN_EGRESS,
    );
    const question = { modelId: "m", image: { bytes: JPEG, origin: undefined }, prompt: "?" };
    const { signal } = new AbortController();
    expect([await ask(question, signal), await ask(question, signal)]).toEqual(["A ladder.", "A man on a ladder."]);
  });
});

function fakeVisionModel(answer: string): VisionModel & { readonly prompts: readonly string[] } {
  const prompts: string[] = [];
  return {
    name: "fake-vision",
    prompts,
    canSee: async () => true,
    async ask({ prompt }) {
      prompts.push(prompt);
      return answer;
    },
  };
}

function app(options: { readonly result?: JobResult["result"]; readonly refuse?: "workflow" | "source" } = {}) {
  const jobs: InferenceJob[] = [];
  const images: ImageRef[] = [];
  const run = async (job: InferenceJob, image: ImageRef): Promise<JobResult> => {
    jobs.push(job);
    images.push(image);
    if (options.refuse === "source") throw new BackendError({ kind: "source", message: "No picture." });
    if (job.kind === options.refuse)
      throw new BackendError({ kind: "model", message: "The package is not installed." });
    return { result: options.result ?? fakeResult(["person"]), picture: fakePicture() };
  };
  const resize = async () => ({ bytes: JPEG, mimeType: "image/jpeg" as const });
  const parts = {
    cameras: fakeCameras("street"),
    openPicture: createOpenPicture({
      cameras: fakeCameras("street"),
      snapshot: async () => ({ jpeg: JPEG }),
      readFile: async (path) => (path === PHOTO ? PNG_1X1 : undefined),
      fetch: async () => PNG_1X1,
      complete: (address) => address,
      resize,
      folder: "/pictures",
      home: "/home/ada",
    }),
    run,
    timeZone: "UTC",
    validate: async () => [],
    loadSaved: async () => ({ spec: SPEC, fetchedAt: "2026-01-01T00:00:00.000Z" }),
    modelFor: (image: ImageRef) => (image.kind === "source" ? "for-cameras" : "for-pictures"),
    classesOf: () => COCO_CLASSES,
    resize,
  };
  return { backend: { jobs, images }, parts };
}
