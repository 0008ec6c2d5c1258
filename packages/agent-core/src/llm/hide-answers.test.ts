import { describe, expect, it } from "vitest";
import { createSecretTokens } from "../observability/secret-tokens.ts";
import { wireContext, wireRequest } from "../testing/wire-answer.ts";
import { NO_USAGE } from "../types/message.ts";
import { toCalls } from "./decorated-client.ts";
import { hideAnswers } from "./hide-answers.ts";
import type { LLMClient, LLMDelta, LLMRequest, LLMResponse } from "./llm-client.ts";

const SECRET = "sk-verysecret-0123456789";
const [BEGIN, END] = [SECRET.slice(0, 10), SECRET.slice(10)];

describe("hideAnswers", () => {
  it.each<[string, readonly LLMDelta[]]>([
    ["two calls", [args("a", BEGIN), args("b", BEGIN), args("a", END), args("b", END)]],
    ["text and thoughts", [text(BEGIN), { type: "thinking", text: "hm" }, text(END)]],
    ["text and a call", [text(BEGIN), args("a", "{}"), text(END)]],
  ])("hides a secret that is cut where %s come in turns", async (_, deltas) => {
    const { client } = await open(deltas);
    const joined = new Map<string, string>();
    for await (const delta of client.stream(wireRequest("chat"), wireContext())) {
      if (delta.type === "alive") continue;
      const key = delta.type === "tool_args" ? delta.callId : delta.type;
      joined.set(key, (joined.get(key) ?? "") + (delta.type === "tool_args" ? delta.json : delta.text));
    }
    expect([...joined.values()].join("\n")).not.toContain(SECRET);
    expect([...joined.values()].join("\n")).toMatch(/<secret:[0-9a-f]{12}>/);
  });

  it("passes on what the provider says of tokens before the end", async () => {
    const used: LLMDelta = { type: "alive", usage: { ...NO_USAGE, outputTokens: 7 } };
    const { client } = await open([used, text("Hi")]);
    const told: LLMDelta[] = [];
    for await (const delta of client.stream(wireRequest("chat"), wireContext())) told.push(delta);
    expect(told).toEqual([used, text("Hi")]);
  });

  it("counts tokens of what is sent, and not of the secret", async () => {
    const { client, counted } = await open([]);
    await client.countTokens?.(wireRequest("chat", [{ type: "text", text: SECRET }]), wireContext());
    expect(JSON.stringify(counted)).toMatch(/<secret:[0-9a-f]{12}>/);
    expect(JSON.stringify(counted)).not.toContain(SECRET);
  });
});

async function open(deltas: readonly LLMDelta[]) {
  const counted: LLMRequest[] = [];
  const inner: LLMClient = {
    provider: "test",
    profile: async () => {
      throw new Error("not asked");
    },
    countTokens: async (request) => counted.push(request),
    ...toCalls(async function* () {
      yield* deltas;
      return ANSWER;
    }),
  };
  const tokens = createSecretTokens({ secrets: [SECRET], key: async () => new Uint8Array(32) });
  await tokens.open();
  return { client: hideAnswers(inner, tokens, () => undefined), counted };
}

const ANSWER: LLMResponse = {
  message: { id: "m1", role: "assistant", parts: [], ts: "2026-01-01T00:00:00.000Z", origin: "model", model: "m" },
  content: "",
  toolCalls: [],
  usage: NO_USAGE,
  stopReason: "complete",
  model: "m",
  warnings: [],
};

function text(piece: string): LLMDelta {
  return { type: "text", text: piece };
}

function args(callId: string, json: string): LLMDelta {
  return { type: "tool_args", callId, toolName: "look", json };
}
