import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { readImage } from "./read-image.ts";

describe("pictures for an input", () => {
  it("come as bytes, base64, data URL or {type, value}", async () => {
    const png = await pngOf(3, 2);
    const base64 = png.toString("base64");
    const forms = [png, base64, `data:image/png;base64,${base64}`, { type: "base64", value: base64 }];
    for (const form of forms) {
      const image = await readImage(form, "camera", {});
      expect(image).toMatchObject({ width: 3, height: 2, parent: { id: "camera", width: 3, height: 2 } });
      expect([...image.rgba.subarray(0, 4)]).toEqual([200, 100, 50, 255]);
    }
  });

  it("are fetched and read only through what was handed in", async () => {
    const png = await pngOf(2, 2);
    await expect(readImage("http://camera/still.png", "image", {})).rejects.toMatchObject({
      type: "RuntimeInputError",
      message: expect.stringContaining("not allowed here"),
    });
    await expect(readImage({ type: "file", value: "/etc/hosts" }, "image", {})).rejects.toThrow("not allowed here");
    const asked: string[] = [];
    const access = {
      fetchImage: async (url: string) => {
        asked.push(url);
        return png;
      },
      readImageFile: async (path: string) => {
        asked.push(path);
        return path === "still.png" ? png : undefined;
      },
    };
    expect(await readImage({ type: "url", value: "https://camera/still.png" }, "image", access)).toMatchObject({
      width: 2,
    });
    expect(await readImage("still.png", "image", access)).toMatchObject({ width: 2 });
    await expect(readImage({ type: "file", value: "gone.png" }, "image", access)).rejects.toThrow("no such file");
    expect(asked).toEqual(["https://camera/still.png", "still.png", "gone.png"]);
  });

  it("stand upright, with 8 bits and without transparency", async () => {
    const turned = await sharp(await pngOf(4, 2))
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(await readImage(turned, "image", {})).toMatchObject({ width: 2, height: 4 });
    const deep = await sharp(await pngOf(1, 1))
      .toColourspace("rgb16")
      .png()
      .toBuffer();
    expect([...(await readImage(deep, "image", {})).rgba]).toEqual([200, 100, 50, 255]);
    const clear = await sharp({
      create: { width: 1, height: 1, channels: 4, background: { r: 9, g: 8, b: 7, alpha: 0 } },
    })
      .png()
      .toBuffer();
    expect((await readImage(clear, "image", {})).rgba[3]).toBe(255);
  });

  it("that are cut off, empty or no picture are refused", async () => {
    const jpeg = await sharp(await pngOf(64, 64))
      .jpeg()
      .toBuffer();
    for (const broken of [
      jpeg.subarray(0, jpeg.length / 2),
      new Uint8Array(0),
      Buffer.from("not a picture"),
      "%%%",
      5,
      {},
    ]) {
      await expect(readImage(broken, "image", {})).rejects.toMatchObject({ type: "RuntimeInputError" });
    }
  });

  it("keep where they were cut from and the video they belong to", async () => {
    const image = await readImage(
      {
        value: await pngOf(2, 2),
        parent_id: "crop",
        parent_origin: { offset_x: 5, offset_y: 6, width: 50, height: 40 },
        root_parent_id: "frame",
        root_parent_origin: { offset_x: 15, offset_y: 16, width: 640, height: 480 },
        video_metadata: { video_identifier: "gate", frame_number: 3, frame_timestamp: 1_767_225_600.5, fps: 25 },
      },
      "image",
      {},
    );
    expect(image.parent).toEqual({ id: "crop", x: 5, y: 6, width: 50, height: 40 });
    expect(image.root).toMatchObject({ id: "frame", x: 15 });
    expect(image.video).toMatchObject({ videoIdentifier: "gate", fps: 25 });
    expect(image.video!.timestamp.iso).toBe("2026-01-01T00:00:00.500000+00:00");
  });
});

function pngOf(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 100, b: 50 } } })
    .png()
    .toBuffer();
}
