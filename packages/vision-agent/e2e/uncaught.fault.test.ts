import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getJson, type RunningProduct, startProduct, temporaryWorkspace, until } from "./start-product.ts";

const SECRET = "pl4nted-pw-31";
/** Breaks the program from within, on a signal. */
const BREAKER = `
import { isMainThread } from "node:worker_threads";
const error = () => new Error("broken at rtsp://admin:${SECRET}@127.0.0.1/1");
if (isMainThread) {
  process.on("SIGUSR2", () => void Promise.reject(error()));
  process.on("SIGURG", () => setImmediate(() => { throw error(); }));
}
`;

describe("what nobody caught", () => {
  let home: Awaited<ReturnType<typeof temporaryWorkspace>>;
  let product: RunningProduct;

  beforeEach(async () => {
    home = await temporaryWorkspace();
    const breaker = join(dirname(home.folder), "breaker.mjs");
    await writeFile(breaker, BREAKER);
    const env = { NODE_OPTIONS: `--import ${pathToFileURL(breaker)}` };
    product = await startProduct({ workspace: home.folder, env });
  });
  afterEach(async () => {
    await product?.stop("SIGKILL");
    await home.remove();
  });

  const log = (): Promise<string> => readFile(join(home.folder, "logs", "vision-agent.log"), "utf8");

  it("a rejection is logged without secrets, and the server goes on", async () => {
    process.kill(product.pid, "SIGUSR2");
    await until(async () => (await log()).includes("broken at") || undefined);
    expect(await getJson(product, "/healthz")).toMatchObject({ status: "ok" });
    expect(await log()).not.toContain(SECRET);
    expect(product.output()).not.toContain(SECRET);
  });

  it("an exception is logged without secrets, everything is closed in order, and the exit code is 1", async () => {
    expect(await product.stop("SIGURG")).toBe(1);
    const lines = await log();
    expect(lines).toContain("broken at");
    expect(lines.trimEnd().split("\n").at(-1)).toContain("stopped");
    expect(lines + product.output()).not.toContain(SECRET);
    await expect(readFile(join(home.folder, "server.json"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
