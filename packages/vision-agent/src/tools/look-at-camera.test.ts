import { describe, expect, it } from "vitest";
import { fakeCameras, fakePicture, fakePipelines, fakeResult, SPEC } from "../testing/fake-app.ts";
import { lookAtCamera } from "./look-at-camera.ts";

describe("looking at what is not a known camera", () => {
  const opened: unknown[] = [];
  const options = {
    cameras: fakeCameras("street"),
    events: { list: () => [] },
    pipelines: fakePipelines(),
    backend: {
      run: async (_: unknown, image: unknown) => {
        opened.push(image);
        return { result: fakeResult(["car"]), picture: fakePicture() };
      },
    },
    detectionFor: () => ({ modelId: "sim/truth", spec: SPEC }),
    maxEdge: 640,
  };

  it.each([
    ["clips/test.mp4", "clips/test.mp4"],
    ["rtsp://owner:secret@10.0.0.5/live", "10.0.0.5/live"],
  ])("opens %s and calls it without its password", async (address, name) => {
    expect((await lookAtCamera(options, address)).camera).toBe(name);
    expect(opened.at(-1)).toEqual({ kind: "source", sourceId: name, address });
  });

  it.each(["garage", "http://10.0.0.5/admin"])("refuses %s with the cameras there are", async (name) => {
    await expect(lookAtCamera(options, name)).rejects.toThrow("Cameras: street.");
  });
});
