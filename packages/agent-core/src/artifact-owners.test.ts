import { describe, expect, it } from "vitest";
import { createMemoryArtifactStore, createNoopArtifactStore } from "./artifacts/memory-artifact-store.ts";
import type { CallContext } from "./llm/llm-client.ts";
import { PNG_1X1 } from "./testing/sample-images.ts";
import { createTestAgent, testTool } from "./testing/test-agent.ts";
import { createReadArtifactTool } from "./tools/built-in-tools.ts";
import type { Json } from "./types/json.ts";
import type { PauseRecord } from "./types/message.ts";

const ADA = { sessionId: "of-ada", userId: "ada" };
const EVE = { sessionId: "s2", principal: { userId: "eve" } };

async function withPictureOfAda() {
  const artifacts = createMemoryArtifactStore();
  const { id } = await artifacts.put(PNG_1X1, { mimeType: "image/png", namespace: "input_image", scope: ADA });
  return { artifacts, id };
}

describe("an artifact belongs to its user and its session", () => {
  it("SC-16 cannot be attached by another, to a message or to an answer", async () => {
    const { artifacts, id } = await withPictureOfAda();
    const ask = testTool("ask", async (_, context) => context.pause({ kind: "ask_user", prompt: "?" }));
    const agent = createTestAgent([{ toolCalls: [{ name: "ask", args: {} }] }, { text: "ok" }, { text: "ok" }], {
      artifacts,
      tools: [ask],
    });
    const refused = await agent.talk("look", { ...EVE, images: [{ artifactId: id }] });
    expect(refused.outcome).toMatchObject({ status: "failed", error: { code: "unknown_artifact" } });
    const unknown = await agent.talk("look", { ...EVE, images: [{ artifactId: `art_${"0".repeat(32)}` }] });
    expect(errorOf(unknown.outcome)).toBe(errorOf(refused.outcome).replaceAll(id, `art_${"0".repeat(32)}`));
    const { outcome } = await agent.talk("ask me", EVE);
    const { pause } = outcome as unknown as { readonly pause: PauseRecord };
    const answer = { kind: "answer", value: "this", token: pause.token } as const;
    const run = agent.executor.resume(pause.id, answer, { principal: EVE.principal, images: [{ artifactId: id }] });
    expect(await run.outcome).toMatchObject({ status: "failed", error: { code: "unknown_artifact" } });
    expect((await agent.talk("look", { images: [{ artifactId: id }] })).outcome).toMatchObject({ status: "finished" });
  });

  it("SC-16 cannot be read by the tools of another's run", async () => {
    const { artifacts, id } = await withPictureOfAda();
    const found: unknown[] = [];
    const look = testTool("look", async (_, context) => {
      found.push((await context.getArtifact(id)) !== undefined);
      return "looked";
    });
    const calls: { name: string; args: { [key: string]: Json } }[] = [
      { name: "look", args: {} },
      { name: "read_artifact", args: { artifact_id: id } },
    ];
    const script = [{ toolCalls: calls }, { text: "ok" }, { toolCalls: calls }, { text: "ok" }];
    const agent = createTestAgent(script, { artifacts, tools: [look, createReadArtifactTool()] });
    const eve = await agent.talk("read it", EVE);
    const ada = await agent.talk("read it");
    expect(found).toEqual([false, true]);
    const results = [...eve.events, ...ada.events].flatMap((event) =>
      event.type === "tool_result" && event.result.toolName === "read_artifact" ? [event.result] : [],
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(["error", "ok"]);
    expect(JSON.stringify(results[0]?.content)).toContain("There is no artifact");
  });

  it("SC-16 is not shown to the model of another's run, even where a tool names it", async () => {
    const { artifacts, id } = await withPictureOfAda();
    const show = testTool("show", async () => ({
      content: [{ type: "image", artifactId: id, mimeType: "image/png" }],
    }));
    const agent = createTestAgent([{ toolCalls: [{ name: "show", args: {} }] }, { text: "ok" }], {
      artifacts,
      tools: [show],
    });
    const contexts: CallContext[] = [];
    const llm: typeof agent.llm = {
      ...agent.llm,
      stream(request, context) {
        contexts.push(context);
        return agent.llm.stream(request, context);
      },
    };
    const spying = createTestAgent([], { ...agent.options, llm });
    await spying.talk("show it", EVE);
    expect(contexts).toHaveLength(2);
    for (const { artifacts: bytes } of contexts) expect(await bytes?.get(id)).toBeUndefined();
  });

  it("SC-16 belongs to the session that it was attached to as well, whoever attached it", async () => {
    const { artifacts, id } = await withPictureOfAda();
    const agent = createTestAgent([{ text: "ok" }], { artifacts });
    await agent.talk("look", { sessionId: "team", images: [{ artifactId: id }] });
    expect(await artifacts.get(id, { sessionId: "team", userId: "bob" })).toBeDefined();
    expect(await artifacts.get(id, { sessionId: "other", userId: "bob" })).toBeUndefined();
  });

  it("VI-11 is unknown to everybody in a store that keeps none", async () => {
    const artifacts = createNoopArtifactStore();
    const { id } = await artifacts.put(PNG_1X1, { mimeType: "image/png", namespace: "n", scope: ADA });
    expect([await artifacts.get(id, ADA), await artifacts.ref(id, ADA)]).toEqual([undefined, undefined]);
    expect(await artifacts.list({ scope: ADA })).toEqual([]);
  });
});

function errorOf(outcome: object): string {
  return "error" in outcome ? JSON.stringify(outcome.error) : "";
}
