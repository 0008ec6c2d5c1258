import { scriptedModel } from "@vision-agent/agent-core/testing";
import { expect, it } from "vitest";
import { askWithMcp, everythingServer } from "./mcp-tool.ts";

it("AF-27 answers with the tool of a server that runs as a process", async () => {
  const llm = scriptedModel([{ toolCalls: [{ name: "every__get-sum", args: { a: 2, b: 3 } }] }, { text: "Five." }]);
  const answer = await askWithMcp({
    model: { client: llm, id: "scripted" },
    server: everythingServer(),
    question: "2 + 3?",
  });
  expect(answer).toBe("Five.");
  expect(llm.requests[0]?.tools.map(({ name }) => name)).toContain("every__echo");
  expect(JSON.stringify(llm.requests[1]?.messages)).toContain("The sum of 2 and 3 is 5");
});
