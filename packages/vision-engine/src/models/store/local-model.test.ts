import { describe, expect, it } from "vitest";
import { writeOnnx } from "../onnx/onnx-file.ts";
import { describeExport } from "./local-model.ts";

describe("describeExport", () => {
  it("reads what the exporter wrote into the file", () => {
    const bytes = exported({
      task: "detect",
      names: `{0: 'person', 1: "driver's seat", 2: 'o\\'clock'}`,
      imgsz: "[320, 640]",
    });
    expect(describeExport(bytes, "mine/1")).toEqual({
      id: "mine/1",
      task: "object-detection",
      architecture: "yolov8",
      classNames: ["person", "driver's seat", "o'clock"],
      input: { width: 640, height: 320, resize: "letterbox", padding: 114, colors: "rgb", scale: 255 },
      fusedNms: false,
    });
  });

  it("sees that a graph sorts its boxes out itself, and takes the size from the graph", () => {
    const bytes = exported({ task: "detect", names: "{0: 'cat'}" }, [1, 300, 6]);
    expect(describeExport(bytes, "mine/1")).toMatchObject({ fusedNms: true, input: { width: 64, height: 32 } });
  });

  it("says nothing about a file that says nothing", () => {
    expect(describeExport(exported({}), "mine/1")).toBeUndefined();
  });
});

function exported(metadata: Record<string, string>, output: readonly number[] = [1, 7, 2100]): Uint8Array {
  return writeOnnx({
    name: "main",
    nodes: [],
    tensors: [],
    inputs: [{ name: "images", type: "float32", dims: ["batch", 3, 32, 64] }],
    outputs: [{ name: "output0", type: "float32", dims: output }],
    metadata,
  });
}
