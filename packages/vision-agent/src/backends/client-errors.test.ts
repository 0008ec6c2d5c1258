import { ClientError, type ClientErrorKind } from "@vision-agent/inference-client";
import { EngineError } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { BackendError } from "./backend.ts";
import { speakingBackendError, toServerBackendError } from "./client-errors.ts";

describe("what a server said, as a backend error", () => {
  it.each<[ClientErrorKind, string]>([
    ["auth", "unavailable"],
    ["quota", "unavailable"],
    ["not_found", "not_found"],
    ["unsupported", "unavailable"],
    ["invalid", "invalid_workflow"],
    ["timeout", "unavailable"],
    ["cancelled", "cancelled"],
    ["network", "unavailable"],
    ["busy", "unavailable"],
    ["server", "internal"],
    ["protocol", "unavailable"],
  ])("says %s as %s and keeps the sentence", (kind, expected) => {
    const error = toServerBackendError(new ClientError({ kind, message: "Because." }));
    expect(error).toMatchObject({ name: "BackendError", kind: expected, message: "Because." });
  });

  it("names the steps of a wrong workflow, and the whole where the server names none", () => {
    const blocks = [{ step: "crop", blockType: "b", property: "images", message: "Field required" }];
    const named = toServerBackendError(new ClientError({ kind: "invalid", message: "Wrong.", blocks }));
    expect(named.problems).toEqual([{ step: "crop", property: "images", message: "Field required" }]);
    const whole = toServerBackendError(new ClientError({ kind: "invalid", message: "Wrong." }));
    expect(whole.problems).toEqual([{ step: null, property: null, message: "Wrong." }]);
  });

  it("says that a model is missing when the step of a model breaks", () => {
    const blockType = "roboflow_core/roboflow_object_detection_model@v2";
    const blocks = [{ step: "detection", blockType, property: null, message: "No such model." }];
    const error = toServerBackendError(new ClientError({ kind: "server", message: "No such model.", blocks }));
    expect(error.kind).toBe("model");
  });

  it("says source for what the engine cannot open, and cancelled for whatever a fired signal brings", () => {
    const closed = new EngineError({ kind: "source", reason: "refused", message: "Nobody listens there." });
    expect(toServerBackendError(closed).kind).toBe("source");
    expect(toServerBackendError(closed, AbortSignal.abort()).kind).toBe("cancelled");
  });

  it("passes on what has a kind, and starts nothing after the signal fired", async () => {
    const known = new BackendError({ kind: "model", message: "Known." });
    expect(toServerBackendError(known)).toBe(known);
    let begun = false;
    const work = async () => {
      begun = true;
    };
    await expect(speakingBackendError(work, AbortSignal.abort())).rejects.toMatchObject({ kind: "cancelled" });
    expect(begun).toBe(false);
  });
});
