import { describe, expect, it } from "vitest";
import { AdmissionError, createAdmission, type MachineLoad } from "./admission.ts";
import { measureMachine } from "./measure-machine.ts";

const MB = 1024 * 1024;

function open(load: Partial<MachineLoad> = {}) {
  const machine = { availableBytes: 8000 * MB, cpuShare: 0.2, ...load };
  let ms = 0;
  const admission = createAdmission({ measure: () => machine, cores: 2, now: () => ms });
  return { admission, pass: (by: number) => (ms += by) };
}

describe("a pipeline", () => {
  it("starts on a machine with room, also while every core is busy", () => {
    expect(() => open().admission.pipeline({ pipelines: 3, fps: 40 })).not.toThrow();
    expect(() => open({ cpuShare: 1 }).admission.pipeline({ pipelines: 3, fps: 40 })).not.toThrow();
  });

  it("is refused when memory runs out, and those that are just starting count", () => {
    const { admission, pass } = open({ availableBytes: 700 * MB });
    admission.pipeline({ pipelines: 0, fps: 0 });
    admission.pipeline({ pipelines: 1, fps: 0 });
    const full = "This machine has 380 MB of memory left; one more pipeline needs 460 MB. Stop one first.";
    expect(() => admission.pipeline({ pipelines: 2, fps: 0 })).toThrow(new AdmissionError("full", full));
    pass(20_000);
    expect(() => admission.pipeline({ pipelines: 2, fps: 0 })).not.toThrow();
  });

  it("is refused when the others would get less than a picture a second", () => {
    const { admission } = open({ cpuShare: 0.97 });
    const busy =
      "This machine is busy: 4 pipelines share 2 cores and get 1.0 pictures a second each. Stop one, or lower its max_fps.";
    expect(() => admission.pipeline({ pipelines: 4, fps: 4 })).toThrow(new AdmissionError("full", busy));
    expect(() => admission.pipeline({ pipelines: 0, fps: 0 })).not.toThrow();
  });

  it("is refused beyond the most there can be", () => {
    expect(() => open().admission.pipeline({ pipelines: 64, fps: 640 })).toThrow("64 pipelines are the most.");
  });
});

describe("what is there for a while", () => {
  it("has a place until it gives it back, once", () => {
    const { admission } = open();
    const leave = Array.from({ length: 8 }, () => admission.enter("upload"));
    expect(() => admission.enter("upload")).toThrow("There are 8 uploads at once already. Try again in a moment.");
    leave[0]?.();
    leave[0]?.();
    const back = admission.enter("upload");
    expect(() => admission.enter("upload")).toThrow(AdmissionError);
    back();
  });
});

describe("what is kept", () => {
  it("has an upper limit", () => {
    const { admission } = open();
    expect(() => admission.keep("task", 199)).not.toThrow();
    expect(() => admission.keep("task", 200)).toThrow(
      "There are 200 tasks already, the most there can be. Remove some.",
    );
  });
});

describe("measureMachine", () => {
  it("reads memory and processor time of this machine", () => {
    const { measure, stop } = measureMachine();
    const busyUntil = performance.now() + 30;
    while (performance.now() < busyUntil);
    const { availableBytes, cpuShare } = measure();
    stop();
    stop();
    expect(availableBytes).toBeGreaterThan(0);
    expect(cpuShare).toBeGreaterThanOrEqual(0);
    expect(cpuShare).toBeLessThanOrEqual(1);
  });

  it("leaves places to others, however many one viewer takes", () => {
    const { admission } = open();
    const leave = Array.from({ length: 16 }, () => admission.enter("live view", "vic"));
    expect(() => admission.enter("live view", "vic")).toThrow("This account has 16 live views at once already.");
    admission.enter("live view", "ann");
    admission.enter("live view");
    leave[0]?.();
    admission.enter("live view", "vic");
  });
});
