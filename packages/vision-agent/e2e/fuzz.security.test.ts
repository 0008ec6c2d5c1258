import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AnthropicLoopback, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import fc from "fast-check";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ApiDocument,
  addressRequests,
  type FuzzRequest,
  imageRequests,
  PLANTED,
  restRequests,
  streamRequests,
  workflowRequests,
} from "./fuzz-inputs.ts";
import { callProduct, type RunningProduct, startProduct, temporaryWorkspace } from "./start-product.ts";

/** Another seed gives other inputs: `FUZZ_SEED=7 npm run test:security`. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_116);
const AT_ONCE = 8;
const LIMIT_MS = 60_000;
const CAMERAS = `# Cameras

| Name | URL |
|------|-----|
| yard | rtsp://admin:${PLANTED.password}@127.0.0.1:1/yard |
| street | sim://street |
`;

let provider: AnthropicLoopback;
let home: Awaited<ReturnType<typeof temporaryWorkspace>>;
let product: RunningProduct;

beforeAll(async () => {
  provider = await startAnthropicLoopback({
    apiKey: PLANTED.key,
    script: () => ({ blocks: [{ type: "text", text: "I hear you." }] }),
  });
  home = await temporaryWorkspace();
  const env = { ANTHROPIC_API_KEY: PLANTED.key, ANTHROPIC_BASE_URL: provider.url };
  // The first start lays out the workspace.
  const first = await startProduct({ workspace: home.folder, flags: ["--no-demo"], env });
  await first.stop();
  await writeFile(join(home.folder, "CAMERAS.md"), CAMERAS);
  product = await startProduct({ workspace: home.folder, flags: ["--no-demo"], env });
});

afterAll(async () => {
  await product?.stop();
  await provider?.close();
  await home?.remove();
});

describe("20,000 hostile requests crash nothing, tell no secret and are answered without a 5xx", () => {
  it("bodies, queries and names of every address", async () => {
    const document = (await get("/api/openapi.json")) as ApiDocument;
    await send(restRequests(document, ["yard", "street", "nobody"]), 9000);
  });

  it("workflow documents", async () => {
    const blocks = (await get("/api/blocks")) as { readonly blocks: readonly { readonly type: string }[] };
    const types = blocks.blocks.map(({ type }) => type);
    expect(types.length).toBeGreaterThan(100);
    await send(workflowRequests(types), 4000);
  });

  it("addresses of cameras", () => send(addressRequests(), 2500));

  it("streams", async () => {
    const made = await Promise.all(Array.from({ length: 16 }, () => call(post("/api/sessions", {}))));
    const sessions = made.map(({ text }) => (JSON.parse(text) as { readonly id: string }).id);
    await send(streamRequests(sessions), 1500);
  });

  it("pictures", async () => {
    const blank = sharp({ create: { width: 40, height: 30, channels: 3, background: "#456" } });
    const pictures = [blank.clone().png(), blank.clone().jpeg(), blank.clone().webp(), blank.clone().gif()];
    await send(imageRequests(await Promise.all(pictures.map((picture) => picture.toBuffer()))), 3000);
  });
});

async function send(inputs: fc.Arbitrary<FuzzRequest>, count: number): Promise<void> {
  const queue = fc.sample(inputs, { numRuns: count, seed: SEED }).values();
  // Making the inputs takes so long that the server has closed idle connections, which is noticed only now.
  await sleep(100);
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (const request of queue) {
      const problem = await judge(request);
      if (problem !== undefined) failures.push(problem);
      if (failures.length > 4) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(failures, `seed ${SEED}; the server says:\n${product.output().slice(-2000)}`).toEqual([]);
  expect(await get("/healthz"), product.output()).toMatchObject({ status: "ok" });
}

/** What is wrong with the answer; undefined when nothing is. */
async function judge(request: FuzzRequest): Promise<string | undefined> {
  const { method, path, body } = request;
  const sent = `${method} ${path} ${body === undefined ? "" : String(body).slice(0, 600)}`;
  try {
    const { status, text } = await call(request);
    if (status >= 500) return `${status} ${text} for ${sent}`;
    const secret = Object.values(PLANTED).find((one) => text.includes(one));
    return secret === undefined ? undefined : `${secret} came back for ${sent}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause ? `: ${error.cause}` : "";
    return `${error}${cause} for ${sent}`;
  }
}

/** Waits where the server limits how many requests come from one place. */
async function call(request: FuzzRequest): Promise<{ readonly status: number; readonly text: string }> {
  const response = await callProduct(product, request.path, {
    method: request.method,
    headers: request.headers,
    redirect: "manual",
    signal: AbortSignal.timeout(LIMIT_MS),
    ...(request.body !== undefined && { body: request.body }),
  });
  const text = await response.text();
  const waitSeconds = Number(response.headers.get("retry-after"));
  // Whoever tries passwords waits longer.
  if (response.status !== 429 || waitSeconds === 0 || waitSeconds > 2) return { status: response.status, text };
  await sleep(1000 * waitSeconds);
  return call(request);
}

async function get(path: string): Promise<unknown> {
  return JSON.parse((await call({ method: "GET", path, headers: {} })).text);
}

function post(path: string, body: object): FuzzRequest {
  return { method: "POST", path, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
