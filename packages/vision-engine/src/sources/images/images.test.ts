import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { decodeImage } from "../image-sources.ts";
import { openSource } from "../open-source.ts";

const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "images-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("decodeImage", () => {
  it.each(["jpeg", "png", "webp", "gif", "tiff", "avif"] as const)("reads %s as RGBA", async (format) => {
    const bytes = await plain(32, 16, { r: 200, g: 100, b: 50 }).toFormat(format).toBuffer();
    const { rgba, width, height } = await decodeImage(bytes, "a picture");
    expect([width, height, rgba.length]).toEqual([32, 16, 32 * 16 * 4]);
    for (const [channel, value] of [200, 100, 50, 255].entries())
      expect(Math.abs(rgba[channel]! - value)).toBeLessThan(8);
  });

  it("reads 16 bits, grey, transparent and odd sizes", async () => {
    const deep = sharp(
      Uint16Array.from({ length: 12 }, () => 0x8080),
      { raw: { width: 2, height: 2, channels: 3 } },
    );
    const wide = await decodeImage(await deep.toColourspace("rgb16").png().toBuffer(), "deep");
    expect([...wide.rgba.subarray(0, 4)]).toEqual([128, 128, 128, 255]);
    const grey = await decodeImage(
      await plain(5, 3, { r: 90, g: 90, b: 90 }).toColourspace("b-w").png().toBuffer(),
      "grey",
    );
    expect([...grey.rgba.subarray(0, 4), grey.width, grey.height]).toEqual([90, 90, 90, 255, 5, 3]);
    const clear = await plain(4, 4, { r: 10, g: 20, b: 30 }).ensureAlpha(0.5).png().toBuffer();
    expect([...(await decodeImage(clear, "clear")).rgba.subarray(0, 4)]).toEqual([10, 20, 30, 255]);
  });

  it("turns a picture upright", async () => {
    const bytes = await plain(20, 10, { r: 1, g: 2, b: 3 }).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await decodeImage(bytes, "turned")).toMatchObject({ width: 10, height: 20 });
  });

  it("refuses what is empty, damaged, cut off or huge with a sentence", async () => {
    const noise = sharp(
      Uint8Array.from({ length: 30_000 }, (_, index) => (index * 7919) % 256),
      { raw: { width: 100, height: 100, channels: 3 } },
    );
    const jpeg = await noise.jpeg().toBuffer();
    const cases: [Uint8Array, string][] = [
      [new Uint8Array(0), "x.jpg is empty."],
      [Buffer.from("hello"), "x.jpg is damaged, or no picture at all."],
      [jpeg.subarray(0, jpeg.length / 2), "x.jpg is damaged, or no picture at all."],
    ];
    for (const [bytes, message] of cases) {
      await expect(decodeImage(bytes, "x.jpg")).rejects.toMatchObject({ kind: "source", reason: "no_video", message });
    }
    const huge = await plain(3000, 2000, { r: 0, g: 0, b: 0 }).png().toBuffer();
    await expect(decodeImage(huge, "x.png", 2_000_000)).rejects.toThrow(
      "x.png is too large: at most 2 megapixels are read.",
    );
  });
});

describe("a still image", () => {
  it("is one frame, or the same at a rate", async () => {
    const path = join(folder, "still.png");
    writeFileSync(path, await plain(8, 4, { r: 9, g: 9, b: 9 }).png().toBuffer());
    const clock = fakeClock();
    const once = await openSource(path, { sourceId: "door", clock });
    expect([(await once.next(never))?.metadata.width, await once.next(never)]).toEqual([8, undefined]);
    const again = await openSource(path, { sourceId: "door", clock, imageFps: 4 });
    const begun = clock.now();
    for (let count = 0; count < 5; count++) await again.next(never);
    expect(clock.now() - begun).toBe(1000);
    await again.close();
    expect(await again.next(never)).toBeUndefined();
  });
});

describe("a folder of images", () => {
  it("gives what is there in natural order, leaves out what is damaged, and ends when asked to", async () => {
    const path = await folderOf("ordered", ["img10.png", "img2.png", "IMG1.jpg", "notes.txt", ".hidden.png"]);
    writeFileSync(join(path, "img3.png"), "broken");
    age(join(path, "img3.png"));
    const source = await openSource(path, { sourceId: "door", clock: fakeClock(), followFolder: false });
    const widths = [];
    for (let frame = await source.next(never); frame; frame = await source.next(never))
      widths.push(frame.metadata.width);
    expect(widths).toEqual([1, 2, 10]);
    expect(source.drops?.decode_error).toBe(1);
  });

  it("waits for files that come, and for those that are still being written", async () => {
    const path = await folderOf("followed", ["img1.png"]);
    const clock = fakeClock(Date.now());
    const looks: (() => void | Promise<void>)[] = [
      async () => writeFileSync(join(path, "img2.png"), (await picture(2)).subarray(0, 20)),
      async () => writeFileSync(join(path, "img2.png"), await picture(2)),
      () => age(join(path, "img2.png")),
      async () => {
        // The same name, written anew.
        writeFileSync(join(path, "img1.png"), await picture(7));
        age(join(path, "img1.png"), 30);
      },
    ];
    const sleep = async (): Promise<void> => looks.shift()?.();
    const source = await openSource(path, { sourceId: "door", clock: { ...clock, sleep } });
    const frames = [await source.next(never), await source.next(never), await source.next(never)];
    expect(frames.map((frame) => [frame?.metadata.width, frame?.metadata.frame_number])).toEqual([
      [1, 1],
      [2, 2],
      [7, 3],
    ]);
    expect([source.dropped, looks.length]).toEqual([0, 0]);
  });

  it("may be empty at first, unless it is to end", async () => {
    const path = await folderOf("empty", []);
    const source = await openSource(path, { sourceId: "door", clock: fakeClock() });
    expect([source.width, source.height]).toEqual([0, 0]);
    const opening = openSource(path, { sourceId: "door", clock: fakeClock(), followFolder: false });
    await expect(opening).rejects.toMatchObject({ kind: "source", reason: "no_pictures" });
  });

  it("says so when it stays empty, so that nobody waits for it in vain", async () => {
    const path = await folderOf("deserted", []);
    let nowMs = 0;
    const clock = {
      ...fakeClock(),
      now: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
      },
    };
    const source = await openSource(path, { sourceId: "door", clock });
    await expect(source.next(never)).rejects.toMatchObject({ reason: "no_pictures", kind: "source" });
    expect(nowMs).toBe(10_000);
  });
});

function plain(width: number, height: number, background: { r: number; g: number; b: number }): Sharp {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** As wide as its number. */
async function picture(number: number): Promise<Uint8Array> {
  return plain(number, 2, { r: 5, g: 6, b: 7 }).png().toBuffer();
}

async function folderOf(name: string, files: readonly string[]): Promise<string> {
  const path = join(folder, name);
  mkdirSync(path);
  for (const file of files) {
    writeFileSync(join(path, file), await picture(Number(/\d+/.exec(file)?.[0] ?? 1)));
    age(join(path, file));
  }
  return path;
}

/** As if it had been written a while ago. */
function age(path: string, seconds = 60): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

function fakeClock(start = Date.now()) {
  let now = start;
  return {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
}
