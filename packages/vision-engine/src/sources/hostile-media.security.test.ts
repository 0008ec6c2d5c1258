import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { EngineError } from "../errors.ts";
import { createRandom } from "../seeded-random.ts";
import { ffmpeg, hasFfmpeg, TEST_PICTURE } from "./__fixtures__/ffmpeg.ts";
import { systemClock } from "./frame-source.ts";
import { decodeImage } from "./image-sources.ts";
import { openSource } from "./open-source.ts";
import { probeSource } from "./probe-source.ts";

const folder = mkdtempSync(join(tmpdir(), "hostile-media-"));
const cleanUp: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of cleanUp.splice(0).reverse()) stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;
const OPTIONS = { sourceId: "door", clock: systemClock, openMs: 8000, timeoutMs: 8000 };
const SECRET = "root:x:0:0:the secret of this file\n".repeat(50);

describe.skipIf(!hasFfmpeg("hostile media"))("files that are no video", () => {
  const names = ["txt", "mp4", "avi", "gif", "ts", "ans", "nfo", "bin", "srt", "ass", "vtt", "sdp", "m3u8", "ffconcat"];

  it.each(names)("never become a picture: text named .%s", async (ending) => {
    const path = join(folder, `notes.${ending}`);
    writeFileSync(path, SECRET);
    await expectNoPicture(path);
  });

  it("never open what a playlist names", async () => {
    ffmpeg(...TEST_PICTURE, "-frames:v", "10", "-c:v", "mpeg2video", join(folder, "private.ts"));
    ffmpeg(...TEST_PICTURE, "-frames:v", "1", join(folder, "pattern1.png"));
    const film = join(folder, "private.ts");
    const playlists: Record<string, string> = {
      "list.m3u8": `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${film}\n#EXT-X-ENDLIST\n`,
      "beside.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nprivate.ts\n#EXT-X-ENDLIST\n",
      "list.mp4": `ffconcat version 1.0\nfile ${film}\n`,
      "list.txt": "ffconcat version 1.0\nfile private.ts\n",
      "list.mpd": `<?xml version="1.0"?><MPD><Period><BaseURL>file://${film}</BaseURL></Period></MPD>`,
      "list.sdp": "v=0\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 26\n",
      "list.avs": `FFmpegSource2("${film}")\n`,
    };
    for (const [name, text] of Object.entries(playlists)) {
      writeFileSync(join(folder, name), text);
      await expectNoPicture(join(folder, name));
    }
    await expectNoPicture(join(folder, "pattern%d.mp4"));
    await expectNoPicture(`concat:${film}`);
  });

  it("never reach this machine's files through a web server", async () => {
    ffmpeg(...TEST_PICTURE, "-frames:v", "10", "-c:v", "mpeg2video", join(folder, "local.ts"));
    const film = join(folder, "local.ts");
    const answers: Record<string, string> = {
      "/live.m3u8": `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${film}\n#EXT-X-ENDLIST\n`,
      "/concat.m3u8": `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nconcat:${film}\n#EXT-X-ENDLIST\n`,
      "/list": `ffconcat version 1.0\nfile ${film}\n`,
      "/text": SECRET,
    };
    const server = createServer((request, response) => {
      if (request.url === "/moved") response.writeHead(302, { location: `file://${film}` }).end();
      else response.end(answers[new URL(request.url!, "http://x").pathname] ?? "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUp.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const path of [...Object.keys(answers), "/moved"]) {
      await expectNoPicture(`http://${host}${path}`);
      await expectNoPicture(`http://ann:secret@${host}${path}`);
    }
  });

  it("are refused when their pictures are too large to decode", async () => {
    const path = join(folder, "huge.avi");
    ffmpeg("-f", "lavfi", "-i", "color=c=red:size=8192x6144:rate=1", "-frames:v", "1", "-c:v", "mjpeg", path);
    const opening = openSource(path, OPTIONS);
    await expect(opening).rejects.toMatchObject({ message: expect.stringContaining("more than 36 megapixels") });
    await expectNoPicture(path);
  });

  it("end in a sentence when they are cut off or overwritten at random", async () => {
    const random = createRandom(14);
    for (const [name, codec] of [
      ["a.mp4", "libx264"],
      ["a.mkv", "libx264"],
      ["a.avi", "mjpeg"],
      ["a.gif", "gif"],
    ] as const) {
      const whole = join(folder, name);
      ffmpeg(...TEST_PICTURE, "-frames:v", "10", "-c:v", codec, whole);
      const bytes = readFileSync(whole);
      for (let round = 0; round < 4; round++) {
        const path = join(folder, `broken-${round}-${name}`);
        const damaged = Buffer.from(bytes.subarray(0, Math.ceil(bytes.length * random())));
        for (let at = 0; at < 20 && round % 2 === 0; at++) {
          damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
        }
        writeFileSync(path, damaged);
        await tryOut(path);
      }
    }
  });
});

describe("pictures", () => {
  it("are never SVG, PDF or another text", async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xi="http://www.w3.org/2001/XInclude" width="9" height="9">
      <image href="file:///etc/passwd"/><xi:include href="file:///etc/passwd" parse="text"/></svg>`;
    const texts = [
      svg,
      `<?xml version="1.0"?>${svg}`,
      "%PDF-1.4\n1 0 obj",
      "P3\n1 1\n255\n255 0 0\n",
      "1,2,3\n4,5,6\n",
      SECRET,
    ];
    for (const text of texts) {
      await expect(decodeImage(Buffer.from(text), "x.png")).rejects.toMatchObject({ kind: "source" });
      for (const ending of ["png", "jpg", "webp", "svg"]) {
        const path = join(folder, `text.${ending}`);
        writeFileSync(path, text);
        await expectNoPicture(path);
      }
    }
  });

  it("are refused by their declared size, before a pixel is decoded", async () => {
    const bombs = [
      pngOf(60_000, 60_000, deflateSync(Buffer.alloc(20_000_000))),
      pngOf(100_000_000, 2, Buffer.alloc(9)),
    ];
    const gif = Buffer.concat([Buffer.from("GIF89a"), Buffer.from([255, 255, 255, 255, 0x80, 0, 0]), Buffer.alloc(64)]);
    for (const bomb of [...bombs, gif]) {
      await expect(decodeImage(bomb, "bomb")).rejects.toMatchObject({ kind: "source" });
    }
    await expect(decodeImage(bombs[0]!, "bomb")).rejects.toThrow("too large");
  });

  it("of 10,000 random and damaged files crash nothing, hang nothing, and fail in a sentence", async () => {
    const random = createRandom(2026);
    const plain = sharp({ create: { width: 40, height: 30, channels: 3, background: { r: 9, g: 99, b: 199 } } });
    const good = await Promise.all(
      (["jpeg", "png", "webp", "gif", "tiff", "avif"] as const).map((format) =>
        plain.clone().toFormat(format).toBuffer(),
      ),
    );
    let refused = 0;
    for (let round = 0; round < 10_000; round++) {
      const bytes = damaged(good[round % good.length]!, round, random);
      const outcome = await decodeImage(bytes, "x").catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(EngineError);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(5000);
  });

  it("of a folder are left out when they are no pictures", async () => {
    const place = join(folder, "mixed");
    mkdirSync(place);
    const random = createRandom(5);
    for (let at = 0; at < 40; at++) writeFileSync(join(place, `${at}.jpg`), noise(200, random));
    await expectNoPicture(place);
  });
});

describe.skipIf(!hasFfmpeg("random files"))("random files", () => {
  it("are answered by the probe in a sentence", async () => {
    const random = createRandom(77);
    const endings = ["mp4", "mkv", "avi", "ts", "gif", "flv", "ogg", "webm", "mpg", "bin"];
    for (let round = 0; round < 20; round++) {
      const path = join(folder, `random.${endings[round % endings.length]}`);
      writeFileSync(path, noise(1 + Math.floor(random() * 4000), random));
      const found = await probeSource(path, OPTIONS);
      if (!found.ok) expect(found.message).toMatch(/\.$/);
    }
  });
});

/** Opened or probed, it gives no frame and says why in a sentence. */
async function expectNoPicture(address: string): Promise<void> {
  const opened = await takeOne(address).catch((error: unknown) => error);
  expect(opened, address).toBeInstanceOf(EngineError);
  const found = await probeSource(address, { ...OPTIONS, followFolder: false });
  expect(found, address).toMatchObject({ ok: false });
}

async function takeOne(address: string): Promise<unknown> {
  const source = await openSource(address, { ...OPTIONS, followFolder: false });
  try {
    return await source.next(never);
  } finally {
    await source.close();
  }
}

/** Frames or a reason; both are right for a damaged file. */
async function tryOut(address: string): Promise<void> {
  const outcome = await takeOne(address).catch((error: unknown) => error);
  if (outcome instanceof Error) expect(outcome).toBeInstanceOf(EngineError);
}

function noise(length: number, random: () => number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, () => Math.floor(random() * 256)));
}

/** A third noise, a third cut off, a third overwritten in places. */
function damaged(good: Buffer, round: number, random: () => number): Buffer {
  if (round % 3 === 0) {
    const head = round % 2 === 0 ? good.subarray(0, 12) : Buffer.alloc(0);
    return Buffer.concat([head, noise(1 + Math.floor(random() * 600), random)]);
  }
  if (round % 3 === 1) return good.subarray(0, Math.floor(random() * good.length));
  const bytes = Buffer.from(good);
  for (let at = 0; at < 1 + (round % 30); at++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return bytes;
}

function pngOf(width: number, height: number, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
