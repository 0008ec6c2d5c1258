import { describe, expect, it } from "vitest";
import { backendsOn, createFakeEngine } from "../testing/fake-engine.ts";
import type { InferenceBackend } from "./backend.ts";
import { detectionWorkflow } from "./detection-workflow.ts";
import { type BackendFacts, type BackendNeeds, createBackends, selectBackend } from "./select-backend.ts";

const SPEC = detectionWorkflow({ modelId: "coco/3" });
const CLOUD = { ...SPEC, steps: [...SPEC.steps, { type: "cloud/block@v1", name: "far" }] };
const RTSP = "rtsp://me:secret@cam/1";

describe("selectBackend", () => {
  it.each<[BackendFacts["configured"], BackendNeeds["task"], string]>([
    ["direct", "single", "direct"],
    ["direct", "pipeline", "direct"],
    ["direct", "realtime_view", "direct"],
    ["http", "single", "http"],
    ["http", "pipeline", "http"],
    ["http", "realtime_view", "webrtc"],
    ["webrtc", "single", "http"],
    ["webrtc", "pipeline", "webrtc"],
    ["webrtc", "realtime_view", "webrtc"],
  ])("S000-2.4.1 S000-2.4.2 with %s takes for a %s the %s backend", (configured, task, expected) => {
    const choice = selectBackend(facts({ configured }), { task, address: RTSP, spec: SPEC });
    expect(choice.backend.name).toBe(expected);
    expect(choice.reason).toContain(`because inference.backend is ${configured}.`);
  });

  it.each<[string, Partial<BackendFacts>, string]>([
    [
      "sim://street",
      {},
      "It runs on this machine (direct) although inference.backend is http: a server cannot read the simulated camera sim://street.",
    ],
    [
      "webcam:0",
      {},
      "It runs on this machine (direct) although inference.backend is http: a server cannot read webcam:0, which is plugged into this machine.",
    ],
    [
      "/videos/a b.mp4",
      { serversLocal: false },
      "It runs on this machine (direct) although inference.backend is http: /videos/a b.mp4 lies on this machine and the server is on another.",
    ],
  ])("keeps %s here and says why a server cannot read it", (address, over, reason) => {
    const choice = selectBackend(facts({ configured: "http", ...over }), { task: "pipeline", address, spec: SPEC });
    expect(choice.reason).toBe(reason);
    expect(choice.backend.name).toBe("direct");
  });

  it("keeps a workflow here whose model no server has", () => {
    const spec = detectionWorkflow({ modelId: "sim/truth" });
    const choice = selectBackend(facts({ configured: "webrtc" }), { task: "pipeline", address: RTSP, spec });
    expect(choice.reason).toBe(
      "It runs on this machine (direct) although inference.backend is webrtc: no server has the model sim/truth.",
    );
    const wanted = () => selectBackend(facts(), { task: "single", wanted: "http", spec });
    expect(catchError(wanted)).toMatchObject({ kind: "unavailable" });
  });

  it("gives a server the files of its own machine, and any single picture", () => {
    const http = facts({ configured: "http" });
    expect(selectBackend(http, { task: "pipeline", address: "/videos/a b.mp4" }).backend.name).toBe("http");
    expect(selectBackend(http, { task: "single", address: "webcam:0" }).backend.name).toBe("http");
    expect(selectBackend(http, { task: "single" }).backend.name).toBe("http");
  });

  it("keeps pictures without a workflow here", () => {
    const choice = selectBackend(facts({ configured: "http" }), { task: "realtime_view", address: RTSP });
    expect(choice.reason).toBe("It runs on this machine (direct) because pictures without a workflow need no server.");
  });

  it("takes what is asked for by name, or says why not without the password", () => {
    const wanted = { task: "pipeline", wanted: "http", spec: SPEC } as const;
    const choice = selectBackend(facts(), { ...wanted, address: RTSP });
    expect(choice.reason).toBe("It runs on an Inference server (http) because it was asked for.");
    const thrown = catchError(() => selectBackend(facts(), { ...wanted, address: "sim://me:secret@street" }));
    expect(thrown).toMatchObject({
      kind: "source",
      message: "It cannot run on an Inference server (http): a server cannot read the simulated camera sim://street.",
    });
  });

  it("names the http backend for a block that does not run here, when there is a server", () => {
    const needs = { task: "pipeline", address: RTSP, spec: CLOUD } as const;
    expect(selectBackend(facts({ serversNamed: true }), needs)).toMatchObject({
      backend: { name: "direct" },
      hint: "cloud/block@v1 runs on your Inference server: choose the http backend for it, or set inference.backend to http.",
    });
    expect(selectBackend(facts(), needs).hint).toContain("set inference.server_url");
    expect(selectBackend(facts(), { ...needs, spec: SPEC }).hint).toBeUndefined();
  });

  it("says everything that speaks against all of them when nobody can", () => {
    const needs = { task: "pipeline", address: "sim://street", spec: CLOUD } as const;
    expect(catchError(() => selectBackend(facts({ configured: "http" }), needs))).toMatchObject({
      kind: "unavailable",
      message:
        "It cannot run on an Inference server (http): a server cannot read the simulated camera sim://street; on this machine (direct): cloud/block@v1 does not run there.",
    });
  });

  it("finds a backend by name and says when it is not there", () => {
    const backends = createBackends({ ...facts(), backends: { direct: backend("direct") } });
    expect(backends.named("direct").name).toBe("direct");
    expect(catchError(() => backends.named("webrtc"))).toMatchObject({ kind: "unavailable" });
    expect(catchError(() => backends.choose({ task: "single", wanted: "http" }))).toMatchObject({
      message: "It cannot run on an Inference server (http): there is no http backend here.",
    });
  });
});

function facts(over: Partial<BackendFacts> = {}): BackendFacts {
  return {
    configured: "direct",
    backends: { direct: backend("direct"), http: backend("http"), webrtc: backend("webrtc") },
    serversNamed: false,
    serversLocal: true,
    missingHere: ({ steps }) => steps.map(({ type }) => type).filter((type) => type.startsWith("cloud/")),
    modelsOnlyHere: ({ steps }) => steps.map(({ model_id }) => String(model_id)).filter((id) => id.startsWith("sim/")),
    ...over,
  };
}

function backend(name: InferenceBackend["name"]): InferenceBackend {
  return backendsOn({ [name]: createFakeEngine() }).named(name);
}

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
