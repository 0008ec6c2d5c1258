import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { fakeClient } from "../../testing/fake-api-client.ts";
import { createMemoryFiles } from "../../testing/memory-files.ts";
import { completeLine, createLineHistory, MOST_LINES } from "./chat.ts";
import { pickSession } from "./connect-app.ts";
import { findImageProtocol, toInlineImage, toSixel } from "./inline-image.ts";

const ESC = "\u001b";

describe("pictures in a terminal", () => {
  it.each([
    [{ TERM: "xterm-kitty" }, "kitty"],
    [{ TERM_PROGRAM: "ghostty", TERM: "xterm-256color" }, "kitty"],
    [{ TERM_PROGRAM: "iTerm.app" }, "iterm2"],
    [{ LC_TERMINAL: "iTerm2" }, "iterm2"],
    [{ TERM_PROGRAM: "WezTerm" }, "iterm2"],
    [{ TERM: "foot" }, "sixel"],
    [{ TERM: "xterm-256color" }, undefined],
    [{ TERM: "xterm-kitty", TMUX: "/tmp/tmux" }, undefined],
    [{ TERM: "screen-256color", KITTY_WINDOW_ID: "1" }, undefined],
    [{}, undefined],
  ])("are drawn as the terminal says: %j", (env, protocol) => {
    expect(findImageProtocol(env)).toBe(protocol);
  });

  it("are sent to kitty as PNG in pieces", async () => {
    const text = await toInlineImage(await noise(300, 200), "kitty");
    const pieces = [...text.matchAll(new RegExp(`${ESC}_G([^;]*);([^${ESC}]*)${ESC}\\\\`, "g"))];
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces[0]?.[1]).toBe("a=T,f=100,m=1");
    expect(pieces.at(-1)?.[1]).toBe("m=0");
    expect(pieces.every(([, , data = ""]) => data.length <= 4096)).toBe(true);
    const png = Buffer.from(pieces.map(([, , data]) => data).join(""), "base64");
    expect(await sharp(png).metadata()).toMatchObject({ format: "png", width: 300, height: 200 });
  });

  it("are sent to iTerm2 as one file, made small enough", async () => {
    const text = await toInlineImage(await noise(1000, 500), "iterm2");
    const data = /1337;File=inline=1;size=(\d+);preserveAspectRatio=1:([\w+/=]*)/.exec(text);
    const jpeg = Buffer.from(data?.[2] ?? "", "base64");
    expect(jpeg.length).toBe(Number(data?.[1]));
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", width: 480, height: 240 });
  });

  it("become sixels that decode to the same colours", async () => {
    const red = [255, 0, 0];
    const blue = [0, 0, 255];
    const rows = Array.from({ length: 8 }, (_, y) =>
      Array.from({ length: 5 }, (_, x) => (x < 4 && y < 7 ? red : blue)),
    );
    const sixel = toSixel({ rgb: Uint8Array.from(rows.flat(2)), width: 5, height: 8 });
    expect(decodeSixel(sixel, 5, 8)).toEqual(
      rows.map((row) => row.map((pixel) => (pixel === red ? "100;0;0" : "0;0;100"))),
    );
    expect(await toInlineImage(await noise(20, 13), "sixel")).toMatch(new RegExp(`^${ESC}P0;1q"1;1;20;13#`));
  });
});

describe("what is typed in the chat", () => {
  it("is there again at the next start, newest first, without passwords", async () => {
    const files = createMemoryFiles();
    const history = createLineHistory({ files, path: "/w/.chat_history" });
    expect(await history.load()).toEqual([]);
    await history.save(["add 'rtsp://ann:hidden@10.0.0.5/1', please", "hello"]);
    expect(files.contents.get("/w/.chat_history")).toBe("hello\nadd 'rtsp://10.0.0.5/1', please\n");
    expect(await history.load()).toEqual(["add 'rtsp://10.0.0.5/1', please", "hello"]);
  });

  it("is kept up to a limit", async () => {
    const history = createLineHistory({ files: createMemoryFiles(), path: "/w/h" });
    await history.save(Array.from({ length: MOST_LINES + 10 }, (_, number) => `line ${number}`));
    expect((await history.load()).slice(0, 2)).toEqual(["line 0", "line 1"]);
    expect(await history.load()).toHaveLength(MOST_LINES);
  });

  it("is completed: commands at the beginning, cameras anywhere", () => {
    const words = { commands: ["/status", "/usage", "/quit"], cameras: ["Street", "stairs", "dock"] };
    expect(completeLine("/s", words)).toEqual([["/status "], "/s"]);
    expect(completeLine("/", words)[0]).toHaveLength(3);
    expect(completeLine("what is on st", words)).toEqual([["Street ", "stairs "], "st"]);
    expect(completeLine("what is on ", words)).toEqual([[], ""]);
  });
});

describe("the conversation to go on with", () => {
  const sessions = [{ id: "session_2", updated_at: "2026-01-01T00:00:00.000Z", title: "x" }];

  it("is none, the one named, or the last", async () => {
    const client = fakeClient([], {
      "GET /api/sessions": [sessions],
      "GET /api/sessions/session_1": [{ id: "session_1" }],
    });
    expect(await pickSession(client, { continue: false })).toBeUndefined();
    expect(await pickSession(client, { session: "session_1", continue: false })).toBe("session_1");
    expect(await pickSession(client, { continue: true })).toBe("session_2");
  });

  it("is refused where there is none", async () => {
    const client = fakeClient([], { "GET /api/sessions": [[]] });
    expect(await pickSession(client, { continue: true })).toBeUndefined();
    await expect(pickSession(client, { session: "x", continue: false })).rejects.toThrow("There is no session x");
  });
});

async function noise(width: number, height: number): Promise<Uint8Array> {
  let seed = 7;
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    pixels[at] = seed % 256;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** Colours of each pixel, as percentages, read the way a terminal does. */
function decodeSixel(text: string, width: number, height: number): string[][] {
  const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => ""));
  const palette = new Map([...text.matchAll(/#(\d+);2;(\d+;\d+;\d+)/g)].map(([, number, rgb]) => [number, rgb]));
  const body = text
    .replace(/^[^#]*/, "")
    .replace(/#\d+;2;\d+;\d+;\d+/g, "")
    .replace(`${ESC}\\`, "");
  body.split("-").forEach((band, bandAt) => {
    for (const line of band.split("$")) {
      const [, colour, data = ""] = /^#(\d+)(.*)$/.exec(line) ?? [];
      const bits = data.replace(/!(\d+)(.)/g, (_, count: string, sixel: string) => sixel.repeat(Number(count)));
      [...bits].forEach((sixel, x) => {
        for (let bit = 0; bit < 6; bit += 1) {
          const row = rows[bandAt * 6 + bit];
          if (row !== undefined && (sixel.charCodeAt(0) - 63) & (1 << bit)) row[x] = palette.get(colour) ?? "";
        }
      });
    }
  });
  return rows;
}
