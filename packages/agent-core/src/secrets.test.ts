import { describe, expect, it } from "vitest";
import { createAgentExecutor } from "./agent/executor.ts";
import { collectEvents, createTestAgent, testMessage, testTool } from "./testing/test-agent.ts";
import type { AgentEvent } from "./types/events.ts";
import type { Json } from "./types/json.ts";
import type { PauseRecord } from "./types/message.ts";

const PASSWORD = 'p@ss"word/1';
const ADDRESS = `rtsp://admin:${encodeURIComponent(PASSWORD)}@camera/1`;

describe("secrets of the host", () => {
  it("VI-13 reach the tool, over an approval and a restart, and nothing else", async () => {
    const ran: Json[] = [];
    const asked: Json[] = [];
    const open = testTool(
      "open",
      async (args, context) => {
        ran.push(args);
        context.emitSignal("opened", args);
        return { data: { [PASSWORD]: [args] }, text: `opened with ${PASSWORD}`, env: [set(PASSWORD)] };
      },
      {
        parameters: {
          type: "object",
          properties: { url: { type: "string", maxLength: 60 }, list: {} },
          required: ["url"],
        },
        secretArguments: ["url", "list"],
        approval: (args) => {
          asked.push(args);
          return { decision: "ask", prompt: `Open with ${PASSWORD}?` };
        },
      },
    );
    const args = { url: ADDRESS, list: [PASSWORD] };
    const agent = createTestAgent(
      [
        { text: `I use ${PASSWORD}.`, chunks: 7, toolCalls: [{ name: "open", args }] },
        { text: `It was ${PASSWORD}.`, chunks: 9 },
      ],
      {
        tools: [open],
        secrets: [PASSWORD],
        prompt: {
          system: async () => [{ id: "who", text: `The password is ${PASSWORD}.`, stability: "static" }],
          state: async () => `still ${PASSWORD}`,
        },
      },
    );
    const first = await agent.talk(`Use ${ADDRESS}`);
    const { pause } = first.outcome as unknown as { readonly pause: PauseRecord };
    const again = createAgentExecutor(agent.options);
    const run = again.resume(pause.id, { kind: "approve", token: pause.token }, { principal: { userId: "ada" } });
    const events = await collectEvents(run);
    expect(ran).toEqual([args]);
    expect(asked).toEqual([args, args]);
    const told = [
      await agent.options.sessions.read("s1"),
      agent.llm.requests,
      [...first.events, ...events],
      joined([...first.events, ...events]),
      [first.outcome, await run.outcome],
      pause,
    ];
    for (const one of told) expect(leaks(one)).toEqual([]);
    expect(JSON.stringify(await run.outcome)).toMatch(/It was <secret:[0-9a-f]{12}>\./);
  });

  it("VI-13 that a person puts into changed arguments, an answer or a message on the way are hidden too", async () => {
    const ran: Json[] = [];
    const work = testTool(
      "work",
      async (args) => {
        ran.push(args);
        return "done";
      },
      { approval: "always", secretArguments: ["key"] },
    );
    const agent = createTestAgent([{ toolCalls: [{ name: "work", args: { key: "?" } }] }, { text: "Done." }], {
      tools: [work],
      secrets: () => [PASSWORD],
    });
    const { outcome } = await agent.talk("go");
    const { pause } = outcome as unknown as { readonly pause: PauseRecord };
    const callId = pause.calls[0]?.callId ?? "";
    const run = agent.executor.resume(
      pause.id,
      { kind: "approve", token: pause.token, editedArgs: { [callId]: { key: PASSWORD } } },
      { principal: { userId: "ada" } },
    );
    run.steer(`and ${PASSWORD}`);
    const events = await collectEvents(run);
    expect(ran).toEqual([{ key: PASSWORD }]);
    for (const one of [await agent.options.sessions.read("s1"), agent.llm.requests, events])
      expect(leaks(one)).toEqual([]);
  });

  it("VI-13 are in no outcome and no event of a run that fails or cannot start", async () => {
    const agent = createTestAgent([], { secrets: [PASSWORD] });
    const failing = createAgentExecutor({
      ...agent.options,
      prompt: { ...agent.options.prompt, state: async () => Promise.reject(new Error(`no entry for ${PASSWORD}`)) },
    });
    const run = failing.execute(testMessage(`hello ${PASSWORD}`));
    const events = await collectEvents(run);
    expect(leaks([await run.outcome, events])).toEqual([]);
  });
});

function set(value: string) {
  return { op: "set", path: "/extensions/used", value } as const;
}

/** Pieces of text as one who reads along sees them. */
function joined(events: readonly AgentEvent[]): string {
  return events.map((event) => ("text" in event && event.text) || ("json" in event && event.json) || "").join("");
}

function leaks(value: unknown): readonly string[] {
  const written = typeof value === "string" ? value : JSON.stringify(value);
  const forms = [
    PASSWORD,
    JSON.stringify(PASSWORD).slice(1, -1),
    JSON.stringify(JSON.stringify(PASSWORD)).slice(3, -3),
  ];
  return [...forms, encodeURIComponent(PASSWORD)].filter((form) => written.includes(form));
}
