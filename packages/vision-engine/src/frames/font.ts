import { createRequire } from "node:module";
import { GlobalFonts } from "@napi-rs/canvas";

const FILES = {
  "Vision Sans": "DejaVuSans.ttf",
  "Vision Sans Bold": "DejaVuSans-Bold.ttf",
  "Vision Mono Bold": "DejaVuSansMono-Bold.ttf",
} as const;

/** Names to use in a canvas `font`, e.g. `` `14px "${name}"` ``. */
export type FontName = keyof typeof FILES;

/** Makes our own font known to the canvas, so that text is drawn on machines without any. Costs nothing the second time. */
export function registerFont(name: FontName): FontName {
  if (!GlobalFonts.has(name)) {
    const path = createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${FILES[name]}`);
    GlobalFonts.registerFromPath(path, name);
  }
  return name;
}
