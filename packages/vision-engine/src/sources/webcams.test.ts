import { describe, expect, it } from "vitest";
import { listWebcams } from "./webcams.ts";

describe("listWebcams", () => {
  it("names cameras in order and leaves out their metadata devices", async () => {
    const files: Readonly<Record<string, string>> = {
      "video10/index": "0\n",
      "video10/name": "Door cam\n",
      "video0/index": "0\n",
      "video0/name": "HD Webcam: HD Webcam\n",
      "video1/index": "1\n",
      "video1/name": "HD Webcam: HD Webcam\n",
    };
    const read = async (path: string): Promise<string> => files[path.replace("/sys/class/video4linux/", "")] ?? "";
    const list = async (): Promise<string[]> => ["video10", "video0", "video1", "v4l-subdev0"];
    expect(await listWebcams({ list, read })).toEqual([
      { address: "webcam:0", device: "/dev/video0", name: "HD Webcam: HD Webcam" },
      { address: "webcam:10", device: "/dev/video10", name: "Door cam" },
    ]);
  });

  it("finds none where the system has no such list, and gives a nameless one a number", async () => {
    const missing = async (): Promise<never> => Promise.reject(new Error("ENOENT"));
    expect(await listWebcams({ list: missing, read: missing })).toEqual([]);
    const nameless = await listWebcams({ list: async () => ["video3"], read: missing });
    expect(nameless).toEqual([{ address: "webcam:3", device: "/dev/video3", name: "Camera 3" }]);
  });
});
