import { describe, expect, it } from "vitest";
import { PNG_1X1 } from "../testing/sample-images.ts";
import type { ArtifactRef } from "../types/message.ts";
import { createMemoryArtifactStore } from "./memory-artifact-store.ts";
import { takeBytes, takeDataUrls } from "./take-bytes.ts";

const PNG = Buffer.from(PNG_1X1).toString("base64");
const SOUND = Buffer.from("not really a sound, but bytes all the same").toString("base64");
const IMAGE = { type: "image", artifactId: expect.stringMatching(/^art_/), mimeType: "image/png" };
const PICTURE_NAMED = expect.stringMatching(
  new RegExp(`^\\[image/png, ${PNG_1X1.length} bytes, kept as art_[0-9a-f]{32}\\]$`),
);
const SOUND_NAMED = expect.stringMatching(/^\[audio\/wav, 42 bytes, kept as art_[0-9a-f]{32}\]$/);

describe("takeBytes", () => {
  it.each<[string, unknown]>([
    ["of MCP", { type: "image", data: PNG, mimeType: "image/png" }],
    ["of Anthropic", { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }],
    ["of Chat Completions", { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }],
    ["of Responses", { type: "input_image", image_url: `data:image/png;base64,${PNG}` }],
    ["of the AI SDK", { type: "file", mediaType: "image/png", data: PNG_1X1 }],
    ["without a type", { type: "image", data: PNG }],
    ["as base64", { type: "base64", data: PNG }],
    ["as bytes", PNG_1X1],
    ["as a buffer", Buffer.from(PNG_1X1)],
    ["as the JSON of a buffer", Buffer.from(PNG_1X1).toJSON()],
    ["as a resource", { uri: "file:///dot.png", mimeType: "image/png", blob: PNG }],
  ])("VI-13 makes a picture %s a reference", async (_, value) => {
    const { keep, kept } = keeper();
    expect((await takeBytes(value, keep)).value).toEqual(IMAGE);
    expect((await takeBytes({ deep: [{ value }] }, keep)).value).toEqual({ deep: [{ value: IMAGE }] });
    expect(kept[0]).toEqual(Buffer.from(PNG_1X1));
  });

  it("VI-13 names other bytes, and texts that are a data URL", async () => {
    const { keep } = keeper();
    const value = {
      sound: { type: "audio", data: SOUND, mimeType: "audio/wav" },
      url: `data:audio/wav;base64,${SOUND}`,
      picture: `data:image/png;base64,${PNG}`,
    };
    const taken = await takeBytes(value, keep);
    expect(taken.value).toEqual({
      sound: { type: "text", text: SOUND_NAMED },
      url: SOUND_NAMED,
      picture: PICTURE_NAMED,
    });
    expect(taken.images).toEqual([{ part: IMAGE, under: "picture" }]);
  });

  it("leaves everything else as it is, the very same value", async () => {
    const { keep, kept } = keeper();
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    const throwing = {
      get type(): string {
        throw new Error("no");
      },
    };
    const value = {
      base64: PNG,
      prose: `The picture is data:image/png;base64,${PNG} and that is all.`,
      html: `<img src="data:image/png;base64,${PNG}">`,
      lookalikes: ["data:", "data:;base64,AAAA", "data:image/png,AAAA", "data:image/png;base64,not base64!"],
      parts: [{ type: "file", data: "abcd" }, { type: "file", data: "word", mimeType: "text/plain" }, { data: PNG }],
      vector: new Float32Array(3),
      at: new Date(0),
      map: new Map([["a", 1]]),
      cycle,
      throwing,
    };
    expect((await takeBytes(value, keep)).value).toBe(value);
    expect(kept).toEqual([]);
  });

  it("says so where the store refuses, and writes no bytes", async () => {
    const refuse = async (): Promise<ArtifactRef> => Promise.reject(new Error("disk full"));
    const { value, images } = await takeBytes([PNG_1X1, `data:image/png;base64,${PNG}`], refuse);
    const told = `[image/png, ${PNG_1X1.length} bytes, could not be kept: disk full]`;
    expect(value).toEqual([{ type: "text", text: told }, told]);
    expect(images).toEqual([]);
  });

  it("believes the bytes, not what is said of them", async () => {
    const { keep } = keeper();
    const wrong = { type: "image", data: SOUND, mimeType: "image/png" };
    const { value } = await takeBytes([wrong, { type: "image", data: PNG, mimeType: "image/jpeg" }], keep);
    expect(value).toEqual([{ type: "text", text: expect.stringContaining("kept as art_") }, IMAGE]);
  });
});

describe("takeDataUrls", () => {
  it("VI-13 keeps what a person pasted, and the sentence stays readable", async () => {
    const { keep, kept } = keeper();
    const said = `What is data:image/png;base64,${PNG}, and data:audio/wav;base64,${SOUND}?`;
    const { text, images } = await takeDataUrls(said, keep);
    expect(text).toMatch(
      /^What is \[image\/png, \d+ bytes, kept as art_\w+\], and \[audio\/wav, 42 bytes, kept as art_\w+\]\?$/,
    );
    expect(images).toEqual([IMAGE]);
    expect(kept).toHaveLength(2);
  });

  it("leaves other base64 and what only begins like a data URL", async () => {
    const { keep, kept } = keeper();
    const said = `${PNG} data:;base64,${SOUND} metadata:image/png;base64,${SOUND} data:image/png;base64, data:text/plain,hi`;
    expect((await takeDataUrls(said, keep)).text).toBe(said);
    expect(kept).toEqual([]);
  });
});

function keeper() {
  const store = createMemoryArtifactStore();
  const kept: Uint8Array[] = [];
  const keep = async (bytes: Uint8Array, mimeType: string): Promise<ArtifactRef> => {
    kept.push(Buffer.from(bytes));
    return store.put(bytes, { mimeType, namespace: "n" });
  };
  return { keep, kept };
}
