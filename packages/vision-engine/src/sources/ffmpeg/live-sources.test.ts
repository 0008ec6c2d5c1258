import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { CAMERA_H264, ffmpeg, hasFfmpeg, TEST_PICTURE } from "../__fixtures__/ffmpeg.ts";
import { shownBy } from "../__fixtures__/process-list.ts";
import { type RtspServer, type RtspServerOptions, startRtspServer } from "../__fixtures__/rtsp-server.ts";
import { type FrameSource, systemClock } from "../frame-source.ts";
import { type OpenSourceOptions, openSource } from "../open-source.ts";
import { probeSource } from "../probe-source.ts";

const never = new AbortController().signal;
const OPTIONS = { sourceId: "door", clock: systemClock };

describe.skipIf(!hasFfmpeg("live sources"))("live sources", () => {
  const folder = mkdtempSync(join(tmpdir(), "sources-"));
  const cleanUp: (() => Promise<void>)[] = [];
  ffmpeg(...TEST_PICTURE, "-frames:v", "10", ...CAMERA_H264, "-f", "h264", join(folder, "camera.h264"));
  const h264 = readFileSync(join(folder, "camera.h264"));

  afterEach(async () => {
    for (const stop of cleanUp.splice(0).reverse()) await stop();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function camera(options: Partial<RtspServerOptions> = {}): Promise<RtspServer> {
    const server = await startRtspServer({ h264, fps: 50, ...options });
    cleanUp.push(() => server.close());
    return server;
  }

  async function open(address: string, options: Partial<OpenSourceOptions> = {}): Promise<FrameSource> {
    const source = await openSource(address, { ...OPTIONS, ...options });
    cleanUp.push(() => source.close());
    return source;
  }

  it("takes frames from an RTSP camera, dated as they come", async () => {
    const { port } = await camera();
    const source = await open(`rtsp://127.0.0.1:${port}/cam`);
    const before = Date.now();
    const frames = [await source.next(never), await source.next(never)];
    const [first, second] = frames.map((frame) => frame!.metadata);
    expect([source.width, source.height]).toEqual([96, 64]);
    expect(second!.frame_number).toBeGreaterThan(first!.frame_number);
    expect(Math.abs(Date.parse(second!.timestamp) - before)).toBeLessThan(5000);
    expect(first).not.toHaveProperty("comes_from_video_file");
  });

  it.each(["basic", "digest"] as const)(
    "logs in with %s, and tells a wrong password without showing it",
    async (scheme) => {
      const auth = { scheme, user: "admin", password: "p@ss/w:rd" };
      const { port } = await camera({ auth });
      const right = await open(`rtsp://admin:p%40ss%2Fw%3Ard@127.0.0.1:${port}/cam`);
      expect(right.label).toBe(`rtsp://127.0.0.1:${port}/cam`);
      expect(await right.next(never)).toBeDefined();
      if (process.platform === "linux") {
        const decoders = shownBy(/^ffmpeg$/).filter((shown) => shown.includes("pipe:0"));
        expect(decoders.length).toBeGreaterThan(0);
        for (const shown of decoders) expect(shown).not.toMatch(/p(?:@|%40)ss|VITEST|HOME=/);
      }
      const wrong = `rtsp://admin:secret@127.0.0.1:${port}/cam`;
      const message =
        "The camera refused the user name or the password. Write them into the address, before the host: name:password@";
      await expect(open(wrong)).rejects.toMatchObject({ kind: "source", reason: "credentials", message });
      expect(await probeSource(wrong, OPTIONS)).toEqual({ ok: false, reason: "credentials", message });
    },
  );

  it("gives pictures whether or not the recording can be written, and copies nothing where there are masks", async () => {
    const { port } = await camera();
    const source = await open(`rtsp://127.0.0.1:${port}/cam`, { recordTo: join(folder, "nowhere") });
    for (let count = 0; count < 60; count += 1) expect(await source.next(never)).toBeDefined();
    const masks = [
      [
        [0, 0],
        [1, 0],
        [1, 1],
      ],
    ] as const;
    const to = mkdtempSync(join(folder, "masked-"));
    const masked = await open(`rtsp://127.0.0.1:${port}/cam`, { recordTo: to, masks });
    for (let count = 0; count < 60; count += 1) expect(await masked.next(never)).toBeDefined();
    expect(readdirSync(to)).toEqual([]);
  });

  it("tells that there is no such path", async () => {
    const { port } = await camera();
    await expect(open(`rtsp://127.0.0.1:${port}/other`)).rejects.toMatchObject({ kind: "source", reason: "not_found" });
  });

  it("tells that a camera knows TCP only", async () => {
    const { port } = await camera();
    const opening = open(`rtsp://127.0.0.1:${port}/cam?transport=udp`);
    await expect(opening).rejects.toMatchObject({ kind: "source", message: expect.stringContaining("?transport=tcp") });
  });

  it("is lost when the camera hangs up, and can be opened again", async () => {
    const server = await camera();
    const source = await open(`rtsp://127.0.0.1:${server.port}/cam`);
    await source.next(never);
    server.cut();
    await expect(untilLost(source)).rejects.toMatchObject({
      kind: "source",
      message: "The camera ended the connection.",
    });
    const again = await open(`rtsp://127.0.0.1:${server.port}/cam`);
    expect(await again.next(never)).toBeDefined();
  });

  it("is lost when the camera is silent for too long", async () => {
    const server = await camera();
    const source = await open(`rtsp://127.0.0.1:${server.port}/cam`, { stallMs: 1500 });
    await source.next(never);
    server.freeze();
    const message = "The camera sent no picture for 1.5 s.";
    await expect(untilLost(source)).rejects.toMatchObject({ kind: "source", reason: "timeout", message });
  });

  it("leaves out what comes during a pause without counting it", async () => {
    const { port } = await camera();
    const source = await open(`rtsp://127.0.0.1:${port}/cam`);
    await source.next(never);
    const before = source.dropped;
    source.pause?.();
    await systemClock.sleep(400);
    const during = source.dropped;
    source.resume?.();
    const frame = await source.next(never);
    expect(during - before).toBeLessThanOrEqual(2);
    expect(Date.now() - Date.parse(frame!.metadata.timestamp)).toBeLessThan(1000);
  });

  it("takes no more frames than asked for, and counts the others", async () => {
    const { port } = await camera();
    const source = await open(`rtsp://127.0.0.1:${port}/cam`, {
      maxFps: 5,
      buffer: { filling: "DROP_OLDEST", consumption: "LAZY", size: 8 },
    });
    const begun = Date.now();
    for (let count = 0; count < 5; count++) await source.next(never);
    expect(Date.now() - begun).toBeGreaterThan(500);
    expect(source.drops?.rate_limit).toBeGreaterThan(5);
  });

  it("shows what a probe finds", async () => {
    const { port } = await camera();
    const found = await probeSource(`rtsp://127.0.0.1:${port}/cam`, OPTIONS);
    expect(found).toMatchObject({ ok: true, width: 96, height: 64, kind: "rtsp", codec: "h264" });
  });

  it("takes MJPEG over HTTP as a live source", async () => {
    ffmpeg(...TEST_PICTURE, "-frames:v", "1", join(folder, "one.jpg"));
    const { address, server } = await mjpegServer(readFileSync(join(folder, "one.jpg")));
    cleanUp.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const source = await open(`${address}/stream`);
    expect((await source.next(never))?.metadata).toMatchObject({ width: 96, height: 64, fps: 0 });
    const found = await probeSource(`${address}/stream`, OPTIONS);
    expect(found).toEqual({ ok: true, width: 96, height: 64, fps: 0, kind: "http", codec: "mjpeg" });
    server.closeAllConnections();
    await expect(untilLost(source)).rejects.toMatchObject({ kind: "source" });
    await expect(open(`${address}/missing`)).rejects.toMatchObject({ kind: "source", reason: "not_found" });
  });

  it("keeps the password of an HTTP address off the command line, for streams and for files", async () => {
    ffmpeg(...TEST_PICTURE, "-frames:v", "1", join(folder, "two.jpg"));
    ffmpeg(...TEST_PICTURE, "-frames:v", "12", "-c:v", "libx264", "-movflags", "+faststart", join(folder, "film.mp4"));
    const [jpeg, film] = ["two.jpg", "film.mp4"].map((name) => readFileSync(join(folder, name)));
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, "http://camera");
      const login = Buffer.from(request.headers.authorization?.slice(6) ?? "", "base64").toString();
      const isKnown = login === "ann:p@ss" || searchParams.get("pwd") === "p@ss" || pathname.startsWith("/ann/pa55/");
      if (!isKnown) return response.writeHead(401, { "www-authenticate": 'Basic realm="camera"' }).end();
      if (pathname.endsWith(".mp4")) return response.setHeader("content-length", film!.length).end(film);
      sendMjpeg(response, jpeg!);
    });
    const host = (await listening(server)).replace("http://", "");
    cleanUp.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const inPath = `http://${host}/ann/pa55/stream`;
    for (const address of [`http://ann:p%40ss@${host}/stream`, `http://${host}/stream?user=ann&pwd=p@ss`, inPath]) {
      const source = await open(address);
      expect((await source.next(never))?.metadata).toMatchObject({ width: 96, height: 64, fps: 0 });
      if (process.platform === "linux") {
        const shown = shownBy(/^ffmpeg$/);
        expect(shown.length).toBeGreaterThan(0);
        expect(shown.filter((one) => /p(?:@|%40)ss|pa55/.test(one))).toEqual([]);
      }
      expect(await probeSource(address, OPTIONS)).toMatchObject({ ok: true, fps: 0, codec: "mjpeg" });
    }
    const file = await open(`http://ann:p%40ss@${host}/film.mp4`);
    let frames = 0;
    while ((await file.next(never)) !== undefined) frames += 1;
    expect([frames, file.dropped]).toEqual([12, 0]);
    const found = await probeSource(`http://ann:wrong@${host}/stream`, OPTIONS);
    expect(found).toMatchObject({ ok: false, reason: "credentials" });
  });

  it("takes a video file over HTTP to its end", async () => {
    ffmpeg(...TEST_PICTURE, "-frames:v", "12", "-c:v", "libx264", "-movflags", "+faststart", join(folder, "clip.mp4"));
    const bytes = readFileSync(join(folder, "clip.mp4"));
    const server = createServer((_, response) => response.setHeader("content-length", bytes.length).end(bytes));
    const address = await listening(server);
    cleanUp.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const source = await open(`${address}/clip.mp4`);
    let frames = 0;
    while ((await source.next(never)) !== undefined) frames += 1;
    expect([frames, source.dropped]).toEqual([12, 0]);
  });
});

async function untilLost(source: FrameSource): Promise<void> {
  while ((await source.next(never)) !== undefined);
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

function sendMjpeg(response: ServerResponse, jpeg: Uint8Array): void {
  response.writeHead(200, { "content-type": "multipart/x-mixed-replace; boundary=frame" });
  const timer = setInterval(() => {
    response.write(`--frame\r\nContent-Type: image/jpeg\r\nContent-Length: ${jpeg.length}\r\n\r\n`);
    response.write(jpeg);
    response.write("\r\n");
  }, 40);
  response.on("close", () => clearInterval(timer));
}

async function mjpegServer(jpeg: Uint8Array): Promise<{ address: string; server: Server }> {
  const server = createServer((request, response) => {
    if (request.url !== "/stream") return response.writeHead(404).end();
    sendMjpeg(response, jpeg);
  });
  return { address: await listening(server), server };
}
