import assert from "node:assert/strict";
import { readImageHeader } from "../artifacts/image-header.ts";
import type { ImageLimits, ImagePreparer, PreparedImage } from "../artifacts/image-preparer.ts";
import type { ContractCase } from "./contract.ts";
import { createSamplePng } from "./sample-images.ts";

const LIMITS: ImageLimits = { maxEdge: 640, maxBytes: 200_000, allow: ["image/jpeg", "image/png"] };

/** VA-12: what every image preparer keeps. */
export function imagePreparerContract(make: () => Promise<ImagePreparer>): readonly ContractCase[] {
  const prepare = async (width: number, height: number): Promise<PreparedImage> => {
    const preparer = await make();
    return preparer.prepare(createSamplePng(width, height), { ...LIMITS, mimeType: "image/png" });
  };
  return [
    {
      name: "makes the longest side as long as it may be and keeps the proportions",
      run: async () => {
        const { width, height } = await prepare(1_280, 720);
        assert.deepEqual([width, height], [640, 360]);
        const upright = await prepare(600, 1_200);
        assert.deepEqual([upright.width, upright.height], [320, 640]);
      },
    },
    {
      name: "gives one that fits back as it is, and never enlarges",
      run: async () => {
        const { bytes, width, height } = await prepare(64, 48);
        assert.deepEqual([width, height], [64, 48]);
        assert.deepEqual(Uint8Array.from(bytes), createSamplePng(64, 48));
      },
    },
    {
      name: "says of its bytes what they are, and keeps to the types and the size that are taken",
      run: async () => {
        const { bytes, mimeType, width, height } = await prepare(1_000, 1_000);
        assert.deepEqual(readImageHeader(bytes), { mimeType, width, height });
        assert.ok(LIMITS.allow.includes(mimeType));
        assert.ok(bytes.byteLength <= LIMITS.maxBytes);
      },
    },
    {
      name: "rejects what it cannot decode",
      run: async () => {
        const preparer = await make();
        await assert.rejects(preparer.prepare(Buffer.from("no picture"), { ...LIMITS, mimeType: "image/png" }));
      },
    },
  ];
}
