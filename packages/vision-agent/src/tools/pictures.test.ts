import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSamplePng, PNG_1X1 } from "@vision-agent/agent-core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeCameras, fakeContext, fakePicture, fakePipelines, fakeStatus, JPEG } from "../testing/fake-app.ts";
import { takeSnapshot } from "./look-at-camera.ts";
import { createOpenPicture, type FetchPictureOptions, fetchPicture, readPictureFile } from "./open-picture.ts";
import { PICTURE_EDGE } from "./resize-picture.ts";

describe("a picture that a call names", () => {
  it("F-10 an attachment is labelled by its content", async () => {
    const { open } = setup({ "/pictures/photo.jpg": PNG_1X1 });
    expect(await open("photo.jpg")).toMatchObject({
      label: "photo.jpg",
      image: { kind: "bytes", bytes: PNG_1X1, mimeType: "image/png" },
    });
    const attached = await open(ART, { [ART]: JPEG });
    expect(attached.image).toMatchObject({ mimeType: "image/jpeg" });
  });

  it.each([
    "my photo.png",
    "my\\ photo.png",
    '"my photo.png"',
    "'/pictures/my photo.png'",
    "file:///pictures/my%20photo.png",
    "~/my photo.png",
  ])("F-11 is found at a path with spaces, written as %s", async (written) => {
    const { open } = setup({ "/pictures/my photo.png": PNG_1X1, "/home/ada/my photo.png": PNG_1X1 });
    expect(await open(written)).toMatchObject({ label: "my photo.png", image: { mimeType: "image/png" } });
  });

  it("comes from a camera by its name or its registered address, which stays inside", async () => {
    const { open, seen } = setup({});
    const byName = await open("Street");
    expect(byName).toMatchObject({ label: "street", image: { kind: "source", sourceId: "street" } });
    expect(await open("rtsp://street.local/stream")).toMatchObject({ label: "street" });
    await byName.pixels(new AbortController().signal);
    expect(seen).toEqual([{ camera: "street", maxEdge: PICTURE_EDGE }]);
  });

  it("comes as base64, with or without a data URL", async () => {
    const { open } = setup({});
    const text = Buffer.from(PNG_1X1).toString("base64");
    expect((await open(`data:image/jpeg;base64,${text}`)).image).toMatchObject({ mimeType: "image/png" });
    expect((await open(Buffer.from(createSamplePng(8, 8)).toString("base64"))).image).toMatchObject({
      mimeType: "image/png",
    });
  });

  it("is fetched from the web with limits", async () => {
    const { open, asked } = setup({});
    expect(await open("https://example.com/a/shot.png?x=1")).toMatchObject({ label: "example.com shot.png" });
    expect(asked).toEqual([{ href: "https://example.com/a/shot.png?x=1", maxBytes: 20_000_000, timeoutMs: 15_000 }]);
    expect(await open("https://example.com/b.png?key=***")).toMatchObject({ label: "example.com b.png" });
    expect(asked[1]).toMatchObject({ href: "https://example.com/b.png?key=k3y" });
  });

  it.each<[string, string, RegExp]>([
    ["bytes that are none", "/etc/passwd", /passwd is not a picture.*start_pipeline/],
    ["an id that is gone", ART, /no picture art_/],
    ["a camera that is nearly right", "stret", /Did you mean the camera "street"\?/],
    ["nonsense", "the one from before", /not a file, camera or picture id\. Cameras: street\./],
  ])("says what to give instead of %s", async (_what, reference, message) => {
    const { open } = setup({ "/etc/passwd": new TextEncoder().encode("root:x:0:0") });
    await expect(open(reference)).rejects.toThrow(message);
  });
});

describe("fetchPicture", () => {
  const server = createServer((request, response) => {
    switch (request.url) {
      case "/shot.png":
        return response.end(PNG_1X1);
      case "/moved":
        return response.writeHead(302, { location: "/shot.png" }).end();
      case "/inside":
        return response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
      case "/round":
        return response.writeHead(302, { location: "/round" }).end();
      case "/file":
        return response.writeHead(302, { location: "file:///etc/passwd" }).end();
      case "/slow":
        return response.write("x");
      case "/endless":
        return response.end(new Uint8Array(5000));
      default:
        return response.writeHead(404).end();
    }
  });
  let base = "";
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const get = (path: string, over: Partial<FetchPictureOptions> = {}) =>
    fetchPicture(new URL(path, base), {
      maxBytes: 1000,
      timeoutMs: 2000,
      signal: new AbortController().signal,
      isAllowed: (address) => address === "127.0.0.1" || address === "::1",
      ...over,
    });

  it("follows redirects to the bytes", async () => {
    expect(new Uint8Array(await get("/moved"))).toEqual(new Uint8Array(PNG_1X1));
  });

  it.each([
    "http://127.0.0.1:1/x",
    "http://localhost:1/x",
    "http://[::1]:1/x",
    "http://2130706433/x",
    "http://0x7f.1/x",
  ])("asks nobody at %s, however it is written", async (url) => {
    const options = { maxBytes: 1000, timeoutMs: 2000, signal: new AbortController().signal };
    await expect(fetchPicture(new URL(url), options)).rejects.toThrow("only registered cameras are read there");
  });

  it("checks again where a redirect leads", async () => {
    await expect(get("/inside")).rejects.toThrow("only registered cameras are read there");
    await expect(get("/file")).rejects.toThrow("only http and https");
    await expect(get("/round")).rejects.toThrow("redirects more than 3 times");
  });

  it("ends what is too large, too slow or not there", async () => {
    await expect(get("/endless")).rejects.toThrow("larger than");
    await expect(get("/slow", { timeoutMs: 50 })).rejects.toThrow("took longer than 0.05 s");
    await expect(get("/missing")).rejects.toThrow("the server answered 404");
  });

  it("tells no password", async () => {
    const url = new URL("/missing", base.replace("//", "//ada:secret@"));
    const failure = await fetchPicture(url, {
      maxBytes: 1,
      timeoutMs: 2000,
      signal: new AbortController().signal,
      isAllowed: () => true,
    }).catch(String);
    expect(failure).not.toContain("secret");
  });
});

describe("readPictureFile", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pictures "));
    await writeFile(join(folder, "my photo.png"), PNG_1X1);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("reads a file, and nothing where there is none", async () => {
    expect(await readPictureFile(join(folder, "my photo.png"), 1000)).toEqual(Buffer.from(PNG_1X1));
    expect(await readPictureFile(join(folder, "other.png"), 1000)).toBeUndefined();
    expect(await readPictureFile(join(folder, "my photo.png", "x"), 1000)).toBeUndefined();
  });

  it("refuses folders and what is too large", async () => {
    await expect(readPictureFile(folder, 1000)).rejects.toThrow("is no file");
    await expect(readPictureFile(join(folder, "my photo.png"), 10)).rejects.toThrow("is larger than");
  });
});

describe("takeSnapshot", () => {
  const street = { name: "street", address: "sim://street" };
  const capture = async () => ({ ...fakePicture(), width: 1 });

  it("asks the pipeline that runs there, and opens the camera otherwise", async () => {
    const { signal } = new AbortController();
    const running = { pipelines: fakePipelines({ running: [fakeStatus()] }), capture, maxEdge: 640 };
    expect((await takeSnapshot(running, street, signal)).width).toBe(640);
    expect((await takeSnapshot({ ...running, pipelines: fakePipelines() }, street, signal)).width).toBe(1);
    const blind = { ...running.pipelines, pictureOn: async () => undefined };
    expect((await takeSnapshot({ ...running, pipelines: blind }, street, signal)).width).toBe(1);
  });
});

const ART = `art_${"0".repeat(32)}`;

function setup(files: Readonly<Record<string, Uint8Array>>) {
  const seen: { camera: string; maxEdge: number | undefined }[] = [];
  const asked: { href: string; maxBytes: number; timeoutMs: number }[] = [];
  let camera = "";
  const openPicture = createOpenPicture({
    cameras: fakeCameras("street"),
    snapshot: async ({ name }) => {
      camera = name;
      return { jpeg: JPEG };
    },
    readFile: async (path) => files[path],
    fetch: async ({ href }, { maxBytes, timeoutMs }) => {
      asked.push({ href, maxBytes, timeoutMs });
      return PNG_1X1;
    },
    complete: (address) => address.replace("key=***", "key=k3y"),
    resize: async (bytes, { maxEdge }) => {
      seen.push({ camera, maxEdge });
      return { bytes, mimeType: "image/jpeg" };
    },
    folder: "/pictures",
    home: "/home/ada",
  });
  const open = (reference: string, artifacts: Readonly<Record<string, Uint8Array>> = {}) =>
    openPicture(reference, fakeContext(artifacts));
  return { open, seen, asked };
}
