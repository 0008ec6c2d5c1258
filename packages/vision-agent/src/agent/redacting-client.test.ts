import { createSecretFilter, type LLMDelta, type LLMRequest, systemClock } from "@vision-agent/agent-core";
import { scriptedModel } from "@vision-agent/agent-core/testing";
import { describe, expect, it } from "vitest";
import { createRedactingClient } from "./redacting-client.ts";

const SECRET = "rtsp-password-1";
const REQUEST: LLMRequest = { model: "scripted-1", system: [], messages: [], tools: [] };
const CONTEXT = {
  signal: new AbortController().signal,
  clock: systemClock,
  messageId: "m1",
  timers: { firstEventMs: 1_000, idleMs: 1_000, attemptMs: 1_000 },
};

describe("a model that knows a secret", () => {
  it("VI-13 does not tell it in pieces, in a thought or in the arguments of a call", async () => {
    const { deltas, response } = await say([
      { type: "thinking", text: "rtsp-pass" },
      { type: "text", text: "It is rtsp-" },
      { type: "text", text: "password-1, rtsp-" },
      { type: "tool_args", callId: "c1", toolName: "send_alert", json: '{"text":"rtsp-pass' },
      { type: "tool_args", callId: "c1", toolName: "send_alert", json: 'word-1"}' },
    ]);
    expect(deltas.filter(({ type }) => type !== "alive")).toEqual([
      { type: "thinking", text: "rtsp-pass" },
      { type: "text", text: "It is " },
      { type: "text", text: "<secret>, " },
      { type: "text", text: "rtsp-" },
      { type: "tool_args", callId: "c1", toolName: "send_alert", json: '{"text":"' },
      { type: "tool_args", callId: "c1", toolName: "send_alert", json: '<secret>"}' },
    ]);
    expect(response.toolCalls[0]?.arguments).toEqual({ text: "The password is <secret>." });
    expect(JSON.stringify(response)).not.toContain(SECRET);
  });
});

async function say(given: readonly LLMDelta[]) {
  const model = scriptedModel([
    { text: SECRET, toolCalls: [{ name: "send_alert", args: { text: `The password is ${SECRET}.` } }] },
  ]);
  const client = createRedactingClient({
    client: {
      ...model,
      stream(request, context) {
        const inner = model.stream(request, context);
        return {
          async *[Symbol.asyncIterator]() {
            for await (const _ of inner);
            yield* given;
          },
          result: () => inner.result(),
        };
      },
    },
    secrets: createSecretFilter([SECRET]),
  });
  const stream = client.stream(REQUEST, CONTEXT);
  const deltas: LLMDelta[] = [];
  for await (const delta of stream) deltas.push(delta);
  return { deltas, response: await stream.result() };
}
