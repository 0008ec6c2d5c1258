import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropic } from "@vision-agent/agent-core/anthropic";
import { PNG_1X1, scriptedModel, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askAboutPicture } from "./image-question.ts";

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "image-question-"));
  path = join(folder, "dot.png");
  await writeFile(path, PNG_1X1);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("VA-2 VI-1 VI-12 asks a model about a picture that lies on disk", async () => {
  const api = await startAnthropicLoopback({ script: [{ blocks: [{ type: "text", text: "A red dot." }] }] });
  const model = anthropic(undefined, { apiKey: api.apiKey, baseURL: api.url });
  let told = "";
  const answer = await askAboutPicture({
    model,
    path,
    question: "What is this?",
    write: (text) => {
      told += text;
    },
  });
  expect([answer, told]).toEqual(["A red dot.", "A red dot."]);
  const source = { type: "base64", media_type: "image/png", data: Buffer.from(PNG_1X1).toString("base64") };
  expect(JSON.stringify(api.requests[0]?.messages)).toContain(JSON.stringify(source));
  await api.close();
});

it("VI-9 says so when the model cannot see", async () => {
  const asking = askAboutPicture({
    model: { client: scriptedModel([], { supportsVision: false }), id: "scripted" },
    path,
    question: "Well?",
    write: () => undefined,
  });
  await expect(asking).rejects.toThrow("picture");
});
