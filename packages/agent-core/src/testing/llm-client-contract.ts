import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import type { CallContext, LLMClient, LLMRequest, LLMStream } from "../llm/llm-client.ts";
import { systemClock } from "../types/clock.ts";
import { AgentError } from "../types/errors.ts";
import type { ContractCase } from "./contract.ts";

/** What the model behind the client answers in each case. */
export type LlmContractAnswer = "text" | "two_calls" | "stall" | "failure";

/** A client to be tested, and how to make its server answer. */
export interface LlmContractSubject {
  readonly client: LLMClient;
  readonly model: string;
  close(): Promise<void>;
}

/** The text of the answers `text` and `stall`. */
export const LLM_CONTRACT_TEXT = "Hello there";

/**
 * AI-1, AI-5, AI-14: what every client keeps. `make` gives a client whose model says `LLM_CONTRACT_TEXT`, calls the
 * tool `look` twice with {"at": 1} and {"at": 2}, stops sending in the middle, or fails.
 */
export function llmClientContract(
  make: (answer: LlmContractAnswer) => Promise<LlmContractSubject>,
): readonly ContractCase[] {
  const withSubject = (
    name: string,
    answer: LlmContractAnswer,
    check: (subject: LlmContractSubject) => Promise<void>,
  ): ContractCase => ({
    name,
    async run() {
      const subject = await make(answer);
      try {
        await check(subject);
      } finally {
        await subject.close();
      }
    },
  });
  return [
    withSubject("streams text and gives the same as a result", "text", async ({ client, model }) => {
      const stream = client.stream(request(model), context());
      let text = "";
      for await (const delta of stream) if (delta.type === "text") text += delta.text;
      const response = await stream.result();
      assert.equal(text, LLM_CONTRACT_TEXT);
      assert.equal(response.content, LLM_CONTRACT_TEXT);
      assert.deepEqual(
        [response.stopReason, response.message.id, response.message.role],
        ["complete", "m1", "assistant"],
      );
      assert.equal(response.usage.estimated, false);
    }),
    withSubject("runs without streaming", "text", async ({ client, model }) => {
      assert.equal((await client.run(request(model), context())).content, LLM_CONTRACT_TEXT);
    }),
    withSubject("gives every call of a turn, and its arguments as they come", "two_calls", async (subject) => {
      const stream = subject.client.stream(request(subject.model), context());
      const shown = new Map<string, string>();
      for await (const delta of stream) {
        if (delta.type === "tool_args") shown.set(delta.callId, (shown.get(delta.callId) ?? "") + delta.json);
      }
      const { toolCalls, stopReason } = await stream.result();
      assert.deepEqual(
        toolCalls.map(({ id }) => JSON.parse(shown.get(id) ?? "null")),
        [{ at: 1 }, { at: 2 }],
      );
      assert.equal(stopReason, "tool_use");
      assert.deepEqual(
        toolCalls.map(({ toolName, arguments: args, state }) => ({ toolName, args, state })),
        [
          { toolName: "look", args: { at: 1 }, state: "complete" },
          { toolName: "look", args: { at: 2 }, state: "complete" },
        ],
      );
      assert.equal(new Set(toolCalls.map(({ id }) => id)).size, 2);
    }),
    withSubject("ends at once when it is cancelled", "stall", async ({ client, model }) => {
      const controller = new AbortController();
      const reason = new AgentError({ kind: "cancelled", code: "user", message: "enough" });
      const stream = client.stream(request(model), context(controller.signal));
      let abortedAt = 0;
      const abort = (): void => {
        abortedAt = performance.now();
        controller.abort(reason);
      };
      // Once nothing comes any more: what a client loads for its first call is not the time it takes to stop.
      const stalled = setTimeout(abort, 500);
      const drained = (async () => {
        for await (const _ of stream) stalled.refresh();
      })();
      await assert.rejects(drained, (thrown) => thrown === reason);
      const lateMs = performance.now() - abortedAt;
      // Far less than any timer of a client, and enough for a machine that is busy with other things.
      assert.ok(lateMs <= 1000, `it took ${Math.round(lateMs)} ms`);
      await assert.rejects(stream.result(), (thrown) => thrown === reason);
      assert.equal(getEventListeners(controller.signal, "abort").length, 0);
    }),
    withSubject("does not begin when it is cancelled before", "text", async ({ client, model }) => {
      const signal = AbortSignal.abort(new AgentError({ kind: "cancelled", code: "user", message: "enough" }));
      await assert.rejects(client.run(request(model), context(signal)), hasKind("cancelled"));
    }),
    withSubject("fails with an AgentError from the iteration and from the result", "failure", async (subject) => {
      const stream = subject.client.stream(request(subject.model), context());
      await assert.rejects(drain(stream), AgentError);
      await assert.rejects(stream.result(), AgentError);
    }),
    withSubject("states what its model can do", "text", async ({ client, model }) => {
      const profile = await client.profile(model);
      assert.equal(profile.id, model);
      assert.equal(profile.provider, client.provider);
      assert.ok(profile.contextWindow > 0 && profile.maxOutput > 0);
      await assert.rejects(client.profile("no such model"), (thrown) => hasKind("invalid")(thrown));
    }),
  ];
}

async function drain(stream: LLMStream): Promise<void> {
  for await (const _ of stream);
}

function request(model: string): LLMRequest {
  const parts = [{ type: "text", text: "Hi" }] as const;
  return {
    model,
    system: [{ id: "who", text: "Be brief.", stability: "static" }],
    messages: [{ id: "u1", role: "user", parts, ts: "2026-01-01T00:00:00.000Z", origin: "human" }],
    tools: [
      { name: "look", description: "Looks.", parameters: { type: "object", properties: { at: { type: "number" } } } },
    ],
  };
}

function context(signal: AbortSignal = new AbortController().signal): CallContext {
  const timers = { firstEventMs: 5_000, idleMs: 5_000, attemptMs: 10_000 };
  return { signal, clock: systemClock, messageId: "m1", timers };
}

function hasKind(kind: string): (thrown: unknown) => boolean {
  return (thrown) => thrown instanceof AgentError && thrown.kind === kind;
}
