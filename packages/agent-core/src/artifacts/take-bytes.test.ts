import { describe, expect, it } from "vitest";
import { PNG_1X1 } from "../testing/sample-images.ts";
import type { ArtifactRef } from "../types/message.ts";
import { createMemoryArtifactStore } from "./memory-artifact-store.ts";
import { takeBytes, takeDataUrls } from "./take-bytes.ts";

const PNG = Buffer.from(PNG_1X1).toString("base64");
const SOUND = Buffer.from("not really a sound, but bytes all the same. ".repeat(10)).toString("base64");
const BIG_PNG = Buffer.concat([PNG_1X1, Buffer.from(Array.from({ length: 601 }, (_, at) => (at * 37) % 251))]).toString(
  "base64",
);
const IMAGE = { type: "image", artifactId: expect.stringMatching(/^art_/), mimeType: "image/png" };
const PICTURE_NAMED = expect.stringMatching(
  new RegExp(`^\\[image/png, ${PNG_1X1.length} bytes, kept as art_[0-9a-f]{32}\\]$`),
);
const SOUND_NAMED = expect.stringMatching(/^\[audio\/wav, 440 bytes, kept as art_[0-9a-f]{32}\]$/);

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
      sound: { type: "audio", data: SOUND_NAMED, mimeType: "audio/wav" },
      url: SOUND_NAMED,
      picture: PICTURE_NAMED,
    });
    expect(taken.images).toEqual([{ part: IMAGE, under: "picture" }]);
  });

  it.each<[string, object, object]>([
    ["a resource", { uri: "file:///a.png", mimeType: "image/png", blob: PNG }, { blob: PICTURE_NAMED }],
    ["a picture with a title", { type: "image", data: PNG, title: "A dot", id: 7 }, { data: PICTURE_NAMED }],
    [
      "a document",
      { type: "document", source: { type: "base64", media_type: "image/png", data: PNG }, pages: 3 },
      {
        source: { type: "base64", media_type: "image/png", data: PICTURE_NAMED },
      },
    ],
    [
      "an address",
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` }, note: "x" },
      {
        image_url: { url: PICTURE_NAMED },
      },
    ],
    ["a sound", { type: "audio", mimeType: "audio/wav", data: SOUND, seconds: 3 }, { data: SOUND_NAMED }],
  ])("replaces nothing but the bytes of %s", async (_, value, changed) => {
    const { keep } = keeper();
    expect((await takeBytes(value, keep)).value).toEqual({ ...value, ...changed });
    expect((await takeBytes([{ deep: value }], keep)).value).toEqual([{ deep: { ...value, ...changed } }]);
  });

  it.each<[string, unknown]>([
    ["an invoice", { type: "file", mimeType: "application/pdf", data: "inv20261", filename: "invoice.pdf", pages: 3 }],
    ["a status", { type: "document", mediaType: "application/x-status", data: "done", id: 7 }],
    ["a hash", { uri: "git://a", blob: "da39a3ee5e6b4b0d3255bfef95601890afd80709", mimeType: "application/json" }],
    ["a long text", { type: "file", mimeType: "application/json", data: SOUND }],
    ["a list of rows", { rows: [{ type: "media", mimeType: "video/mp4", data: "id42", title: "Holiday" }] }],
    ["numbers with a note", { type: "Buffer", data: [1, 2, 3], note: "x" }],
  ])("leaves %s alone, which only resembles bytes", async (_, value) => {
    const { keep, kept } = keeper();
    expect((await takeBytes(value, keep)).value).toBe(value);
    expect(kept).toEqual([]);
  });

  it("makes the blocks of a result parts that a model can be shown", async () => {
    const { keep } = keeper();
    const image = { type: "image", data: PNG, mimeType: "image/png", annotations: { priority: 1 } };
    const short = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
    const { value } = await takeBytes({ content: [image, short, { type: "text", text: "hi" }] }, keep);
    const named = { type: "text", text: expect.stringMatching(/^\[audio\/wav, 3 bytes, kept as art_/) };
    expect(value).toEqual({ content: [IMAGE, named, { type: "text", text: "hi" }] });
  });

  it("names bytes that are no picture in plain words", async () => {
    const { keep } = keeper();
    const named = expect.stringMatching(/^\[application\/octet-stream, 3 bytes, kept as art_/);
    expect((await takeBytes(new Uint8Array(3), keep)).value).toEqual(named);
    expect((await takeBytes({ file: Buffer.alloc(3) }, keep)).value).toEqual({ file: named });
  });

  it("VI-13 looks into maps, sets, what writes itself, and deep values", async () => {
    const { keep, kept } = keeper();
    const url = `data:image/png;base64,${PNG}`;
    let deep: unknown = url;
    for (let depth = 0; depth < 450; depth++) deep = { deep };
    let calls = 0;
    const own = { toJSON: () => ({ call: ++calls, url }) };
    const value = { map: new Map([["a", url]]), set: new Set([url]), own, field: { toJSON: "x", url }, deep };
    const taken = await takeBytes(value, keep);
    expect(kept).toHaveLength(5);
    expect(JSON.stringify(taken.value)).not.toContain(PNG);
    expect(taken.value).toMatchObject({
      map: { a: PICTURE_NAMED },
      set: [PICTURE_NAMED],
      own: { call: 1, url: PICTURE_NAMED },
      field: { toJSON: "x", url: PICTURE_NAMED },
    });
  });

  it.each([
    `data:image/png;name="a;b.png";base64,${PNG}`,
    `data:image/png;name=${"n".repeat(400)};base64,${PNG}`,
    `data:;base64,${PNG}`,
    `data:image/png;base64, ${PNG}`,
  ])("VI-13 takes a data URL with an unusual head", async (url) => {
    const { keep } = keeper();
    expect((await takeBytes({ url }, keep)).value).toEqual({ url: PICTURE_NAMED });
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
    expect(value).toEqual([told, told]);
    expect(images).toEqual([]);
  });

  it("believes the bytes, not what is said of them", async () => {
    const { keep } = keeper();
    const wrong = { type: "image", data: SOUND, mimeType: "image/png" };
    const { value } = await takeBytes([wrong, { type: "image", data: PNG, mimeType: "image/jpeg" }], keep);
    expect(value).toEqual([{ ...wrong, data: expect.stringMatching(/^\[image\/png, 440 bytes, kept as art_/) }, IMAGE]);
  });
});

describe("takeDataUrls", () => {
  it("VI-13 keeps what a person pasted, and the sentence stays readable", async () => {
    const { keep, kept } = keeper();
    const said = `What is data:image/png;base64,${PNG}, and data:audio/wav;base64,${SOUND}?`;
    const { text, images } = await takeDataUrls(said, keep);
    expect(text).toMatch(
      /^What is \[image\/png, \d+ bytes, kept as art_\w+\], and \[audio\/wav, 440 bytes, kept as art_\w+\]\?$/,
    );
    expect(images).toEqual([IMAGE]);
    expect(kept).toHaveLength(2);
  });

  it.each([
    ["broken into lines", BIG_PNG.replace(/(.{76})/g, "$1\n"), "\nthanks"],
    ["broken into full lines", BIG_PNG.slice(0, 76 * 4).replace(/(.{76})/g, "$1\r\n"), "thanks"],
    ["in base64url", Buffer.from(BIG_PNG, "base64").toString("base64url"), " thanks"],
    ["in per cent", encodeURIComponent(BIG_PNG), " thanks"],
  ])("VI-13 takes all of a file that was pasted %s", async (_, data, after) => {
    const { keep, kept } = keeper();
    const { text } = await takeDataUrls(`see data:image/png;base64,${data}${after}`, keep);
    expect(text).toMatch(/^see \[image\/png, \d+ bytes, kept as art_\w+\]\s+thanks$/);
    const whole = Buffer.from(decodeURIComponent(data).replace(/\s/g, ""), "base64");
    expect(kept).toEqual([whole]);
  });

  it.each([
    ["broken in odd places", BIG_PNG.replace(/(.{70})/, "$1\n").replace(/(.{170})/, "$1\n")],
    ["with letters that are none of base64", `${BIG_PNG.slice(0, 90)}%20${BIG_PNG.slice(90)}`],
    ["with more behind its end", `${BIG_PNG}==abc`],
  ])("takes nothing of a file %s", async (_, data) => {
    const { keep, kept } = keeper();
    const said = `see data:image/png;base64,${data} thanks`;
    expect((await takeDataUrls(said, keep)).text).toBe(said);
    expect(kept).toEqual([]);
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
