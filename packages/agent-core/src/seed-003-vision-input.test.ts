import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createArtifactRegistry } from "./artifacts/artifact-registry.ts";
import { createMemoryArtifactStore, createNoopArtifactStore } from "./artifacts/memory-artifact-store.ts";
import { DEFAULT_VISION_POLICY } from "./artifacts/vision-policy.ts";
import type { LLMRequest } from "./llm/llm-client.ts";
import { createMemorySessionStore } from "./session/memory-session-store.ts";
import { createSamplePng, PNG_1X1 } from "./testing/sample-images.ts";
import { type ScriptStep, scriptedModel } from "./testing/scripted-model.ts";
import { createTestAgent, testTool } from "./testing/test-agent.ts";
import type { Part, PauseRecord } from "./types/message.ts";

const QUERY = "Describe what's in this image";
const principal = { userId: "ada" };

describe("run(query, images)", () => {
  it("VI-1 VI-2 VI-3 VI-22 sends bytes, a file and an artifact with the first user message", async () => {
    const folder = await mkdtemp(join(tmpdir(), "images-"));
    const path = join(folder, "door.png");
    await writeFile(path, createSamplePng(2, 2));
    const { talk, llm, options } = createTestAgent([{ text: "A dot, a door and a wall." }]);
    const scope = { sessionId: "s1", userId: "ada" };
    const stored = await options.artifacts.put(createSamplePng(3, 3), {
      mimeType: "image/png",
      namespace: "input_image",
      scope,
    });
    const images = [
      { bytes: PNG_1X1, mediaType: "image/png", detail: "auto" as const },
      { path },
      { artifactId: stored.id },
    ];
    const { outcome } = await talk(QUERY, { images });
    await rm(folder, { recursive: true });
    expect(outcome).toMatchObject({ status: "finished", text: "A dot, a door and a wall." });
    const [message] = llm.requests[0]?.messages ?? [];
    expect(message?.role).toBe("user");
    expect(message?.parts.map(({ type }) => type)).toEqual(["image", "image", "image", "text", "state_note"]);
    expect(message?.parts).toContainEqual({ type: "text", text: QUERY });
    expect(imagesIn(llm.requests[0])).toContain(stored.id);
  });

  it("VI-4 VI-5 VI-13 keeps references and no bytes, and tells the registry", async () => {
    const artifactRegistry = createArtifactRegistry();
    const { talk, options } = createTestAgent([{ text: "A dot." }], { artifactRegistry });
    const { events } = await talk(QUERY, { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
    const [ref] = await options.artifacts.list({ namespace: "input_image" });
    expect(ref).toMatchObject({ mimeType: "image/png", namespace: "input_image" });
    const told = JSON.stringify([events, await options.sessions.read("s1")]);
    expect(told).toContain(ref?.id);
    expect(told).not.toContain(Buffer.from(PNG_1X1).toString("base64").slice(0, 24));
    expect(JSON.stringify(artifactRegistry.list({ sessionId: "s1" }))).toContain(ref?.id);
  });

  it("VI-7 VI-9 VI-22 is strict where the model cannot see: the call is refused and nothing is sent", async () => {
    const llm = scriptedModel([{ text: "?" }], { supportsVision: false });
    const { talk } = createTestAgent([], { llm });
    const { outcome } = await talk(QUERY, { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "capability", code: "model_no_vision" } });
    expect(llm.requests).toEqual([]);
  });

  it("VI-9 is lenient where that was asked for: the pictures are dropped with a warning", async () => {
    const llm = scriptedModel([{ text: "I cannot see it." }], { supportsVision: false });
    const { talk } = createTestAgent([], { llm });
    const { outcome } = await talk(QUERY, {
      images: [{ bytes: PNG_1X1, mediaType: "image/png" }],
      visionMode: "lenient",
    });
    expect(outcome).toMatchObject({ status: "finished", warnings: [{ code: "images_dropped" }] });
    expect(imagesIn(llm.requests[0])).toEqual([]);
  });
});

describe("pause and resume", () => {
  const script: readonly ScriptStep[] = [{ toolCalls: [{ name: "unlock" }] }, { text: "Unlocked the red door." }];
  const tools = [testTool("unlock", async () => "unlocked", { approval: "always" })];

  it("VI-10 VI-22 keeps the pictures for the calls after the pause, in another process too", async () => {
    const [sessions, artifacts] = [createMemorySessionStore(), createMemoryArtifactStore()];
    const first = createTestAgent(script.slice(0, 1), { sessions, artifacts, tools });
    const { outcome } = await first.talk(QUERY, { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
    expect(outcome.status).toBe("paused");
    await first.executor.close();
    const next = createTestAgent(script.slice(1), { sessions, artifacts, tools });
    const [pause] = await next.executor.listPaused();
    const { id, token } = pause as PauseRecord;
    const resumed = await next.executor.resume(id, { kind: "approve", token }, { principal }).outcome;
    expect(resumed).toMatchObject({ status: "finished", text: "Unlocked the red door." });
    expect(imagesIn(next.llm.requests[0])).toEqual(imagesIn(first.llm.requests[0]));
    expect(imagesIn(next.llm.requests[0])).toHaveLength(1);
  });

  it("VI-11 goes on without pictures whose bytes are gone", async () => {
    const { talk, llm } = createTestAgent([{ text: "I see nothing." }], { artifacts: createNoopArtifactStore() });
    const { outcome } = await talk(QUERY, { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
    expect(outcome.status).toBe("finished");
    expect(llm.requests).toHaveLength(1);
  });
});

describe("vision context", () => {
  const look = { toolCalls: [{ name: "look" }] };
  const vision = { ...DEFAULT_VISION_POLICY, maxImages: 2 };

  it("VI-17 VI-18 VI-22 promotes pictures of tools within the policy, and says which", async () => {
    const agent = createTestAgent([look, look, look, { text: "Three doors." }], {
      tools: [camera()],
      context: { vision },
    });
    await agent.talk("Look three times.");
    const shown = await agent.executor.visionContext("s1");
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length).toBeLessThanOrEqual(2);
    expect(shown.map(({ toolName }) => toolName)).toEqual(shown.map(() => "look"));
    expect(shown.map(({ artifactId }) => artifactId)).toEqual(imagesIn(agent.llm.requests.at(-1)));
    for (const request of agent.llm.requests) expect(imagesIn(request).length).toBeLessThanOrEqual(2);
    const lines = (await agent.options.sessions.read("s1")).filter(({ type }) => type === "vision_context");
    expect(lines.length).toBeGreaterThanOrEqual(2);
  });

  it("VI-18 keeps what a person attached apart from it, and is empty where the policy lets no tool in", async () => {
    const agent = createTestAgent([look, { text: "A door." }], {
      tools: [camera()],
      context: { vision: { ...vision, allowedSources: ["draw"] } },
    });
    await agent.talk(QUERY, { images: [{ bytes: PNG_1X1, mediaType: "image/png" }] });
    expect(imagesIn(agent.llm.requests[1])).toHaveLength(1);
    expect(await agent.executor.visionContext("s1")).toEqual([]);
  });

  it("VI-18 survives a pause and a restart, and is not written again while it is the same", async () => {
    const [sessions, artifacts] = [createMemorySessionStore(), createMemoryArtifactStore()];
    const tools = [camera(), testTool("unlock", async () => "unlocked", { approval: "always" })];
    const first = createTestAgent([look, { toolCalls: [{ name: "unlock" }] }], {
      sessions,
      artifacts,
      tools,
      context: { vision },
    });
    expect((await first.talk("Look, then unlock.")).outcome.status).toBe("paused");
    const before = await first.executor.visionContext("s1");
    expect(before).toHaveLength(1);
    await first.executor.close();
    const next = createTestAgent([{ text: "Unlocked." }, { text: "A door." }], {
      sessions,
      artifacts,
      tools,
      context: { vision },
    });
    expect(await next.executor.visionContext("s1")).toEqual(before);
    const [pause] = await next.executor.listPaused();
    const { id, token } = pause as PauseRecord;
    await next.executor.resume(id, { kind: "approve", token }, { principal }).outcome;
    await next.talk("What did you see?");
    expect(await next.executor.visionContext("s1")).toEqual(before);
    expect(imagesIn(next.llm.requests[1])).toEqual(before.map(({ artifactId }) => artifactId));
    const lines = (await sessions.read("s1")).filter(({ type }) => type === "vision_context");
    expect(lines).toHaveLength(1);
  });
});

/** Each look is a picture of its own. */
function camera() {
  let looks = 0;
  return testTool("look", async (_, { putImage }) => {
    looks += 1;
    return { content: [await putImage(createSamplePng(looks, 4), { mimeType: "image/png", alt: `look ${looks}` })] };
  });
}

function imagesIn(request: LLMRequest | undefined): readonly string[] {
  return request?.messages.flatMap(({ parts }) => parts.flatMap(idsIn)) ?? [];
}

function idsIn(part: Part): readonly string[] {
  if (part.type === "tool_result") return part.content.flatMap(idsIn);
  return part.type === "image" ? [part.artifactId] : [];
}
