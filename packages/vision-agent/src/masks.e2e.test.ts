import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningApp } from "./interfaces/cli/app-flags.ts";
import { startApp } from "./start-app.ts";

/** The left half. */
const MASKS = [
  [
    [0, 0],
    [0.5, 0],
    [0.5, 1],
    [0, 1],
  ],
];
const SOURCE = "sim://street?width=320&height=192&fps=10&start=60";
const BLURRED = {
  version: "1.0",
  inputs: [{ type: "WorkflowImage", name: "image" }],
  steps: [{ type: "roboflow_core/image_blur@v1", name: "blur", image: "$inputs.image", kernel_size: 3 }],
  outputs: [{ type: "JsonField", name: "blurred", selector: "$steps.blur.image" }],
};

let folder: string | undefined;
let app: RunningApp | undefined;
afterEach(async () => {
  await app?.stop();
  app = undefined;
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

describe("privacy masks of a camera", () => {
  it("hold for everything that gives pictures, at once and after a restart, by name and by address", async () => {
    folder = await mkdtemp(join(tmpdir(), "vision-agent-masks-"));
    app = await start(folder);
    const running = await send("POST", "/api/pipelines", { sources: ["yard"], workflow: BLURRED, name: "blur" });
    expect(await brightest(await snapshot())).toBeGreaterThan(60);
    expect(await send("PATCH", "/api/cameras/yard", { masks: MASKS })).toMatchObject({ name: "yard", masks: MASKS });
    expect(running).toMatchObject({ video_reference: "yard" });
    await expectAllMasked();
    await app.stop();
    app = await start(folder);
    expect(await (await call("GET", "/api/cameras/yard")).json()).toMatchObject({ masks: MASKS });
    await expectAllMasked();
    expect(await send("PATCH", "/api/cameras/yard", { masks: [] })).not.toHaveProperty("masks");
    expect(await brightest(await snapshot())).toBeGreaterThan(60);
    expect((await call("PATCH", "/api/cameras/yard", { masks: [[[0, 0]]] })).status).toBe(400);
  });
});

async function expectAllMasked(): Promise<void> {
  const pictures = [await snapshot(), await firstLivePicture()];
  for (const image of ["yard", SOURCE]) {
    const { annotated } = (await send("POST", "/api/infer", { image, workflow: BLURRED })) as { annotated: string };
    pictures.push(Buffer.from(await (await call("GET", `/api/artifacts/${annotated}`)).arrayBuffer()));
  }
  for (const picture of pictures) expect(await brightest(picture)).toBeLessThan(24);
}

function start(workspace: string): Promise<RunningApp> {
  return startApp({
    flags: { port: "0", workspace, cameras: [`yard=${SOURCE}`], demo: false },
    env: {},
    pid: process.pid,
    version: "0.0.0-test",
    onNotice: () => undefined,
  });
}

function call(method: string, path: string, body?: unknown): Promise<Response> {
  const { address, token } = app!;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${address}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

async function send(method: string, path: string, body: unknown): Promise<unknown> {
  const answer = await call(method, path, body);
  const content = await answer.json();
  expect(answer.ok, JSON.stringify(content)).toBe(true);
  return content;
}

async function snapshot(): Promise<Uint8Array> {
  return new Uint8Array(await (await call("GET", "/api/cameras/yard/snapshot.jpg")).arrayBuffer());
}

/** The first whole JPEG of the MJPEG stream. */
async function firstLivePicture(): Promise<Uint8Array> {
  const { body } = await call("GET", "/api/cameras/yard/live");
  let bytes = Buffer.alloc(0);
  for await (const chunk of body!) {
    bytes = Buffer.concat([bytes, chunk]);
    const [from, to] = [bytes.indexOf(Buffer.from([0xff, 0xd8, 0xff])), bytes.indexOf(Buffer.from([0xff, 0xd9]))];
    if (from >= 0 && to > from) return bytes.subarray(from, to + 2);
  }
  throw new Error("The live view ended before its first picture.");
}

/** Of the masked half, less the blocks of the JPEG that reach over its edge. */
async function brightest(jpeg: Uint8Array): Promise<number> {
  const { data, info } = await sharp(jpeg).greyscale().raw().toBuffer({ resolveWithObject: true });
  let found = 0;
  for (let y = 0; y < info.height; y++) {
    for (let x = 0; x < info.width / 2 - 16; x++) found = Math.max(found, data[y * info.width + x]!);
  }
  return found;
}
