import { afterEach, describe, expect, it } from "vitest";
import { type AnthropicLoopback, type LoopbackOptions, startAnthropicLoopback } from "./anthropic-loopback.ts";
import { createFakeClock } from "./fake-clock.ts";
import { PNG_1X1 } from "./sample-images.ts";

const servers: AnthropicLoopback[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const PICTURE = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: Buffer.from(PNG_1X1).toString("base64") },
};

describe("startAnthropicLoopback", () => {
  it.each<[string, object, LoopbackOptions["limits"]?]>([
    ["an hour after five minutes", { tools: [tool("a", {}), tool("b", { ttl: "1h" })] }],
    ["five cache marks", { tools: ["a", "b", "c", "d", "e"].map((name) => tool(name, {})) }],
    ["an unknown effort", { output_config: { effort: "none" } }],
    ["thinking turned off where it cannot be", { model: "claude-opus-5-5", thinking: { type: "disabled" } }],
    ["too much effort between tools", { thinking: { type: "between_tools" }, output_config: { effort: "max" } }],
    ["a budget as large as the answer", { ...FORMER, thinking: { type: "enabled", budget_tokens: 100 } }],
    [
      "a forced tool beside thinking",
      { ...FORMER, tools: [tool("a")], tool_choice: { type: "any" }, thinking: ADAPTIVE },
    ],
    ["a choice without tools", { tool_choice: { type: "auto" } }],
    ["an open schema", { output_config: { format: { type: "json_schema", schema: { type: "object" } } } }],
    ["a cap above the model's", { max_tokens: 128_001 }],
    [
      "a picture of another type",
      { messages: [user([{ ...PICTURE, source: { ...PICTURE.source, media_type: "image/jpeg" } }])] },
    ],
    ["too many pictures", { messages: [user([PICTURE, PICTURE])] }, { images: 1 }],
    ["a prompt beyond the window", { messages: [user("x".repeat(400))] }, { window: 50 }],
  ])("refuses %s", async (_, parts, limits = {}) => {
    const { server, send } = await open({ script: [], limits });
    expect((await send(parts)).status).toBe(400);
    expect(server.refusals).toHaveLength(1);
  });

  it("refuses a body that is too large with its own status", async () => {
    const { send } = await open({ script: [], limits: { requestBytes: 100 } });
    expect((await send({ messages: [user("x".repeat(200))] })).status).toBe(413);
  });

  it("VA-6 bills what a prompt cache would, and forgets it when its time is over", async () => {
    const clock = createFakeClock();
    const { send } = await open({
      script: () => ({ blocks: [{ type: "text", text: "ok" }] }),
      cache: { clock, minTokens: 10 },
    });
    const system = [{ type: "text", text: "s".repeat(400), cache_control: { type: "ephemeral" } }];
    const first = await send({ system });
    const again = await send({ system, messages: [user("Hi"), { role: "assistant", content: "x" }, user("more")] });
    expect(first.usage).toMatchObject({ cache_creation_input_tokens: 107, cache_read_input_tokens: 0 });
    expect(first.usage).toMatchObject({ cache_creation: { ephemeral_5m_input_tokens: 107 } });
    expect(again.usage).toMatchObject({ cache_creation_input_tokens: 0, cache_read_input_tokens: 107 });
    await clock.advance(300_001);
    expect((await send({ system })).usage).toMatchObject({ cache_read_input_tokens: 0 });
    expect((await send({ system: [{ ...system[0], text: "other" }] })).usage).toMatchObject({
      cache_read_input_tokens: 0,
    });
  });
});

const FORMER = { model: "claude-opus-4-6" };
const ADAPTIVE = { type: "adaptive" };

async function open(options: LoopbackOptions) {
  const server = await startAnthropicLoopback(options);
  servers.push(server);
  const base = { model: "claude-sonnet-5-5", max_tokens: 100, stream: true, messages: [user("Hi")] };
  const headers = { "x-api-key": server.apiKey, "anthropic-version": "2026-10-21" };
  const send = async (parts: object) => {
    const body = JSON.stringify({ ...base, ...parts });
    const response = await fetch(`${server.url}/v1/messages`, { method: "POST", headers, body });
    const [, start] = /^event: message_start\ndata: (.*)$/m.exec(await response.text()) ?? [];
    return { status: response.status, usage: start === undefined ? {} : JSON.parse(start).message.usage };
  };
  return { server, send };
}

function tool(name: string, mark?: object): object {
  const cache_control = mark && { type: "ephemeral", ...mark };
  return { name, input_schema: { type: "object" }, ...(cache_control ? { cache_control } : {}) };
}

function user(content: string | readonly object[]): object {
  return { role: "user", content };
}
