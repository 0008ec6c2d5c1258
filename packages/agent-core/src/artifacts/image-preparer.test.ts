import { describe, expect, it } from "vitest";
import { fitImage, type ImageLimits, type ImagePreparer } from "./image-preparer.ts";

const LIMITS: ImageLimits = { maxEdge: 640, maxBytes: 100, allow: ["image/jpeg", "image/png"] };

describe("fitImage", () => {
  it("leaves a picture that fits alone", async () => {
    const bytes = png(640, 480);
    const never: ImagePreparer = { prepare: () => Promise.reject(new Error("asked")) };
    expect(await fitImage(bytes, LIMITS, never)).toEqual({ bytes, mimeType: "image/png", width: 640, height: 480 });
  });

  it("VA-12 has one that is too large made smaller", async () => {
    const small: ImagePreparer = {
      prepare: async (_, { maxEdge }) => ({ bytes: png(maxEdge, 2), mimeType: "image/png", width: maxEdge, height: 2 }),
    };
    expect(await fitImage(png(1_000, 2), LIMITS, small)).toMatchObject({ width: 640 });
  });

  it("refuses one that cannot be made to fit", async () => {
    const idle: ImagePreparer = {
      prepare: async (bytes, { mimeType }) => ({ bytes, mimeType, width: 1_000, height: 2 }),
    };
    for (const preparer of [idle, undefined]) {
      await expect(fitImage(png(1_000, 2), LIMITS, preparer)).rejects.toMatchObject({
        kind: "invalid",
        code: "image_too_large",
        message: expect.stringContaining("1000×2 pixels"),
      });
    }
    const onlyJpeg = { ...LIMITS, allow: ["image/jpeg"] };
    await expect(fitImage(png(1, 1), onlyJpeg, undefined)).rejects.toMatchObject({ code: "image_type_unsupported" });
    await expect(fitImage(Buffer.from("?"), LIMITS, idle)).rejects.toMatchObject({ code: "image_type_unsupported" });
  });
});

function png(width: number, height: number): Uint8Array {
  const bytes = Buffer.from("89504e470d0a1a0a0000000d4948445200000000000000000802", "hex");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return Uint8Array.from(bytes);
}
