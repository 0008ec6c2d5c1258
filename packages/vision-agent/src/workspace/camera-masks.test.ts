import { describe, expect, it } from "vitest";
import { type Masks, openCameraMasks } from "./camera-masks.ts";
import { createPassingCameras } from "./camera-store.ts";

const WINDOW: Masks = [
  [
    [0, 0],
    [0.5, 0],
    [0.5, 0.5],
  ],
];
const DOOR = { name: "door", address: "rtsp://ann:pw@10.0.0.5/live" };

describe("masks of cameras", () => {
  it("are there after a restart, by name and by address, however the address is written", async () => {
    const disk = memoryFile();
    await (await open(disk)).set(DOOR, WINDOW);
    expect(disk.text()).not.toContain("pw");
    const masks = await open(disk);
    expect(masks.of({ name: "Door", address: "rtsp://10.0.0.9/other" })).toEqual(WINDOW);
    for (const address of ["rtsp://10.0.0.5/live", "RTSP://bob:x@10.0.0.5/live/?transport=udp"]) {
      expect(masks.of({ name: address, address })).toEqual(WINDOW);
    }
    expect(masks.of({ name: "yard", address: "rtsp://10.0.0.5/yard" })).toEqual([]);
  });

  it("hide everything while the file cannot be read, and say so", async () => {
    const notices: string[] = [];
    const disk = memoryFile('{"version":1,"cameras":[{"name":"door"');
    const masks = await open(disk, notices);
    expect(masks.of(DOOR)).toEqual([
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ],
    ]);
    expect(notices).toEqual([expect.stringContaining("all pictures stay black")]);
    await expect(masks.set(DOOR, [])).rejects.toThrow("is damaged");
  });

  it("are not in force when they could not be kept", async () => {
    const masks = await openCameraMasks({
      files: { readText: async () => undefined, writeAtomic: () => Promise.reject(new Error("the disk is full")) },
      path: "/masks.json",
      onNotice: () => undefined,
    });
    await expect(masks.set(DOOR, WINDOW)).rejects.toThrow("the disk is full");
    expect(masks.of(DOOR)).toEqual([]);
  });

  it("follow their camera to a new name and a new address, stay when it is removed, and go when they are cleared", async () => {
    const masks = await open(memoryFile());
    const reopened: string[] = [];
    masks.onChange(async (camera) => void reopened.push(camera));
    const cameras = createPassingCameras([DOOR], masks);
    expect(await cameras.change("door", { masks: WINDOW })).toMatchObject({ name: "door", masks: WINDOW });
    await cameras.change("door", { name: "gate", address: "rtsp://10.0.0.7/live" });
    expect(cameras.find("gate")?.masks).toEqual(WINDOW);
    expect(masks.of({ name: "x", address: "rtsp://10.0.0.7/live" })).toEqual(WINDOW);
    await cameras.change("gate", { notes: "by the road" });
    await cameras.remove("gate");
    expect(masks.of({ name: "x", address: "rtsp://10.0.0.7/live" })).toEqual(WINDOW);
    await cameras.add({ name: "gate", address: "rtsp://10.0.0.7/live" });
    expect(await cameras.change("gate", { masks: [] })).not.toHaveProperty("masks");
    expect(reopened).toEqual(["door", "gate", "gate"]);
  });
});

function open(disk: ReturnType<typeof memoryFile>, notices: string[] = []) {
  return openCameraMasks({ files: disk, path: "/masks.json", onNotice: (message) => notices.push(message) });
}

function memoryFile(initial?: string) {
  let text = initial;
  return {
    text: () => text,
    readText: async () => text,
    writeAtomic: async (_path: string, next: string) => {
      text = next;
    },
  };
}
