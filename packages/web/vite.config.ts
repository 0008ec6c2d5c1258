import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";

const server = "http://127.0.0.1:4750";
/** The server answers pages of its own origin only; while developing, this one counts as such. */
const proxy = { target: server, changeOrigin: true, headers: { origin: server } };
/** Below this a compressed file saves nothing worth a second file. */
const SMALLEST_COMPRESSED_BYTES = 1024;
/** Quality 11 saves 8 % more and takes twenty times as long, at a person's first start. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Each larger file also as .br and .gz, so that the server sends it compressed without compressing. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  async writeBundle({ dir = "dist" }, bundle) {
    const shrink = async (file: string): Promise<void> => {
      const bytes = await readFile(file);
      if (bytes.length < SMALLEST_COMPRESSED_BYTES) return;
      const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes, BROTLI), promisify(gzip)(bytes)]);
      await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
    };
    const texts = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name));
    await Promise.all(texts.map((name) => shrink(join(dir, name))));
  },
};

export default {
  root: import.meta.dirname,
  base: "/",
  plugins: [react(), tailwindcss(), compressed],
  server: { proxy: { "/api": proxy, "/healthz": proxy, "/login": proxy } },
  build: {
    outDir: "dist",
    target: "es2024",
    // light-dark() and oklch() reach the browser as written.
    cssTarget: ["chrome123", "safari17.5", "firefox120"],
    modulePreload: { polyfill: false },
  },
};
