import type { ChildProcess } from "node:child_process";
import { scriptedModel } from "@vision-agent/agent-core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRemoteAgent, startToolHost } from "./remote-tools.ts";

describe("SC-9 AF-29 tools in a second process", () => {
  let host: ChildProcess;
  beforeEach(() => {
    host = startToolHost();
  });
  afterEach(() => {
    host.kill();
  });

  it("runs a call there and gives its result to the model here", async () => {
    const client = scriptedModel([{ toolCalls: [{ name: "which_process" }] }, { text: "There." }]);
    const agent = createRemoteAgent({ client, id: "scripted" }, host);
    expect((await agent.run("Where?")).text).toBe("There.");
    const result = client.requests[1]?.messages.at(-1)?.parts[0];
    expect(result).toMatchObject({ outcome: "ok", content: [{ text: String(host.pid) }] });
    expect(host.pid).not.toBe(process.pid);
  });

  it("checks the arguments there too, and denies what this run may not use", async () => {
    const client = scriptedModel([
      { toolCalls: [{ name: "count_slowly", args: { to: "ten" } }, { name: "which_process" }] },
      { text: "No." },
    ]);
    const agent = createRemoteAgent({ client, id: "scripted" }, host);
    await agent.run("Count.", { tools: { deny: ["which_process"] } });
    const outcomes = client.requests[1]?.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool_result" ? [part.outcome] : [])),
    );
    expect(outcomes?.sort()).toEqual(["denied", "invalid_args"]);
  });

  it("shows progress, and stops there when the run is cancelled here", async () => {
    const client = scriptedModel([{ toolCalls: [{ name: "count_slowly", args: { to: 60 } }] }]);
    const stream = createRemoteAgent({ client, id: "scripted" }, host).stream("Count.");
    const results: unknown[] = [];
    for await (const event of stream) {
      if (event.type === "tool_progress") void stream.cancel();
      if (event.type === "tool_result") results.push(event.result.outcome);
    }
    expect(results).toEqual(["cancelled"]);
    await expect(stream.result()).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("fails the run when that process dies, and nothing else", async () => {
    const client = scriptedModel([{ toolCalls: [{ name: "count_slowly", args: { to: 60 } }] }, { text: "Hello." }]);
    const agent = createRemoteAgent({ client, id: "scripted" }, host);
    const stream = agent.stream("Count.", { session: "s" });
    for await (const event of stream) if (event.type === "tool_progress") host.kill("SIGKILL");
    await expect(stream.result()).rejects.toMatchObject({ message: "The process with the tools ended." });
    expect((await agent.run("Hello", { session: "other" })).text).toBe("Hello.");
  });
});
