import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { fakeParts } from "../../testing/fake-http-parts.ts";
import { createHttpServer } from "./create-http-server.ts";

const SCRIPT = "console.log('dashboard');".repeat(100);

it("sends files compressed as the browser takes them, and lets it keep what is named by its content", async () => {
  const get = await dashboard();
  const compressed = await get("/assets/index-abc.js", "gzip, br");
  expect(compressed.headers).toMatchObject({
    "content-encoding": "br",
    "content-type": expect.stringContaining("javascript"),
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
  });
  expect(compressed.rawPayload.length).toBeLessThan(SCRIPT.length);
  expect(gunzipSync((await get("/assets/index-abc.js", "gzip")).rawPayload).toString()).toBe(SCRIPT);
  const plain = await get("/assets/index-abc.js", "identity");
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.body).toBe(SCRIPT);
});

it("asks for the page itself each time, whatever its address", async () => {
  const get = await dashboard();
  for (const address of ["/", "/cameras/street"]) {
    const page = await get(address, "br");
    expect(page).toMatchObject({ statusCode: 200, body: "<p>page</p>" });
    expect(page.headers["cache-control"]).toBe("no-cache");
  }
  expect((await get("/assets/gone.js", "br")).statusCode).toBe(404);
});

async function dashboard() {
  const webFolder = mkdtempSync(join(tmpdir(), "web-files-"));
  onTestFinished(() => rmSync(webFolder, { recursive: true, force: true }));
  mkdirSync(join(webFolder, "assets"));
  writeFileSync(join(webFolder, "index.html"), "<p>page</p>");
  writeFileSync(join(webFolder, "assets/index-abc.js"), SCRIPT);
  writeFileSync(join(webFolder, "assets/index-abc.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(webFolder, "assets/index-abc.js.gz"), gzipSync(SCRIPT));
  const server = await createHttpServer(fakeParts({ over: { webFolder } }));
  onTestFinished(() => server.close());
  return (url: string, encoding: string) =>
    server.inject({ url, headers: { host: "127.0.0.1:4750", "accept-encoding": encoding } });
}
