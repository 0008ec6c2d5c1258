// a picture → what a terminal draws it from
import type { EnvironmentVariables } from "@vision-agent/agent-core";

const ESC = "\u001b";
const CHUNK = 4096;

/** The bytes are a JPEG, PNG or WebP. Rejects when they are none. */
export async function toInlineImage(bytes: Uint8Array, protocol: ImageProtocol): Promise<string> {
  // Loaded with the first picture: most commands never show one.
  const { default: sharp } = await import("sharp");
  const picture = sharp(bytes).resize({ width: INLINE_WIDTH, withoutEnlargement: true });
  if (protocol === "kitty") return `${toKitty((await picture.png().toBuffer()).toString("base64"))}\n`;
  if (protocol === "iterm2") {
    const jpeg = await picture.jpeg().toBuffer();
    return `${ESC}]1337;File=inline=1;size=${jpeg.length};preserveAspectRatio=1:${jpeg.toString("base64")}\u0007\n`;
  }
  const { data, info } = await picture.removeAlpha().toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
  return `${toSixel({ rgb: data, width: info.width, height: info.height })}\n`;
}

function toKitty(base64: string): string {
  const chunks = base64.match(new RegExp(`.{1,${CHUNK}}`, "g")) ?? [];
  return chunks
    .map((chunk, at) => `${ESC}_G${at === 0 ? "a=T,f=100," : ""}m=${at === chunks.length - 1 ? 0 : 1};${chunk}${ESC}\\`)
    .join("");
}

/** How a terminal takes pictures between its lines. */
export type ImageProtocol = "kitty" | "iterm2" | "sixel";

const KITTY = /^(?:xterm-kitty|xterm-ghostty)$/;
const SIXEL = /^(?:foot|mlterm|yaft|xterm-sixel|contour)/;

/** What the terminal says of itself; undefined when it draws no pictures, or something between would garble them. */
export function findImageProtocol(env: EnvironmentVariables): ImageProtocol | undefined {
  const { TERM = "", TERM_PROGRAM = "", LC_TERMINAL = "" } = env;
  if (env.TMUX || /^(?:screen|tmux)/.test(TERM) || TERM === "dumb") return undefined;
  if (env.KITTY_WINDOW_ID || KITTY.test(TERM) || TERM_PROGRAM === "ghostty") return "kitty";
  if (["iTerm.app", "WezTerm", "mintty"].includes(TERM_PROGRAM) || LC_TERMINAL === "iTerm2") return "iterm2";
  return SIXEL.test(TERM) ? "sixel" : undefined;
}

/** Pixels of a picture between lines; about half of a usual window. */
export const INLINE_WIDTH = 480;

interface Pixels {
  /** Red, green, blue; row after row. */
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Levels of each channel: 216 colours, which every sixel terminal has. */
const LEVELS = 6;
const BAND = 6;

export function toSixel({ rgb, width, height }: Pixels): string {
  const colours = Uint8Array.from({ length: width * height }, (_, at) => colourAt(rgb, at * 3));
  const used = [...new Set(colours)].sort((a, b) => a - b);
  const palette = used.map((colour) => `#${colour};2;${channels(colour).join(";")}`).join("");
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) bands.push(toBand(colours, { top, width, height }));
  return `\u001bP0;1q"1;1;${width};${height}${palette}${bands.join("-")}\u001b\\`;
}

function colourAt(rgb: Uint8Array, at: number): number {
  const level = (value: number): number => Math.round((value / 255) * (LEVELS - 1));
  return (level(rgb[at]!) * LEVELS + level(rgb[at + 1]!)) * LEVELS + level(rgb[at + 2]!);
}

/** In percent, as sixel wants them. */
function channels(colour: number): readonly number[] {
  const levels = [Math.floor(colour / (LEVELS * LEVELS)), Math.floor(colour / LEVELS) % LEVELS, colour % LEVELS];
  return levels.map((level) => Math.round((level * 100) / (LEVELS - 1)));
}

function toBand(
  colours: Uint8Array,
  { top, width, height }: { readonly top: number; readonly width: number; readonly height: number },
): string {
  const columns = new Map<number, Uint8Array>();
  for (let row = 0; row < Math.min(BAND, height - top); row += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = colours[(top + row) * width + x]!;
      const bits = columns.get(colour) ?? new Uint8Array(width);
      columns.set(colour, bits);
      bits[x]! |= 1 << row;
    }
  }
  return [...columns].map(([colour, bits]) => `#${colour}${toRuns(bits)}`).join("$");
}

function toRuns(bits: Uint8Array): string {
  let text = "";
  for (let x = 0; x < bits.length; ) {
    let end = x + 1;
    while (end < bits.length && bits[end] === bits[x]) end += 1;
    const sixel = String.fromCharCode(63 + bits[x]!);
    text += end - x > 3 ? `!${end - x}${sixel}` : sixel.repeat(end - x);
    x = end;
  }
  return text;
}
