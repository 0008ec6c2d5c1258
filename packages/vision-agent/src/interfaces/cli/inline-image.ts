// a picture → what a terminal draws it from
import sharp from "sharp";
import { type ImageProtocol, INLINE_WIDTH } from "./image-protocol.ts";
import { toSixel } from "./to-sixel.ts";

const ESC = "\u001b";
const CHUNK = 4096;

/** The bytes are a JPEG, PNG or WebP. Rejects when they are none. */
export async function toInlineImage(bytes: Uint8Array, protocol: ImageProtocol): Promise<string> {
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
